//! `report.html`: one run on one page that needs nothing but itself.
//!
//! ```text
//! Run, Configuration ─► tables of figures (usage, channels, links, response, history) ─┐
//!                    └► topology: nodes, groups, routes ─► crate drawing: picture      ├─► page
//! style.css, and style and script of drawing ──────────────────────────────────────────┘
//! ```
//!
//! The page asks for nothing over the network (its own content security policy forbids it), shows everything
//! without the script, and has the same bytes for the same run. Every name comes from a user's files and is
//! escaped by the templates.

mod bar;
mod card_picture;
mod cells;
mod channels;
mod components;
mod compression;
mod conversations;
mod distribution;
mod eadm;
mod history;
mod islinks;
mod line_chart;
mod links;
mod page;
mod response;
mod stations;
mod streams;
mod synchronous;
mod topology;
mod usage;

#[cfg(test)]
mod fixture;

pub use page::html_report;
pub use topology::topology_svg;

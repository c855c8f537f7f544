//! Pictures of configurations: nodes in columns that fold, as SVG and as a page on which paths are followed and
//! things are found.
//!
//! ```text
//! Deck ─► nodes, groups, edges, routes ─┐
//!                                       ├─► Topology ─► Layout ─► picture ─┬─► SVG
//! a Configuration and a run (measure) ──┘                                  └─► section of a page, script
//! ```

pub mod colour;
mod data;
mod deck;
mod fold;
mod layout;
pub mod number;
mod page;
mod picture;
mod section;
mod svg;
mod text;
mod topology;

pub use self::deck::topology_of;
pub use self::fold::{Foldable, fold};
pub use self::layout::{Layout, WIDTH};
pub use self::page::{deck_page, document};
pub use self::section::{Words, section};
pub use self::svg::{deck_svg, topology_svg};
pub use self::topology::{DeviceSpan, Edge, Group, Node, Route, Topology};

/// Styles of pages and pictures.
const STYLE: &str = include_str!("style.css");
/// Folding, following paths and finding things, for a page with one [`section()`].
const SCRIPT: &str = include_str!("script.js");

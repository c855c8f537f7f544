//! Studies changed key by key, run in parallel and kept by content; never draws a conclusion and holds no formula of
//! the model.
//!
//! ```text
//! StudyFiles ─┐
//! --set k=a,b ┴► product ─► change ─► StudyFiles a point ─► run_points ─► Run a point ─► Table, Chart
//!                                                             ▲   │
//!                                                             └ Cache
//! ```

mod cache;
mod change;
pub mod chart;
mod content_key;
mod curves;
mod deck_change;
mod key;
mod number_range;
mod panels;
mod parts;
mod point_identity;
mod points;
mod read_table;
mod table;
mod toml_change;
mod value_set;

pub use cache::Cache;
pub use change::{Change, NONE, change};
pub use content_key::{ContentKey, NotAKey};
pub use curves::{Drawn, Places, XAxis, curves, picture_name};
pub use key::{Key, StudyFile};
pub use panels::panels;
pub use parts::parts;
pub use point_identity::{PointIdentity, identities};
pub use points::{PointError, PointOptions, run_points, run_sweep, warnings};
pub use read_table::ReadTableError;
pub use table::{Column, Outcome, Row, Table};
pub use value_set::{POINTS_MAX, ValueSet, product, sets_in_step};

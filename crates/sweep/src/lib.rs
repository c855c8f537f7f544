//! Studies changed key by key, run in parallel and kept by content; never draws a conclusion and holds no formula of
//! the model.
//!
//! ```text
//! StudyFiles ─┐
//! --set k=a,b ┴► product ─► change ─► StudyFiles a point ─► run_points ─► Run a point ─► Table, Chart
//!                                                             ▲   │
//!                                                             └ Cache
//!
//! PackedSweep ─► plan ─► key, cost ─► run, here or on another machine ─► PointOutcome ─► Outcomes ─► Table
//! ```

mod cache;
mod change;
pub mod chart;
mod content_key;
mod cost;
mod curves;
mod deck_change;
mod grid;
mod key;
mod number_range;
mod outcomes;
mod pack;
mod packed_sweep;
mod panels;
mod parts;
mod point_identity;
mod point_outcome;
mod points;
mod read_table;
mod table;
mod toml_change;
mod value_set;

pub use cache::Cache;
pub use change::{Change, NONE, change};
pub use content_key::{ContentKey, NotAKey};
pub use curves::{Drawn, Places, XAxis, curves, picture_name};
pub use grid::{Grid, product};
pub use key::{Key, StudyFile};
pub use outcomes::{Outcomes, WrongAnswer};
pub use pack::UnpackError;
pub use packed_sweep::{AnsweredPoint, PackedSweep, PlannedPoint};
pub use panels::panels;
pub use parts::parts;
pub use point_identity::{PointIdentity, identities};
pub use point_outcome::PointOutcome;
pub use points::{PointError, PointOptions, run_points, run_sweep, try_run_points, warnings};
pub use read_table::ReadTableError;
pub use table::{Column, Outcome, Row, Table};
pub use value_set::{POINTS_MAX, ValueSet, sets_in_step};

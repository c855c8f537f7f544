//! Published figures, the experiments that answer them, and the scoreboard; never tunes anything.
//!
//! ```text
//!  DOCUMENT.toml ─► figures ─┐
//!  experiments ──► answers ──┼─► points ─► rehearsal ─► runs (sweep) ─► scoreboard ─► table, JSON
//!  studies ──────────────────┘
//! ```
//!
//! The formats are in `docs/formats/published.md`.

mod builtin;
mod compressed;
mod computed;
mod computed_file;
mod counted;
mod curve;
mod deck_template;
mod digits;
mod dimension;
mod displayed;
mod experiment;
mod experiment_file;
mod figure;
mod figure_file;
mod formula;
mod formula_file;
mod independence;
mod json;
mod library;
mod markdown;
mod parameters;
mod pattern;
mod plant_limit;
mod plugged;
mod points;
mod rehearsal;
mod restatement;
mod row;
mod rule;
mod scoreboard;
mod sensitivity;
mod table;
mod tally;
mod term;
mod trials;
mod units;

pub use computed::{Computed, Question};
pub use counted::{Count, DeckWord, StudyWord};
pub use dimension::Dimension;
pub use displayed::Displayed;
pub use experiment::{Answer, Declared, Experiment, Point, Sweep};
pub use figure::{Figure, Kind, Printed, Relation, TOLERANCE_PERCENT};
pub use figure_file::Document;
pub use formula::{CatalogNumber, Formula};
pub use independence::Dependence;
pub use json::to_json;
pub use library::{Builtin, Library};
pub use markdown::markdown;
pub use parameters::named_figures;
pub use pattern::chooses;
pub use plant_limit::PlantLimit;
pub use plugged::{PlugWord, Plugged};
pub use points::Points;
pub use rehearsal::rehearse;
pub use restatement::{Restated, restated};
pub use row::{Row, Status};
pub use rule::{End, Rule, Tried};
pub use scoreboard::{Runs, Scoreboard};
pub use sensitivity::{Sensitive, sensitive};
pub use table::{Shown, summary, table};
pub use tally::{Missed, Tally};
pub use term::Term;
pub use trials::{Rerun, ScoreboardInputs};
pub use units::{Comparison, Known, Units};

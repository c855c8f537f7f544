//! Files of users: their text, places in it, messages about it, and TOML read key by key; no meaning of any file.
//!
//! Readers of decks, catalog, plant, workload and program texts use the one [`Diagnostic`], so that one run shows the
//! mistakes of all files together. Every message has its number in [`messages`].

mod diagnostic;
mod expect;
mod fields;
mod free_table;
mod located;
pub mod messages;
mod nearest;
mod source_file;
mod sourced;
mod together;
mod toml_syntax;

pub use diagnostic::{Diagnostic, Label, Severity, has_errors};
pub use expect::Expect;
pub use fields::{Fields, read_bytes, read_document, read_file};
pub use free_table::FreeTable;
pub use located::Located;
pub use nearest::{nearest, nearest_or_all};
pub use source_file::SourceFile;
pub use sourced::{Origin, Sourced};
pub use together::together;

//! IOCP decks: read, checked, compared, changed and written.
#![doc = ""]
#![doc = include_str!("../README.md")]
//!
//! ## How it is made
//!
//! ```text
//! SourceFile -> cards -> joined operand -> items -> Statement   (Script: syntax, lossless)
//!                                                      |
//!            ID, RESOURCE, CHPID, CNTLUNIT, IODEVICE --+--> Definitions + rules -> Deck
//! ```
//!
//! [`read`] does all of it; [`syntax::script::Script`] alone is the lossless list of cards and statements.

pub mod advice;
pub mod ctc;
pub mod difference;
pub mod formats;
pub mod model;
mod reading;
pub mod reports;
pub mod rules;
pub mod syntax;

pub use advice::advise;
pub use difference::difference;
pub use formats::csv::{CsvTable, csv};
pub use formats::iocp::format;
pub use formats::tcpip_profile::check_profile;
pub use model::hcd_token::HcdToken;
pub use model::paths::Paths;
pub use model::selection::Selection;
pub use reading::{ReadOptions, Reading, read, read_with};
pub use reports::listing::listing;
pub use rules::cards::may_share_card;
pub use rules::software::{Software, System, check_software};
pub use syntax::annotations::{Annotation, Annotations};
pub use syntax::cards::{Card, CardRole};
pub use syntax::edit::Edits;
pub use syntax::encoding::{DeckFile, Encoding};
pub use syntax::records::Records;

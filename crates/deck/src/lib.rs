//! IOCP decks: read, checked, compared, changed and written.
#![doc = ""]
#![doc = include_str!("../README.md")]
//!
//! ## Structure
//!
//! ```text
//! SourceFile -> cards -> joined operand -> items -> Statement   (Script: syntax, lossless)
//!                                                      |
//!            ID, RESOURCE, CHPID, CNTLUNIT, IODEVICE --+--> Definitions + rules -> Deck
//! ```
//!
//! [`read`] does all of it; [`syntax::script::Script`] alone is the lossless list of cards and statements.
//!
//! Code of a folder uses only that folder and those above it; a test of the workspace holds that.
//!
//! | folder | content |
//! | --- | --- |
//! | [`syntax`] | encodings, records, cards, continuation, statements, operands, keywords, edits |
//! | [`model`] | the [`model::Deck`], its partitions and paths; machine, channel and function types; selections |
//! | [`rules`] | one file a family of rules, and the definitions that they check |
//! | `reading` | statements taken into the definitions in order, one file a statement |
//! | [`ctc`] | channel-to-channel connections |
//! | [`advice`] | advice on availability for valid decks |
//! | [`difference`](mod@difference) | two decks compared, by meaning and as written |
//! | [`reports`] | reports like those of IOCP, messages as a listing |
//! | [`formats`] | JSON, CSV, canonical cards, the profile of TCP/IP, SYSTEM CONFIG of z/VM |

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
pub use formats::system_config::{SystemConfig, check_system_config, system_config};
pub use formats::tcpip_profile::check_profile;
pub use model::hcd_token::HcdToken;
pub use model::paths::Paths;
pub use model::selection::Selection;
pub use reading::{ReadOptions, Reading, read, read_with};
pub use reports::listing::listing;
pub use rules::cards::may_share_card;
pub use rules::sharing::check_sharing;
pub use rules::software::{Software, System, check_software};
pub use syntax::annotations::{Annotation, Annotations};
pub use syntax::cards::{Card, CardRole};
pub use syntax::edit::Edits;
pub use syntax::encoding::{DeckFile, Encoding};
pub use syntax::records::Records;

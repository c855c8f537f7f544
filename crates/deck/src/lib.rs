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
//! [`read`] does all of it; [`script::Script`] alone is the lossless list of cards and statements.

mod access;
mod adapter_limits;
pub mod advice;
mod annotations;
mod card_rules;
mod cards;
mod channel_load;
pub mod channel_types;
mod chpid;
mod cntlunit;
mod continuation;
mod count_limits;
mod coupling;
mod coupling_rules;
mod css_list;
mod csv;
pub mod ctc;
mod definitions;
mod device_counts;
mod device_numbers;
mod device_rules;
pub mod difference;
mod edit;
mod encoding;
pub mod filter;
mod findings;
mod format;
mod function;
mod function_rules;
pub mod function_types;
mod hcd_token;
mod id;
mod iodevice;
#[cfg(feature = "json")]
pub mod json;
pub mod keyword;
pub mod layout;
mod lenient;
mod link_rules;
mod listing;
mod machine;
pub mod machines;
pub mod model;
mod network;
mod number;
pub mod operand;
mod operand_parser;
mod other_formats;
mod parameter_rules;
mod partitions;
mod pass;
mod path_rules;
mod paths;
pub mod placement;
mod reading;
mod records;
pub mod report;
mod resource;
pub mod rules;
pub mod script;
mod selection;
mod software;
pub mod statement;
mod switch_rules;
mod tcpip_profile;
mod unit;

pub use advice::advise;
pub use annotations::{Annotation, Annotations};
pub use card_rules::may_share_card;
pub use cards::{Card, CardRole};
pub use csv::{CsvTable, csv};
pub use difference::difference;
pub use edit::Edits;
pub use encoding::{DeckFile, Encoding};
pub use format::format;
pub use hcd_token::HcdToken;
pub use listing::listing;
pub use paths::Paths;
pub use reading::{ReadOptions, Reading, read, read_with};
pub use records::Records;
pub use selection::Selection;
pub use software::{Software, System, check_software};
pub use tcpip_profile::check_profile;

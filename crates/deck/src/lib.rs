//! IOCP decks: reads, checks and explains them, with every message at its card and column; it never opens a
//! file, never panics on any text and knows nothing of hardware behaviour.
//!
//! ```text
//! SourceFile -> cards -> joined operand -> items -> Statement   (Script: syntax, lossless)
//!                                                      |
//!            ID, RESOURCE, CHPID, CNTLUNIT, IODEVICE --+--> Definitions + rules -> Deck
//! ```
//!
//! [`read`] does all of it; [`script::Script`] alone is the lossless list of cards and statements.

mod access;
mod cards;
mod channel_load;
pub mod channel_types;
mod chpid;
mod cntlunit;
mod continuation;
mod css_list;
mod definitions;
mod device_numbers;
mod device_rules;
pub mod diagnostic;
mod findings;
mod function;
pub mod function_types;
mod id;
mod iodevice;
pub mod keyword;
mod link_rules;
pub mod machines;
pub mod message_numbers;
pub mod model;
mod number;
pub mod operand;
mod partitions;
mod path_rules;
mod reading;
mod resource;
pub mod script;
pub mod statement;
mod switch_rules;
mod unit;

pub use cards::{Card, CardRole};
pub use reading::{Reading, read};

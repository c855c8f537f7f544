//! Text of a deck: encodings and records, cards, continuation, statements, operands, keywords, and edits of them.
//!
//! The meaning of a statement is in [`crate::model`].

pub(crate) mod annotations;
pub(crate) mod cards;
pub(crate) mod continuation;
pub(crate) mod edit;
pub(crate) mod encoding;
pub(crate) mod findings;
pub mod keyword;
pub mod layout;
pub(crate) mod lenient;
pub(crate) mod number;
pub mod operand;
pub(crate) mod operand_parser;
pub(crate) mod other_formats;
pub(crate) mod records;
pub mod script;
pub mod statement;

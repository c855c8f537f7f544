//! The text form: tokens, statements, and their errors.

pub(crate) mod command_text;
pub(crate) mod content_text;
pub(crate) mod cursor;
pub(crate) mod expectation_text;
pub(crate) mod setting_text;
pub(crate) mod start_text;
pub(crate) mod statement;
pub(crate) mod statement_text;
pub(crate) mod token;

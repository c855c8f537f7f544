//! Numbers of all messages, one file for each kind of input.

pub mod catalog;
pub mod deck;
pub mod display;
pub mod exec;
pub mod generate;
pub mod plugging;
pub mod published;
pub mod study;
pub mod sweep;
pub mod toml_file;

/// Whether an IBM message has the number and its meaning.
pub(crate) fn has_ibm_message(number: u16) -> bool {
    (100..400).contains(&number)
}

//! Messages of ours about decks, without an IBM message of the same meaning.

pub(crate) mod advice;
pub(crate) mod cards;
pub(crate) mod ctc;

pub use advice::*;
pub use cards::*;
pub use ctc::*;

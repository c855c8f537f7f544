//! IOCP decks.
pub mod diagnostic;
pub mod model;

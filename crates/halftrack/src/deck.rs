//! IOCP decks read, checked, compared, listed by cable and mapped to hardware.

mod cables;
mod check;
mod comparison;
mod connections;
mod islink;
mod mapping;
mod reading;

pub use cables::CableList;
pub use check::{CheckOptions, check_deck, check_json, check_totals, rule_list};
pub use comparison::DeckComparison;
pub use connections::connections_json;
/// Decks by statement and meaning, with their rules and reports.
pub use halftrack_deck::*;
/// Decks as pages and pictures.
pub use halftrack_drawing::{deck_page, deck_svg};
pub use islink::islink_json;
pub use mapping::DeckMapping;
pub use reading::{load_hardware, read_deck, read_deck_for};

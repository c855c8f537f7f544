//! IOCP decks read, checked, compared, listed by cable and mapped to hardware.

mod cables;
mod check;
mod comparison;
mod connections;
mod ctc_words;
mod hardware;
mod islink;
mod islink_json;
mod mapping;
mod reading;
mod systems;
mod words;

pub use cables::CableList;
pub use check::{CheckOptions, check_deck, check_json, check_totals, rule_list};
pub use comparison::DeckComparison;
pub use connections::connections_json;
pub use ctc_words::{channel_pair, device_number, port_words, rate_mb_per_s};
/// Decks by statement and meaning, with their rules and reports.
pub use halftrack_deck::*;
/// Decks as pages and pictures.
pub use halftrack_drawing::{deck_page, deck_svg};
/// Installed features, and PCHIDs chosen on them.
pub use halftrack_plugging::{Hardware, MapOptions};
pub use hardware::{inventory_json, structure_json};
pub use islink::{LinkOptions, LinkPlan, LinkSize};
pub use mapping::DeckMapping;
pub use reading::{load_hardware, load_plant, read_deck, read_deck_for};
pub use systems::{NodeNames, SystemName, node_words, system_pair};
pub use words::{FILTER_NAMES, add_words, byte_range, machine_words, unknown_words, word_range};

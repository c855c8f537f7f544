//! Names of channel paths and functions of a deck, for people.

use halftrack_deck::model::{ChannelPath, Deck, Function};

use crate::map::Subject;

/// Returns the name of `subject` of `deck`.
pub fn name_of(deck: &Deck, subject: Subject) -> String {
    match subject {
        Subject::Channel(index) => channel_name(&deck.channel_paths[index]),
        Subject::Function(index) => format!("FID {}", fids_of(&deck.functions[index])),
    }
}

/// Formats a channel path: `CHPID 0.40`, `CHPID 0,1.40` when spanned.
pub(crate) fn channel_name(path: &ChannelPath) -> String {
    let css: Vec<String> = path.css.iter().map(u8::to_string).collect();
    format!("CHPID {}.{:02X}", css.join(","), path.chpid.value)
}

/// Formats function identifiers: `0011`, `0011-0012` when a statement defines several.
pub(crate) fn fids_of(function: &Function) -> String {
    let first = function.fid.value;
    match function.count {
        0 | 1 => format!("{first:04X}"),
        count => format!("{first:04X}-{:04X}", first.saturating_add(count - 1)),
    }
}

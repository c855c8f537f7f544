//! Mapping of a deck to hardware: its PCHIDs chosen, with text and JSON about it.

use halftrack_deck::model::Deck;
use halftrack_deck::{Edits, Reading};
use halftrack_plugging::{
    Assignment, Hardware, MapOptions, Mapping, Unplaced, ao_table, balance_line, map, name_of, placed_at,
};
use serde_json::{Value, json};

/// PCHIDs chosen for a deck on hardware.
#[derive(Debug)]
pub struct DeckMapping<'a> {
    deck: &'a Deck,
    hardware: &'a Hardware,
    mapping: Mapping,
}

impl<'a> DeckMapping<'a> {
    /// Chooses PCHIDs on `hardware` for `deck`.
    pub fn new(deck: &'a Deck, hardware: &'a Hardware, options: MapOptions) -> Self {
        Self { deck, hardware, mapping: map(deck, hardware, options) }
    }

    /// Returns true when everything has a port.
    pub fn is_complete(&self) -> bool {
        self.mapping.unplaced.is_empty()
    }

    /// Returns the text of the deck of `reading` with only its PCHIDs changed.
    pub fn mapped_text(&self, reading: &Reading) -> String {
        let mut edits = Edits::new(&reading.script);
        self.mapping.apply(self.deck, &reading.script, &mut edits);
        edits.finish()
    }

    /// Formats the mapping as text.
    pub fn to_text(&self) -> String {
        as_text(self.deck, self.hardware, &self.mapping)
    }

    /// Formats the mapping as JSON text, ended by a newline.
    pub fn to_json(&self) -> String {
        format!("{:#}\n", as_json(self.deck, self.hardware, &self.mapping))
    }
}

fn as_text(deck: &Deck, hardware: &Hardware, mapping: &Mapping) -> String {
    let mut text = mapping.table(deck, hardware);
    for one in &mapping.unplaced {
        text += &format!("{}: {}\n", name_of(deck, one.subject), one.reason);
    }
    text.push('\n');
    mapping.reasons.iter().for_each(|reason| text += &format!("{reason}\n"));
    if !mapping.reasons.is_empty() {
        text.push('\n');
    }
    text + &ao_table(hardware) + &balance_line(hardware)
}

fn as_json(deck: &Deck, hardware: &Hardware, mapping: &Mapping) -> Value {
    let hex = |pchid: Option<u16>| pchid.map(|pchid| format!("{pchid:03X}"));
    let assignment = |one: &Assignment| {
        let place = placed_at(deck, hardware, one.subject, one.new);
        json!({
            "id": name_of(deck, one.subject),
            "old": hex(one.old),
            "new": hex(Some(one.new)),
            "frame": place.frame,
            "drawer": place.drawer,
            "slot": place.slot,
            "port": place.port,
            "domain": place.domain,
            "fanout": place.fanout,
            "resource_group": place.resource_group,
        })
    };
    let unplaced = |one: &Unplaced| json!({ "id": name_of(deck, one.subject), "old": hex(one.old), "reason": one.reason });
    json!({
        "assignments": mapping.assignments.iter().map(assignment).collect::<Vec<_>>(),
        "unplaced": mapping.unplaced.iter().map(unplaced).collect::<Vec<_>>(),
        "reasons": mapping.reasons,
    })
}

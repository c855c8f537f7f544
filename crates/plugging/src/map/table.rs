//! A mapping as a table.

use halftrack_deck::model::Deck;
use halftrack_deck::model::placement::{Place, Placement};

use crate::cables::port_of;
use crate::columns::columns;
use crate::hardware::Hardware;
use crate::map::{Mapping, Subject};
use crate::names::name_of;

/// Heads of the columns.
const HEADS: [&str; 10] = ["id", "type", "old", "new", "frame", "drawer", "slot", "port", "domain", "RG"];

/// Returns the value of TYPE=; `-` when it is missing.
fn type_of(deck: &Deck, subject: Subject) -> String {
    match subject {
        Subject::Channel(index) => deck.channel_paths[index].channel_type.value.clone(),
        Subject::Function(index) => {
            let kind = deck.functions[index].kind.as_ref();
            kind.map_or_else(|| "-".to_owned(), |kind| kind.value.clone())
        }
    }
}

/// Returns the place of `subject` on PCHID `pchid`: of several ports behind it the one that a function names.
pub fn placed_at(deck: &Deck, hardware: &Hardware, subject: Subject, pchid: u16) -> Place {
    let place = hardware.place(pchid).unwrap_or_default();
    match subject {
        Subject::Function(index) if let Some(port) = deck.functions[index].port => {
            port_of(hardware, pchid, port, place)
        }
        _ => place,
    }
}

impl Mapping {
    /// Writes a row for each channel path and function: PCHID as coded and as chosen, and its place.
    pub fn table(&self, deck: &Deck, hardware: &Hardware) -> String {
        let pchid = |pchid: Option<u16>| pchid.map_or_else(|| "-".to_owned(), |pchid| format!("{pchid:03X}"));
        let placed = self.assignments.iter().map(|one| (one.subject, one.old, Some(one.new)));
        let mut rows: Vec<_> =
            placed.chain(self.unplaced.iter().map(|one| (one.subject, one.old, None))).collect();
        rows.sort_by_key(|row| row.0);
        let cells = rows.into_iter().map(|(subject, old, new)| {
            let place = new.map(|new| placed_at(deck, hardware, subject, new)).unwrap_or_default();
            let known = |name: Option<String>| name.unwrap_or_else(|| "-".to_owned());
            [
                name_of(deck, subject),
                type_of(deck, subject),
                pchid(old),
                pchid(new),
                known(place.frame),
                known(place.drawer),
                known(place.slot),
                known(place.port),
                known(place.domain),
                known(place.resource_group),
            ]
        });
        columns(&HEADS, &cells.collect::<Vec<_>>())
    }
}

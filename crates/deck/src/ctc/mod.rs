//! Channel-to-channel connections: the ends that decks define, which of them belong together, and what is missing.
//!
//! Reference: IOCP, section 4.7 (V): CUADD is the image at the other end, its MIF id, with the CSS digit before it when
//! the channel there is spanned; LINK is the director port of the channel there; unit addresses are equal on both
//! ends, and device numbers should be. Between ESCON channels one is of TYPE=CTC. A control unit on a shared channel
//! is an end for each partition that may use it.
//!
//! Which port a channel itself is on stands in no deck: it is concluded from the ends that point back, or given.

mod ends;
mod lines;
mod make;
mod pairs;

use std::collections::BTreeSet;

use crate::advice::Notes;
use crate::model::Deck;

pub use ends::{End, Image, Port};
use halftrack_input::messages::deck::CTC_PAIR;
pub use lines::listing;
pub use make::missing_ends;
pub use pairs::{Connections, GivenPort, Pair, connections};

/// Gives A807. Within one deck that is only a case without another meaning, because ends may lead to another machine.
pub(crate) fn advise(deck: &Deck, notes: &mut Notes) {
    let found = connections(&[deck], &[]);
    let mut reported = BTreeSet::new();
    for pair in &found.pairs {
        let (one, other) = (&found.ends[pair.one], &found.ends[pair.other]);
        if !pair.same_unit_addresses && reported.insert((one.unit, other.unit)) {
            let words = format!(
                "CNTLUNIT {:04X}: unit addresses {} and those of its other end {:04X}, {}, differ",
                one.unit,
                one.unit_addresses(),
                other.unit,
                other.unit_addresses()
            );
            notes.advise(CTC_PAIR, &one.span, words, "give both ends the same UNITADD");
            notes.also(&other.span, "the other end");
        }
    }
    for &at in &found.missing {
        let end = &found.ends[at];
        if reported.insert((end.unit, end.unit)) {
            let words = format!(
                "CNTLUNIT {:04X}: no control unit points back from image {} to {}",
                end.unit,
                end.target(),
                end.image
            );
            let fix = "define the other end; `halftrack deck ctc --make` writes it";
            notes.advise(CTC_PAIR, &end.span, words, fix);
        }
    }
}

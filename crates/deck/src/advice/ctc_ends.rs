//! A807: ends of channel-to-channel connections that do not fit together, and ends without an opposite one.

use std::collections::BTreeSet;

use halftrack_input::messages::deck::CTC_PAIR;

use crate::ctc::connections;
use crate::model::Deck;

use super::notes::Notes;

/// Gives A807. Within one deck that is only a case without another meaning, because ends may lead to another machine.
pub(super) fn advise(deck: &Deck, notes: &mut Notes) {
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

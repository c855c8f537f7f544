//! Advice on the number of cards that compress: those that an update of firmware, and the loss of one more, leave.
//!
//! One resource group is updated at a time and takes its cards. The workshop of 2015 advises two cards at least, and four for
//! availability; that is one card left in an update, and one when another is lost meanwhile.

use std::collections::BTreeMap;

use halftrack_deck::model::Deck;
use halftrack_input::messages::plugging::{NO_CARD_IN_UPDATE, ONE_CARD_IN_UPDATE};
use halftrack_input::{Diagnostic, Severity};

use crate::hardware::{Card, Hardware};

/// Reports that an update leaves the functions of `deck` no card that compresses, or one. Nothing where the resource group of a
/// card is unknown.
pub(crate) fn availability(deck: &Deck, hardware: &Hardware) -> Option<Diagnostic> {
    let feature = |card: &Card| card.feature.clone().filter(|feature| feature.compression.is_some());
    let cards: Vec<&Card> = hardware.cards().iter().filter(|card| feature(card).is_some()).collect();
    let types = cards.iter().find_map(|card| feature(card))?.types;
    let function = deck.functions.iter().find(|one| {
        let kind = one.kind.as_ref();
        kind.is_some_and(|kind| types.contains(&kind.value))
    })?;
    let mut groups: BTreeMap<u8, usize> = BTreeMap::new();
    for card in &cards {
        *groups.entry(card.resource_group?).or_default() += 1;
    }
    let (group, taken) = groups.into_iter().max_by_key(|(_, count)| *count)?;
    let report = |number, words| Diagnostic::error(number, &deck.source, function.fid.span.clone(), words);
    let title = feature(cards[0])?.title;
    match cards.len() - taken {
        0 => {
            let words = format!("an update of RG{group} takes every {title} card of the machine");
            let fix = "plug another card in the other resource group: two are the least, four are advised";
            Some(report(NO_CARD_IN_UPDATE, words).severity(Severity::Warning).fix(fix))
        }
        1 => {
            let words =
                format!("an update of RG{group} leaves one {title} card, which may be lost meanwhile");
            let fix = "plug two cards in each resource group: four are advised for availability";
            Some(report(ONE_CARD_IN_UPDATE, words).severity(Severity::Advice).fix(fix))
        }
        _ => None,
    }
}

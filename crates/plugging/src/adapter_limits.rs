//! How many native adapters of a kind a machine takes, against the cards that are plugged.
//!
//! The limits are those of the deck's function types, published for some machine types only.

use halftrack_deck::model::function_types::FUNCTION_TYPES;
use halftrack_deck::model::machines::Machine;

use crate::hardware::Card;

/// Adapters past the limit of a machine.
pub(crate) struct Excess {
    /// The first card past it, as an index into the cards.
    pub card: usize,
    /// The fault, in words.
    pub words: String,
}

/// Returns the kinds of which `cards` are more than `machine` takes.
pub(crate) fn excesses<'a>(cards: impl Iterator<Item = &'a Card> + Clone, machine: &Machine) -> Vec<Excess> {
    let mut found = Vec::new();
    for kind in &FUNCTION_TYPES {
        let Some(limit) = kind.adapters_on(machine) else { continue };
        let serves = |card: &Card| {
            card.feature.as_ref().is_some_and(|feature| feature.types.iter().any(|one| one == kind.name))
        };
        let adapters: Vec<usize> =
            cards.clone().enumerate().filter(|(_, card)| serves(card)).map(|(index, _)| index).collect();
        let Some(&card) = adapters.get(limit.count) else { continue };
        let words = format!(
            "{} cards of {} are plugged; a {} takes {}, as {} says",
            adapters.len(),
            kind.what,
            machine.machine_type,
            limit.count,
            limit.source
        );
        found.push(Excess { card, words });
    }
    found
}

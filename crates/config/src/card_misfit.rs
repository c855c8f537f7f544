//! Channel cards that a machine does not have, by the order of machine generations.

use halftrack_catalog::Attachment;
use halftrack_deck::model::machines::Machine;
use halftrack_input::Sourced;

/// Why a machine does not have a card.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CardMisfit<'a> {
    /// The card came with this later machine type.
    CameLater(&'a Sourced<u16>),
    /// This earlier machine type was the last with it.
    EndedBefore(&'a Sourced<u16>),
}

impl<'a> CardMisfit<'a> {
    /// Compares a card's machines with `machine`; `None` when nothing is known against it. Machines are in the order of
    /// their generations, which their numbers are not.
    pub fn of(card: &'a Attachment, machine: &Machine) -> Option<Self> {
        let family = |limit: u16| Machine::of(limit).map(|machine| machine.generation);
        let later = |first: &&Sourced<u16>| family(first.value) > Some(machine.generation);
        let before = |last: &&Sourced<u16>| family(last.value).is_some_and(|last| last < machine.generation);
        let first = card.first_machine.as_ref().filter(later).map(Self::CameLater);
        first.or_else(|| card.last_machine.as_ref().filter(before).map(Self::EndedBefore))
    }
}

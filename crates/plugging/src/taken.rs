//! Slots and PCHIDs that are taken, so that two cards in one place are reported.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use halftrack_input::messages::plugging::TAKEN;
use halftrack_input::{Diagnostic, Label, SourceFile};

use crate::hardware::Card;

/// The slots and PCHIDs of the cards so far, with their places in the text.
#[derive(Debug, Default)]
pub(crate) struct Taken(BTreeMap<String, Range<usize>>);

impl Taken {
    /// Takes the slot and the numbers of `card`, which stands at `span`.
    pub(crate) fn take(
        &mut self,
        card: &Card,
        span: Range<usize>,
        source: &Arc<SourceFile>,
        found: &mut Vec<Diagnostic>,
    ) {
        let numbers = card.ports.iter().map(|port| match port.address {
            crate::Address::Pchid(_) => format!("PCHID {}", port.address),
            crate::Address::Aid(_) => format!("AID {}", port.address),
        });
        for what in std::iter::once(card.place_words()).chain(numbers) {
            if let Some(first) = self.0.get(&what) {
                let message = format!("{what} is taken by another card");
                let label = Label::new(source, first.clone(), "the other card");
                let message = Diagnostic::error(TAKEN, source, span, message).other(label);
                found.push(message.fix("correct one of them"));
                return;
            }
            self.0.insert(what, span.clone());
        }
    }
}

//! What the assembly works on, and where its messages go.

use std::cell::RefCell;
use std::ops::Range;

use halftrack_catalog::{Catalog, Hardware, Shelf, nearest_or_all};
use halftrack_deck::diagnostic::{Diagnostic, Label};
use halftrack_deck::model::{Deck, Located};

use crate::numbers;
use crate::plant::Plant;
use crate::workload_file::WorkloadFile;

/// The four inputs.
pub struct Inputs<'a> {
    /// The deck.
    pub deck: &'a Deck,
    /// The plant.
    pub plant: &'a Plant,
    /// The workload.
    pub workload: &'a WorkloadFile,
    /// The catalog.
    pub catalog: &'a Catalog,
    found: RefCell<Vec<Diagnostic>>,
}

impl<'a> Inputs<'a> {
    /// The inputs, without messages.
    pub fn new(deck: &'a Deck, plant: &'a Plant, workload: &'a WorkloadFile, catalog: &'a Catalog) -> Self {
        Self { deck, plant, workload, catalog, found: RefCell::default() }
    }

    /// A place in the deck.
    pub fn deck_label(&self, span: &Range<usize>, text: impl Into<String>) -> Label {
        Label::new(&self.deck.source, span.clone(), text)
    }

    /// Adds a message.
    pub fn report(&self, diagnostic: Diagnostic) {
        self.found.borrow_mut().push(diagnostic);
    }

    /// An error in the deck, not yet reported.
    pub fn in_deck(&self, number: u16, span: &Range<usize>, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(number, &self.deck.source, span.clone(), message)
    }

    /// An error in the plant, not yet reported.
    pub fn in_plant(&self, number: u16, span: &Range<usize>, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(number, &self.plant.source, span.clone(), message)
    }

    /// An error in the workload, not yet reported.
    pub fn in_workload(&self, number: u16, span: &Range<usize>, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(number, &self.workload.source, span.clone(), message)
    }

    /// The entry of `shelf` that the plant names `id`; one that is not there is reported.
    pub fn find<T: Hardware>(&self, shelf: &'a Shelf<T>, id: &Located<String>) -> Option<&'a T> {
        let found = shelf.get(&id.value);
        if found.is_none() {
            let message = format!("the catalog has no {} `{}`", T::DIRECTORY, id.value);
            let fix = nearest_or_all(&id.value, shelf.ids());
            self.report(self.in_plant(numbers::NOT_IN_CATALOG, &id.span, message).fix(fix));
        }
        found
    }

    /// The messages: those of the deck first, then of the plant, then of the workload, each in the order of the text.
    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        let rank = |one: &Diagnostic| {
            let files = [&self.deck.source, &self.plant.source, &self.workload.source];
            files.iter().position(|file| file.name == one.at.source.name)
        };
        let mut found = self.found.into_inner();
        found.sort_by_key(|one| (rank(one), one.at.span.start, one.number));
        found
    }
}

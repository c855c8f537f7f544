//! Inputs of the assembly, and the collection of its messages.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use halftrack_catalog::{Catalog, Hardware, Shelf};
use halftrack_deck::model::Deck;
use halftrack_input::messages::study as numbers;
use halftrack_input::{Diagnostic, Label, Located, nearest_or_all};

use crate::assemble::Decks;
use crate::plant::{Card, Cpc, Plant};
use crate::workload_file::WorkloadFile;

/// The inputs, seen from one of the machines; what is not about a machine is the same from all.
#[derive(Clone)]
pub struct Inputs<'a> {
    /// Index of the machine.
    pub machine: u8,
    /// The machine.
    pub cpc: &'a Cpc,
    /// Its deck.
    pub deck: &'a Deck,
    /// The plant.
    pub plant: &'a Plant,
    /// The workload.
    pub workload: &'a WorkloadFile,
    /// The catalog.
    pub catalog: &'a Catalog,
    machines: Rc<[(&'a Cpc, &'a Deck)]>,
    found: Rc<RefCell<Vec<Diagnostic>>>,
}

impl<'a> Inputs<'a> {
    /// Creates the inputs, without messages, seen from the first machine; `None` when a machine has no deck.
    pub fn new(
        decks: &'a Decks,
        plant: &'a Plant,
        workload: &'a WorkloadFile,
        catalog: &'a Catalog,
    ) -> Option<Self> {
        let with_deck = |cpc: &'a Cpc| Some((cpc, decks.get(&cpc.deck.value)?));
        let machines: Rc<[_]> = plant.cpcs.iter().map(with_deck).collect::<Option<_>>()?;
        let (cpc, deck) = *machines.first()?;
        Some(Self { machine: 0, cpc, deck, plant, workload, catalog, machines, found: Rc::default() })
    }

    /// Returns the inputs as each machine sees them, by the machines' names.
    pub fn each(&self) -> impl Iterator<Item = Self> {
        (0..self.machines.len()).map(|index| self.of(index as u8))
    }

    /// Returns the inputs as machine `index` sees them.
    pub fn of(&self, index: u8) -> Self {
        let (cpc, deck) = self.machines[usize::from(index)];
        Self { machine: index, cpc, deck, ..self.clone() }
    }

    /// Returns the cards of the machine.
    pub fn cards(&self) -> impl Iterator<Item = &'a Card> {
        let name = self.cpc.name;
        self.plant.cards.iter().filter(move |card| card.cpc == name)
    }

    /// Returns a place in the deck.
    pub fn deck_label(&self, span: &Range<usize>, text: impl Into<String>) -> Label {
        Label::new(&self.deck.source, span.clone(), text)
    }

    /// Returns a place in the workload.
    pub fn workload_label(&self, span: &Range<usize>, text: impl Into<String>) -> Label {
        Label::new(&self.workload.source, span.clone(), text)
    }

    /// Adds a message.
    pub fn report(&self, diagnostic: Diagnostic) {
        self.found.borrow_mut().push(diagnostic);
    }

    /// Returns an error in the deck, not yet reported.
    pub fn in_deck(&self, number: u16, span: &Range<usize>, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(number, &self.deck.source, span.clone(), message)
    }

    /// Returns an error in the plant, not yet reported.
    pub fn in_plant(&self, number: u16, span: &Range<usize>, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(number, &self.plant.source, span.clone(), message)
    }

    /// Returns an error in the workload, not yet reported.
    pub fn in_workload(&self, number: u16, span: &Range<usize>, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(number, &self.workload.source, span.clone(), message)
    }

    /// Returns the entry of `shelf` that the plant names `id`; one that is not there is reported.
    pub fn find<T: Hardware>(&self, shelf: &'a Shelf<T>, id: &Located<String>) -> Option<&'a T> {
        let found = shelf.get(&id.value);
        if found.is_none() {
            let message = format!("the catalog has no {} `{}`", T::DIRECTORY, id.value);
            let fix = nearest_or_all(&id.value, shelf.ids());
            self.report(self.in_plant(numbers::NOT_IN_CATALOG, &id.span, message).fix(fix));
        }
        found
    }

    /// Returns the messages in the order of the files and their text: decks, plant, workload, traces. Those
    /// that several partitions give alike are there once.
    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        let rank = |one: &Diagnostic| {
            let decks = self.machines.iter().map(|(_, deck)| &deck.source);
            let mut files = decks.chain([&self.plant.source, &self.workload.source]);
            files.position(|file| file.name == one.at.source.name).unwrap_or(usize::MAX)
        };
        let mut found = self.found.take();
        found.sort_by_key(|one| (rank(one), one.at.span.start, one.number));
        found.dedup();
        found
    }
}

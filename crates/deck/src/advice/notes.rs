//! Advice while it is being found.

use std::ops::Range;
use std::sync::Arc;

use halftrack_input::{Diagnostic, Label, Severity, SourceFile};

use crate::model::{ControlUnit, Deck};

/// Collects advice on one deck.
#[derive(Debug)]
pub(crate) struct Notes {
    source: Arc<SourceFile>,
    list: Vec<Diagnostic>,
}

impl Notes {
    pub(crate) fn new(deck: &Deck) -> Self {
        Self { source: Arc::clone(&deck.source), list: Vec::new() }
    }

    /// Adds advice at `span`.
    pub(crate) fn advise(&mut self, number: u16, span: &Range<usize>, words: impl Into<String>, fix: &str) {
        let message = Diagnostic::error(number, &self.source, span.clone(), words);
        self.list.push(message.severity(Severity::Advice).fix(fix));
    }

    /// Makes the advice last added a warning: the hardware will refuse.
    pub(crate) fn warn(&mut self) {
        if let Some(last) = self.list.last_mut() {
            last.severity = Severity::Warning;
        }
    }

    /// Adds the place `span` to the advice last added.
    pub(crate) fn also(&mut self, span: &Range<usize>, words: &str) {
        let label = Label::new(&self.source, span.clone(), words);
        if let Some(last) = self.list.last_mut() {
            last.others.push(label);
        }
    }

    /// Adds advice that holds for all of `units` alike, shown at the first.
    pub(crate) fn together(&mut self, number: u16, units: &[&ControlUnit], words: &str, fix: &str) {
        let Some(first) = units.first() else { return };
        let more = match units.len() - 1 {
            0 => String::new(),
            1 => "; so with 1 more control unit".to_owned(),
            more => format!("; so with {more} more control units"),
        };
        let words = format!("CNTLUNIT {:04X}: {words}{more}", first.number.value);
        self.advise(number, &first.number.span, words, fix);
    }

    pub(crate) fn into_list(mut self) -> Vec<Diagnostic> {
        self.list.sort_by_key(|message| (message.at.span.start, message.number));
        self.list
    }
}

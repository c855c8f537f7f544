//! Limits that the deck checker keeps to, found by trial: how far a number in a deck may go before a message refuses
//! it.

use std::sync::Arc;

use halftrack_catalog::Catalog;
use halftrack_deck::model::Deck;
use halftrack_deck::{Software, check_sharing, check_software, read};
use halftrack_input::{Diagnostic, Severity, SourceFile};
use halftrack_plugging::{advise, read_hardware};

use crate::deck_template::filled;

/// A limit of the checker.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// The deck with its number left open.
    pub deck: Arc<SourceFile>,
    /// Hardware with the same number left open, on which the deck is.
    pub hardware: Option<Arc<SourceFile>>,
    /// Another partition, with whose system the one that is tried shares data.
    pub shares_with: Option<(String, Software)>,
    /// Values that are tried.
    pub tried: Tried,
    /// The end at which the limit is.
    pub end: End,
    /// Number of the message that refuses what lies beyond the limit.
    pub message: u16,
    /// The least severity that refuses.
    pub severity: Severity,
}

/// Values that are tried in a deck.
#[derive(Debug, Clone, PartialEq)]
pub enum Tried {
    /// Each whole number of a range.
    Numbers(i64, i64),
    /// Each machine type, from the oldest on.
    Machines(Vec<u16>),
    /// Each level of the operating system of a partition, from the oldest on.
    Levels {
        /// Partition.
        partition: String,
        /// The systems with their levels.
        systems: Vec<(f64, Software)>,
    },
}

/// The end of a range at which a limit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The largest that is accepted.
    Most,
    /// The smallest that is accepted.
    Least,
    /// The largest that is refused, below the smallest that is accepted.
    Refused,
}

impl Rule {
    /// Returns the last value that is accepted before the message refuses the next, or that one.
    ///
    /// # Errors
    /// Words on why there is no limit: nothing is refused, nothing accepted, or another message refuses it.
    pub fn value(&self, catalog: &Catalog) -> Result<f64, String> {
        let count = match &self.tried {
            Tried::Numbers(from, to) => usize::try_from(to - from + 1).unwrap_or(0),
            Tried::Machines(types) => types.len(),
            Tried::Levels { systems, .. } => systems.len(),
        };
        let from_the_end = |step: usize| match self.end {
            End::Most => step,
            End::Least | End::Refused => count - 1 - step,
        };
        let refusals = |step: usize| self.refusals(from_the_end(step), catalog);
        let last = last_accepted(count, self.message, &refusals)?;
        Ok(self.at(from_the_end(last + usize::from(self.end == End::Refused))))
    }

    /// Returns the value tried at `index` of the range.
    fn at(&self, index: usize) -> f64 {
        match &self.tried {
            Tried::Numbers(from, _) => *from as f64 + index as f64,
            Tried::Machines(types) => types[index].into(),
            Tried::Levels { systems, .. } => systems[index].0,
        }
    }

    /// Returns the messages that refuse what is tried at `index`.
    fn refusals(&self, index: usize, catalog: &Catalog) -> Result<Vec<Diagnostic>, String> {
        let number = match &self.tried {
            Tried::Numbers(from, _) => from + i64::try_from(index).unwrap_or(i64::MAX),
            Tried::Machines(types) => types[index].into(),
            Tried::Levels { .. } => 0,
        };
        let reading = read(SourceFile::new(&self.deck.name, filled(&self.deck, number)?));
        let mut found = reading.diagnostics.clone();
        if let Some(deck) = reading.understood() {
            if let Some(hardware) = &self.hardware {
                let source = SourceFile::new(&hardware.name, filled(hardware, number)?);
                let (hardware, wrong) = read_hardware(&source, catalog);
                found.extend(hardware.map_or(wrong, |hardware| advise(deck, &hardware)));
            }
            if let Tried::Levels { partition, systems } = &self.tried {
                found.extend(self.of_level(deck, partition, systems[index].1)?);
            }
        }
        found.retain(|one| one.severity >= self.severity);
        Ok(found)
    }

    /// Returns the messages about a system in a partition, or about one that shares data with another partition.
    fn of_level(&self, deck: &Deck, partition: &str, system: Software) -> Result<Vec<Diagnostic>, String> {
        let Some((other, others)) = &self.shares_with else {
            let said = check_software(deck, partition, system);
            return said.map_err(|_| format!("the deck has no partition {partition}"));
        };
        let group = [partition.to_owned(), other.clone()];
        let software = [(partition.to_owned(), system), (other.clone(), *others)];
        check_sharing(deck, &group, &software).map_err(|name| format!("the deck has no partition {name}"))
    }
}

/// Returns the last of `count` tries that nothing refuses, where every one before it is accepted and `message` refuses
/// the next.
///
/// # Errors
/// Words on why there is none.
pub(crate) fn last_accepted(
    count: usize,
    message: u16,
    refusals: &dyn Fn(usize) -> Result<Vec<Diagnostic>, String>,
) -> Result<usize, String> {
    let accepted = |step: usize| Ok::<bool, String>(refusals(step)?.is_empty());
    let said = |found: &[Diagnostic]| found.first().map_or_else(String::new, Diagnostic::line);
    if count == 0 || !accepted(0)? {
        return Err(format!("the checker accepts none of them: {}", said(&refusals(0)?)));
    }
    let (mut inside, mut outside) = (0, count - 1);
    if accepted(outside)? {
        return Err("the checker refuses none of them".to_owned());
    }
    while outside - inside > 1 {
        let middle = usize::midpoint(inside, outside);
        if accepted(middle)? { inside = middle } else { outside = middle }
    }
    let found = refusals(outside)?;
    if found.iter().all(|one| one.number != message) {
        return Err(format!("another message refuses the next: {}", said(&found)));
    }
    Ok(inside)
}

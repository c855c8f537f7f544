//! Limits that a study is checked for, found by trial: how far a number of it may go before a message refuses it.

use halftrack_catalog::Catalog;
use halftrack_config::{StudyFiles, configure};
use halftrack_input::{Diagnostic, Severity};
use halftrack_sweep::{Change, Key, change};

use crate::dimension::Dimension;
use crate::rule::last_accepted;

/// A limit of a number of a study.
#[derive(Debug, Clone, PartialEq)]
pub struct PlantLimit {
    /// The study.
    pub study: StudyFiles,
    /// Changes of it that hold throughout, `KEY=VALUE`.
    pub set: Vec<String>,
    /// The key whose value is tried, `plant.cable.40.km`.
    pub key: String,
    /// The first value, the last one and the step between two, negative where the smallest is found.
    pub tried: (f64, f64, f64),
    /// Number of the message that refuses what lies beyond the limit.
    pub message: u16,
    /// The least severity that refuses.
    pub severity: Severity,
}

impl PlantLimit {
    pub(crate) fn dimension(&self) -> Dimension {
        self.unit().0
    }

    pub(crate) fn value(&self, catalog: &Catalog) -> Result<f64, String> {
        let (from, to, step) = self.tried;
        let count = ((to - from) / step).round() as usize + 1;
        let last = last_accepted(count, self.message, &|index| self.refusals(index, catalog))?;
        let value: f64 = self.text(last).parse().map_err(|_| "no number".to_owned())?;
        Ok(value * self.unit().1)
    }

    fn unit(&self) -> (Dimension, f64) {
        Dimension::of_key(self.key.rsplit('.').next().unwrap_or_default())
    }

    /// Returns the value tried at `index`, as a file has it.
    fn text(&self, index: usize) -> String {
        let (from, _, step) = self.tried;
        let text = format!("{:.6}", from + index as f64 * step);
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    }

    fn refusals(&self, index: usize, catalog: &Catalog) -> Result<Vec<Diagnostic>, String> {
        let tried = format!("{}={}", self.key, self.text(index));
        let mut changes = Vec::new();
        for written in self.set.iter().chain([&tried]) {
            let (key, value) =
                written.split_once('=').ok_or_else(|| format!("`{written}` changes nothing"))?;
            let key: Key = key.trim().parse().map_err(|said: Box<Diagnostic>| said.line())?;
            changes.push(Change { key, value: value.trim().to_owned() });
        }
        let study = change(&self.study, &changes).map_err(|said| said.line())?;
        let mut found = configure(&study, catalog).diagnostics;
        found.retain(|one| one.severity >= self.severity);
        Ok(found)
    }
}

//! Records of the intervals that are known by a name: caches, links, stations, IOP threads, logical control units.

use std::collections::BTreeSet;

use halftrack_record::{Interval, Run, RunHeader};

use super::{QuantityError, chosen, listed, unknown};

/// One kind of such records.
pub(super) struct Named<T: 'static> {
    /// What messages call it.
    pub kind: &'static str,
    /// Its records in an interval.
    pub records: fn(&Interval) -> &[T],
    /// The name of one; on a machine with a name it begins with that: `B.0`.
    pub name: fn(&RunHeader, &T) -> String,
}

impl<T> Named<T> {
    /// The records of all intervals, or those of `subject`.
    pub(super) fn chosen<'a>(
        &self,
        run: &'a Run,
        word: &'static str,
        subject: Option<&str>,
    ) -> Result<Vec<&'a T>, QuantityError> {
        let is = |one: &T, subject: &str| (self.name)(&run.header, one) == subject;
        let unknown = |subject: &str| unknown(word, self.kind, subject, self.subjects(run));
        chosen(run, self.records, subject, is, unknown)
    }

    /// The records of `subject`, of a word that is about one at a time.
    pub(super) fn needed<'a>(
        &self,
        run: &'a Run,
        word: &'static str,
        subject: Option<&str>,
    ) -> Result<Vec<&'a T>, QuantityError> {
        if subject.is_none() {
            let known = listed(self.subjects(run));
            return Err(QuantityError::NeedsSubject { word, kind: self.kind, known });
        }
        self.chosen(run, word, subject)
    }

    /// The names that a run has, each once: what several systems use has a record for each of them.
    pub(super) fn subjects(&self, run: &Run) -> Vec<String> {
        let mut seen = BTreeSet::new();
        let names = run.intervals.first().into_iter().flat_map(self.records);
        let names = names.map(|one| (self.name)(&run.header, one));
        names.filter(|name| seen.insert(name.clone())).collect()
    }
}

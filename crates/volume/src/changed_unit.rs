//! A unit of a volume that was changed, and is not safe yet.

use std::ops::Range;

/// Runs of a unit that are kept apart; more become one.
const MOST_RUNS: usize = 64;

/// A unit that was changed, and is not safe yet. One that was only written over in place gets the octets outside the runs
/// from the files when somebody wants them.
#[derive(Debug, Default)]
pub struct ChangedUnit {
    octets: Vec<u8>,
    runs: Vec<Range<usize>>,
    /// Octets outside the runs are those of another unit, and not to be used.
    is_partial: bool,
}

impl ChangedUnit {
    /// Returns the octets, from home address to end marker of a track, or all of a block group. There are none of a unit that is
    /// partial.
    pub fn octets(&self) -> &[u8] {
        if self.is_partial { &[] } else { &self.octets }
    }

    /// Returns the length, bytes.
    pub fn length(&self) -> usize {
        self.octets.len()
    }

    /// Returns whether the octets outside the runs are still to be copied from the files.
    pub fn is_partial(&self) -> bool {
        self.is_partial
    }

    /// Returns whether another run would be joined with all others.
    pub(crate) fn is_full_of_runs(&self) -> bool {
        self.runs.len() >= MOST_RUNS
    }

    /// Replaces the unit by its state in the files, as far as it is used.
    pub(crate) fn renew(&mut self, octets: &[u8]) {
        self.octets.clear();
        self.octets.extend_from_slice(octets);
        self.runs.clear();
        self.is_partial = false;
    }

    /// Replaces the unit by one of so many bytes, the octets of which are to be copied later.
    pub(crate) fn renew_partial(&mut self, length: usize) {
        self.octets.resize(length, 0);
        self.runs.clear();
        self.is_partial = true;
    }

    /// Copies what lies outside the runs from the state in the files.
    pub(crate) fn complete(&mut self, octets: &[u8]) {
        self.runs.sort_unstable_by_key(|run| run.start);
        let mut from = 0;
        for run in &self.runs {
            self.octets[from..run.start].copy_from_slice(&octets[from..run.start]);
            from = run.end;
        }
        let end = self.octets.len();
        self.octets[from..].copy_from_slice(&octets[from..end]);
        self.is_partial = false;
    }

    /// Returns the changed range: its begin, and the octets.
    pub(crate) fn runs(&self) -> impl Iterator<Item = (usize, &[u8])> {
        self.runs.iter().map(|run| (run.start, &self.octets[run.clone()]))
    }

    /// Writes over the octets at `offset`; the unit becomes longer as needed.
    pub fn write(&mut self, offset: usize, octets: &[u8]) {
        let end = offset + octets.len();
        if end > self.octets.len() {
            self.octets.resize(end, 0);
        }
        self.octets[offset..end].copy_from_slice(octets);
        self.changed(offset..end);
    }

    /// Writes `octets` at `offset`, and zeros behind them up to `end`.
    pub fn write_padded(&mut self, offset: usize, octets: &[u8], end: usize) {
        self.write(offset, octets);
        let from = offset + octets.len();
        if end > from {
            self.octets.resize(self.octets.len().max(end), 0);
            self.octets[from..end].fill(0);
            self.changed(from..end);
        }
    }

    /// Cuts the unit.
    pub fn truncate(&mut self, octets: usize) {
        self.octets.truncate(octets);
        for run in &mut self.runs {
            run.end = run.end.min(octets);
        }
        self.runs.retain(|run| run.start < run.end);
    }

    fn changed(&mut self, mut run: Range<usize>) {
        self.runs.retain(|other| {
            let apart = other.end < run.start || run.end < other.start;
            if !apart {
                run = run.start.min(other.start)..run.end.max(other.end);
            }
            apart
        });
        self.runs.push(run);
        if self.runs.len() > MOST_RUNS {
            let start = self.runs.iter().map(|run| run.start).min().unwrap_or(0);
            let end = self.runs.iter().map(|run| run.end).max().unwrap_or(0);
            self.runs.clear();
            self.runs.push(start..end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(start: usize, end: usize) -> Vec<Range<usize>> {
        std::iter::once(start..end).collect()
    }

    #[test]
    fn runs_that_touch_become_one() {
        let mut unit = ChangedUnit { octets: vec![0; 100], ..ChangedUnit::default() };
        unit.write(10, &[1; 5]);
        unit.write(30, &[2; 5]);
        unit.write(14, &[3; 4]);
        assert_eq!(unit.runs, [30..35, 10..18]);
        unit.write_padded(18, &[4], 31);
        assert_eq!(unit.runs, runs(10, 35));
        unit.write(98, &[9; 4]);
        assert_eq!(unit.octets().len(), 102);
        unit.truncate(20);
        assert_eq!(unit.runs, runs(10, 20));
    }

    #[test]
    fn many_runs_become_one() {
        let mut unit = ChangedUnit { octets: vec![0; 1000], ..ChangedUnit::default() };
        for run in 0..=MOST_RUNS {
            unit.write(run * 3, &[1]);
        }
        assert_eq!(unit.runs, runs(0, MOST_RUNS * 3 + 1));
    }

    #[test]
    fn a_unit_that_is_written_over_in_part_becomes_whole_with_the_octets_around() {
        let mut unit = ChangedUnit::default();
        unit.renew(&[7; 200]);
        unit.renew_partial(100);
        unit.write(40, &[1; 5]);
        unit.write(10, &[2; 5]);
        assert!(unit.octets().is_empty() && unit.is_partial() && unit.length() == 100);
        let below: Vec<u8> = (100..200).collect();
        unit.complete(&below);
        let mut expected = below;
        expected[40..45].fill(1);
        expected[10..15].fill(2);
        assert_eq!(unit.octets(), expected);
        assert_eq!(unit.runs, [10..15, 40..45]);
    }
}

//! A unit of a volume that was changed, and is not safe yet.

use std::ops::Range;

/// Runs of a unit that are kept apart; more become one.
const MOST_RUNS: usize = 64;

/// A unit that was changed, and is not safe yet.
#[derive(Debug, Default)]
pub struct ChangedUnit {
    octets: Vec<u8>,
    runs: Vec<Range<usize>>,
}

impl ChangedUnit {
    /// Returns the octets, from home address to end marker of a track, or all of a block group.
    pub fn octets(&self) -> &[u8] {
        &self.octets
    }

    /// Replaces the unit by its state in the files, as far as it is used.
    pub(crate) fn renew(&mut self, octets: &[u8]) {
        self.octets.clear();
        self.octets.extend_from_slice(octets);
        self.runs.clear();
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
        let mut unit = ChangedUnit { octets: vec![0; 100], runs: Vec::new() };
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
        let mut unit = ChangedUnit { octets: vec![0; 1000], runs: Vec::new() };
        for run in 0..=MOST_RUNS {
            unit.write(run * 3, &[1]);
        }
        assert_eq!(unit.runs, runs(0, MOST_RUNS * 3 + 1));
    }
}

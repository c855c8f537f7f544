//! How far the runs with varied numbers have come, on standard error: a bar on a terminal, else a line for each
//! twentieth.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicUsize, Ordering};

use halftrack::TrialObserver;

use crate::standard_error::standard_error;
use crate::sweep::points_bar::PointsBar;

/// Lines that are written of one set of runs where standard error is no terminal.
const LINES: usize = 20;

/// Counts runs in sets, each announced before its first run.
pub struct TrialProgress {
    bar: PointsBar,
    is_terminal: bool,
    expected: AtomicUsize,
    done: AtomicUsize,
}

impl TrialProgress {
    /// Makes a display without an announcement.
    pub fn new() -> Self {
        Self {
            bar: PointsBar::new(0),
            is_terminal: io::stderr().is_terminal(),
            expected: AtomicUsize::new(0),
            done: AtomicUsize::new(0),
        }
    }

    /// Takes the bar off the screen.
    pub fn end(&self) {
        self.bar.clear();
    }
}

impl TrialObserver for TrialProgress {
    fn expect(&self, runs: usize) {
        self.done.store(0, Ordering::Relaxed);
        self.expected.store(runs, Ordering::Relaxed);
        self.bar.begin(runs);
        if !self.is_terminal {
            let _ = writeln!(standard_error(), "halftrack: {runs} runs with varied numbers");
        }
    }

    fn count(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        let expected = self.expected.load(Ordering::Relaxed);
        self.bar.show(done);
        if !self.is_terminal && is_reported(done, expected) {
            let _ = writeln!(standard_error(), "halftrack: {done} of {expected} runs with varied numbers");
        }
    }
}

/// Returns true for the first run of each twentieth and for the last one.
fn is_reported(done: usize, expected: usize) -> bool {
    let part = |done: usize| done * LINES / expected.max(1);
    part(done) > part(done - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_twentieth_is_reported_once_and_the_end() {
        let told = |expected: usize| -> Vec<usize> {
            (1..=expected).filter(|done| is_reported(*done, expected)).collect()
        };
        assert_eq!(told(3), [1, 2, 3]);
        assert_eq!(told(410).len(), LINES);
        assert_eq!(told(410).last(), Some(&410));
    }
}

//! A law that is watched, and the violations of it.

use halftrack_record::CheckerReport;

/// Most violations of one law that a run keeps the words of.
const VIOLATIONS_MAX: usize = 20;

/// One law being watched.
#[derive(Debug, Clone)]
pub(crate) struct Law {
    report: CheckerReport,
}

impl Law {
    /// Makes a law that nothing has been checked of yet.
    pub(crate) fn new(name: &str) -> Self {
        Self { report: CheckerReport { law: name.to_owned(), checks: 0, violations: Vec::new() } }
    }

    /// Books one application of the law. `words` are made only when it is broken.
    #[inline(always)]
    pub(crate) fn check(&mut self, holds: bool, words: impl FnOnce() -> String) {
        self.report.checks += 1;
        if !holds {
            self.broken(words);
        }
    }

    /// Books a violation of the law.
    #[cold]
    #[inline(never)]
    pub(super) fn broken(&mut self, words: impl FnOnce() -> String) {
        if self.report.violations.len() < VIOLATIONS_MAX {
            self.report.violations.push(words());
        }
    }

    /// Books `checks` applications in place of those booked so far.
    pub(super) fn set_checks(&mut self, checks: u64) {
        self.report.checks = checks;
    }

    /// Returns the verdict.
    pub(crate) fn report(&self) -> CheckerReport {
        self.report.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_law_keeps_few_words_of_many_violations() {
        let mut law = Law::new("x");
        for _ in 0..100 {
            law.check(false, || "broken".into());
        }
        assert_eq!((law.report().checks, law.report().violations.len()), (100, VIOLATIONS_MAX));
    }
}

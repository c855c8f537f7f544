//! The independent ledger of starts at the start-subchannel boundary.

use halftrack_base::Time;
use halftrack_record::CheckerReport;

use super::law::Law;

/// Time of no start: no I/O starts at the end of time.
const NOT_OPEN: Time = Time::MAX;

/// The ledger by which every start ends exactly once.
#[derive(Debug, Clone)]
pub(crate) struct Ledger {
    /// When each open I/O was started, by the ledger's own clock; [`NOT_OPEN`] for the others.
    open: Vec<Time>,
    law: Law,
    starts: u64,
    ends: u64,
}

impl Default for Ledger {
    fn default() -> Self {
        Self { open: Vec::new(), law: Law::new("every start ends exactly once"), starts: 0, ends: 0 }
    }
}

impl Ledger {
    /// Books a START SUBCHANNEL of the I/O in slot `io`.
    #[inline(always)]
    pub(crate) fn start(&mut self, io: u32, now: Time) {
        self.starts += 1;
        let slot = io as usize;
        match self.open.get_mut(slot) {
            Some(open) => {
                if std::mem::replace(open, now) != NOT_OPEN {
                    self.law.broken(|| format!("I/O {io} was started again before it had ended"));
                }
            }
            None => self.start_in_new_slot(slot, now),
        }
    }

    #[cold]
    #[inline(never)]
    fn start_in_new_slot(&mut self, slot: usize, now: Time) {
        self.open.resize(slot + 1, NOT_OPEN);
        self.open[slot] = now;
    }

    /// Books the end of `io`. Returns when it was started.
    #[inline(always)]
    pub(crate) fn end(&mut self, io: u32) -> Option<Time> {
        self.ends += 1;
        let open = self.open.get_mut(io as usize).map(|open| std::mem::replace(open, NOT_OPEN));
        let started = open.filter(|open| *open != NOT_OPEN);
        if started.is_none() {
            self.law.broken(|| format!("I/O {io} ended without being started"));
        }
        started
    }

    /// Returns the number of ends so far.
    pub(crate) fn ends(&self) -> u64 {
        self.ends
    }

    /// Returns the verdict, with the balance of starts, ends and what is still open.
    pub(crate) fn report(&mut self) -> CheckerReport {
        let open = self.open.iter().filter(|open| **open != NOT_OPEN).count() as u64;
        let (starts, ends) = (self.starts, self.ends);
        // Each start and each end was checked when it came.
        self.law.set_checks(starts + ends);
        self.law.check(starts == ends + open, || {
            format!("{starts} starts, {ends} ends and {open} open do not balance")
        });
        self.law.report()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ledger_sees_a_double_ending_and_a_double_start() {
        let mut ledger = Ledger::default();
        ledger.start(3, Time::ZERO);
        ledger.end(3);
        assert!(ledger.report().violations.is_empty());
        ledger.end(3);
        assert_eq!(ledger.law.report().violations.len(), 1);
        ledger.start(1, Time::ZERO);
        ledger.start(1, Time::ZERO);
        assert_eq!(ledger.law.report().violations.len(), 2);
    }
}

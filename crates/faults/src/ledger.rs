//! The ledger at the boundary of Start Subchannel: every I/O that was started ends once, by status or by a defined error.
//! It counts what it is shown and shares nothing with the code that it watches.

/// State of one I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Entry {
    Open,
    Ended,
}

/// Every I/O of a run.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    /// By number.
    entries: Vec<Option<Entry>>,
    started: u64,
    open: u64,
    ended_twice: u64,
    failed: u64,
}

impl Ledger {
    /// Notes the start of an I/O. A number that was started before counts as ended twice: two I/Os share its end.
    pub fn started(&mut self, io: u64) {
        let place = io as usize;
        if self.entries.len() <= place {
            self.entries.resize(place + 1, None);
        }
        if self.entries[place].replace(Entry::Open).is_some() {
            self.ended_twice += 1;
        } else {
            self.started += 1;
            self.open += 1;
        }
    }

    /// Notes the end of an I/O, normal or with an error. An end without a start counts as a second end.
    pub fn ended(&mut self, io: u64, is_normal: bool) {
        match self.entries.get_mut(io as usize) {
            Some(entry @ Some(Entry::Open)) => {
                *entry = Some(Entry::Ended);
                self.open -= 1;
                self.failed += u64::from(!is_normal);
            }
            Some(Some(Entry::Ended) | None) | None => self.ended_twice += 1,
        }
    }

    /// Returns the I/Os started.
    #[must_use]
    pub fn ios(&self) -> u64 {
        self.started
    }

    /// Returns the I/Os that have not ended: when nothing happens any more, those that never will.
    #[must_use]
    pub fn open(&self) -> u64 {
        self.open
    }

    /// Returns the ends that came for an I/O that had ended, or was never started.
    #[must_use]
    pub fn ended_twice(&self) -> u64 {
        self.ended_twice
    }

    /// Returns the I/Os that ended with an error.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.failed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_start_ends_once() {
        let mut ledger = Ledger::default();
        (0..3).for_each(|io| ledger.started(io));
        ledger.ended(1, true);
        ledger.ended(0, false);
        ledger.ended(2, true);
        assert_eq!((ledger.ios(), ledger.open(), ledger.ended_twice(), ledger.failed()), (3, 0, 0, 1));
    }

    #[test]
    fn a_second_end_is_counted() {
        let mut ledger = Ledger::default();
        ledger.started(0);
        ledger.ended(0, true);
        ledger.ended(0, true);
        ledger.ended(7, true);
        assert_eq!((ledger.ended_twice(), ledger.open()), (2, 0));
    }

    #[test]
    fn an_end_that_is_lost_stays_open() {
        let mut ledger = Ledger::default();
        (0..2).for_each(|io| ledger.started(io));
        ledger.ended(1, true);
        assert_eq!((ledger.open(), ledger.ended_twice()), (1, 0));
    }

    #[test]
    fn two_starts_of_one_number_are_counted() {
        let mut ledger = Ledger::default();
        ledger.started(4);
        ledger.started(4);
        assert_eq!(ledger.ended_twice(), 1);
    }
}

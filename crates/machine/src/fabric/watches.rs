//! Timers of the few exchanges, or starts, that have lost a frame.
//!
//! No other has one: an exchange on its plan cannot wait in vain. Each timer has one event under way; an event that the
//! timer has overtaken means nothing.

use std::collections::BTreeMap;

use halftrack_base::Time;

/// Timers by slot.
#[derive(Debug, Default)]
pub(crate) struct Watches {
    due: BTreeMap<u32, Time>,
}

impl Watches {
    /// Sets the timer of `slot` to `at`, unless it is due before. Returns the instant of the event that is to be scheduled
    /// for it, if one is.
    pub(crate) fn set(&mut self, slot: u32, at: Time) -> Option<Time> {
        if self.due.get(&slot).is_some_and(|due| *due <= at) {
            return None;
        }
        self.due.insert(slot, at);
        Some(at)
    }

    /// Takes the timer of `slot`, of which an event has come at `now`. Returns false for one that was overtaken.
    pub(crate) fn take(&mut self, slot: u32, now: Time) -> bool {
        let is_due = self.due.get(&slot) == Some(&now);
        if is_due {
            self.due.remove(&slot);
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use halftrack_base::Span;

    use super::*;

    #[test]
    fn an_event_that_an_earlier_one_has_overtaken_means_nothing() {
        let at = |us| Time::ZERO + Span::from_us(us);
        let mut watches = Watches::default();
        assert_eq!(watches.set(3, at(9)), Some(at(9)));
        assert_eq!(watches.set(3, at(10)), None);
        assert_eq!(watches.set(3, at(5)), Some(at(5)));
        assert!(watches.take(3, at(5)));
        assert!(!watches.take(3, at(9)));
    }
}

//! Threshold of the bit-error rate of a link (FC-FS): error bursts within a window.
//!
//! A burst is whatever is damaged within one interval. Here a damaged frame counts, by its CRC: a transport that carries
//! whole octets has no transmission words.

use std::collections::VecDeque;

use halftrack_base::{Span, Time};

/// Interval of one burst.
const BURST: Span = Span::from_ms(1500);
/// Window within which bursts count.
const WINDOW: Span = Span::from_s(300);
/// Bursts within a window that are an incident.
const BURSTS_MAX: usize = 15;

/// Error bursts of a link.
#[derive(Debug, Default)]
pub(crate) struct BitErrorThreshold {
    /// Damaged frames counted so far.
    damaged: u64,
    /// When the bursts of the window began.
    bursts: VecDeque<Time>,
}

impl BitErrorThreshold {
    /// Takes the number of damaged frames of the link so far; true when the threshold is reached. It is counted from
    /// nothing then.
    #[inline]
    pub(crate) fn take_damaged(&mut self, now: Time, damaged: u64) -> bool {
        if damaged == self.damaged {
            return false;
        }
        // A new link of the port counts from nothing.
        let is_more = damaged > self.damaged;
        self.damaged = damaged;
        is_more && self.add_burst(now)
    }

    fn add_burst(&mut self, now: Time) -> bool {
        if self.bursts.back().is_some_and(|last| now < last.saturating_add(BURST)) {
            return false;
        }
        while self.bursts.pop_front_if(|first| first.saturating_add(WINDOW) <= now).is_some() {}
        self.bursts.push_back(now);
        let is_reached = self.bursts.len() >= BURSTS_MAX;
        if is_reached {
            self.bursts.clear();
        }
        is_reached
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns how often the threshold is reached by one damaged frame each step.
    fn reached(step: Span, frames: u64) -> usize {
        let mut threshold = BitErrorThreshold::default();
        let mut now = Time::ZERO;
        let step = |damaged| {
            now = now.saturating_add(step);
            threshold.take_damaged(now, damaged)
        };
        (1..=frames).map(step).filter(|is_reached| *is_reached).count()
    }

    #[test]
    fn bursts_within_the_window_are_an_incident() {
        assert_eq!(reached(Span::from_s(2), 14), 0);
        assert_eq!(reached(Span::from_s(2), 15), 1);
        assert_eq!(reached(Span::from_s(2), 45), 3);
    }

    #[test]
    fn errors_of_one_burst_count_once_and_old_ones_no_more() {
        assert_eq!(reached(Span::from_ms(1), 1000), 0);
        assert_eq!(reached(Span::from_s(25), 1000), 0);
    }

    #[test]
    fn a_new_link_of_the_port_is_no_error() {
        let mut threshold = BitErrorThreshold::default();
        assert!(!threshold.take_damaged(Time::ZERO, 5) && !threshold.take_damaged(Time::ZERO, 0));
        assert_eq!(threshold.bursts.len(), 1);
    }
}

//! Routes: the inter-switch link for the frames of a source and a destination, and its change without reordering of
//! frames.
//!
//! ```text
//! a link failed ─► the other switch is notified to take nothing more from it ─────┐
//! a link came  ─► each other link sends its old frames, then a mark ──────────┴─ acknowledged ─► new routes are used
//!                                                      └─ not in time: what waits for the old route is dropped ─┘
//! ```
//!
//! New frames wait meanwhile. The mark is an RSCN without entries; our choice.

use std::collections::BTreeSet;

use halftrack_base::{Span, Time};
use halftrack_wire::timers::HOLD_TIME_US;

/// How long old routes are waited for: half the hold time, so that who waits for them has time left. Our choice.
pub(crate) const DRAIN_TIME: Span = Span::from_us(HOLD_TIME_US / 2);

/// Old routes that may have frames on their way.
#[derive(Debug)]
struct Drain {
    until: Time,
    /// The links that they led over.
    over: BTreeSet<usize>,
}

/// The links to a domain.
#[derive(Debug, Default)]
pub(crate) struct Routes {
    links: Vec<usize>,
    drain: Option<Drain>,
}

impl Routes {
    /// Returns the links that carry frames.
    pub(crate) fn links(&self) -> &[usize] {
        &self.links
    }

    /// Returns the link for the frames of a source and a destination. When a link comes or goes, only those move whose link it is.
    #[inline]
    pub(crate) fn link_of(&self, pair: u32) -> Option<usize> {
        match self.links[..] {
            [] => None,
            [link] => Some(link),
            _ => self.links.iter().copied().max_by_key(|&link| weight(pair, link)),
        }
    }

    /// Adds a link to the routes.
    pub(crate) fn add(&mut self, now: Time, link: usize) {
        let before = self.links.clone();
        self.links.push(link);
        self.begin_drain(now, before);
    }

    /// Removes a link from the routes. With other links left, they get its traffic once the other switch takes
    /// nothing more from this one.
    pub(crate) fn remove(&mut self, now: Time, link: usize) {
        self.links.retain(|known| *known != link);
        self.end_drain(link);
        if self.links.is_empty() {
            self.drain = None;
        } else {
            self.begin_drain(now, vec![link]);
        }
    }

    fn begin_drain(&mut self, now: Time, over: Vec<usize>) {
        if !over.is_empty() {
            let until = now.saturating_add(DRAIN_TIME);
            let drain = self.drain.get_or_insert(Drain { until, over: BTreeSet::new() });
            drain.until = until;
            drain.over.extend(over);
        }
    }

    /// Returns whether new frames wait.
    #[inline]
    pub(crate) fn is_draining(&self) -> bool {
        self.drain.is_some()
    }

    /// Returns whether frames of old routes may be on their way over the link.
    pub(crate) fn drains(&self, link: usize) -> bool {
        self.drain.as_ref().is_some_and(|drain| drain.over.contains(&link))
    }

    /// Ends the drain of a link: no frame of an old route is on its way over it any more.
    pub(crate) fn end_drain(&mut self, link: usize) {
        if let Some(drain) = &mut self.drain {
            drain.over.remove(&link);
        }
        self.drain.take_if(|drain| drain.over.is_empty());
    }

    pub(crate) fn poll_timeout(&self) -> Option<Time> {
        self.drain.as_ref().map(|drain| drain.until)
    }

    /// Returns the links of old routes that were waited for long enough.
    pub(crate) fn give_up(&mut self, now: Time) -> BTreeSet<usize> {
        self.drain.take_if(|drain| drain.until <= now).map(|drain| drain.over).unwrap_or_default()
    }
}

/// Returns what a link is worth to a source and a destination: as good as random, and always the same.
#[inline]
fn weight(pair: u32, link: usize) -> u64 {
    let mixed = (u64::from(pair) << 16 | link as u64).wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO.saturating_add(Span::from_ms(ms))
    }

    #[test]
    fn only_those_move_whose_link_goes_or_that_a_new_one_takes() {
        let mut routes = Routes::default();
        (0..4).for_each(|link| routes.add(at(0), link));
        let of =
            |routes: &Routes| (0..4096).map(|pair| routes.link_of(pair << 8).unwrap()).collect::<Vec<_>>();
        let before = of(&routes);
        for link in 0..4 {
            let share = before.iter().filter(|known| **known == link).count();
            assert!((900..1150).contains(&share), "link {link} has {share} of 4096");
        }
        routes.remove(at(0), 2);
        let after = of(&routes);
        assert!(before.iter().zip(&after).all(|(before, after)| *before == 2 || before == after));
        routes.add(at(0), 2);
        assert_eq!(of(&routes), before);
    }

    #[test]
    fn new_frames_wait_until_all_old_routes_are_empty() {
        let mut routes = Routes::default();
        routes.add(at(0), 7);
        assert!(!routes.is_draining(), "there was no route before");
        routes.add(at(1), 8);
        assert!(routes.is_draining() && routes.drains(7) && !routes.drains(8));
        routes.remove(at(2), 7);
        assert!(routes.drains(7), "what was sent over it may still come");
        routes.end_drain(7);
        assert!(!routes.is_draining());
        routes.add(at(3), 7);
        assert_eq!((routes.give_up(at(252)), routes.is_draining()), (BTreeSet::new(), true));
        assert_eq!((routes.give_up(at(253)), routes.is_draining()), (BTreeSet::from([8]), false));
        routes.remove(at(300), 8);
        routes.remove(at(300), 7);
        assert!(!routes.is_draining() && routes.link_of(1).is_none());
    }
}

//! Routes: the inter-switch links for the frames to a domain, and their change without reordering of frames.
//!
//! ```text
//! a link failed ─► its other end takes nothing more from it, which its link state record shows ─┐
//! routes change ─► each old link that is up sends its old frames, then a mark ─────────────┴─ acknowledged ─► new routes are used
//!                                                      └─ not in time: what waits for the old route is dropped ─┘
//! ```
//!
//! New frames wait meanwhile. A switch on the way acknowledges a mark when its own marks behind the frames for the domain
//! are acknowledged, so that an acknowledgement means the whole way (a [`Wave`]).

use std::collections::{BTreeSet, VecDeque};

use halftrack_base::{Span, Time};
use halftrack_wire::FcHeader;
use halftrack_wire::timers::HOLD_TIME_US;

/// How long old routes are waited for: half the hold time, so that who waits for them has time left. Our choice.
pub(crate) const DRAIN_TIME: Span = Span::from_us(HOLD_TIME_US / 2);
/// Most marks of neighbours that wait for their acknowledgement: one for each inter-switch link.
const ASKERS_MAX: usize = 256;

/// Old routes that may have frames on their way.
#[derive(Debug)]
struct Drain {
    until: Time,
    /// The links that they led over.
    over: BTreeSet<usize>,
}

/// A mark of a neighbour that is to be acknowledged: the port over which it came, and its heading.
pub(crate) type Asker = (usize, FcHeader);

/// Marks behind the frames of a neighbour that sent one.
#[derive(Debug)]
struct Wave {
    until: Time,
    over: BTreeSet<usize>,
    asker: Asker,
}

/// The routes to a domain.
#[derive(Debug)]
pub(crate) struct Routes {
    /// Inter-switch links on the way.
    pub(crate) hops: u8,
    links: Vec<usize>,
    drain: Option<Drain>,
    wave: Option<Wave>,
    /// Marks that the next waves are for.
    askers: VecDeque<Asker>,
}

impl Routes {
    /// Returns the routes to a domain to which there were none.
    pub(crate) const fn new(hops: u8, links: Vec<usize>) -> Self {
        Self { hops, links, drain: None, wave: None, askers: VecDeque::new() }
    }

    /// Returns the links that carry frames.
    pub(crate) fn links(&self) -> &[usize] {
        &self.links
    }

    /// Returns the link for the frames of a source and a destination. When a link comes or goes, only those move whose link it is.
    #[inline]
    pub(crate) fn link_of(&self, pair: u32) -> Option<usize> {
        match self.links[..] {
            [link] => Some(link),
            _ => self.link_among(pair, |_| true),
        }
    }

    /// Returns the link for the frames of a source and a destination among those that are usable for them.
    pub(crate) fn link_among(&self, pair: u32, is_usable: impl Fn(usize) -> bool) -> Option<usize> {
        let usable = self.links.iter().copied().filter(|&link| is_usable(link));
        usable.max_by_key(|&link| weight(pair, link))
    }

    /// Changes the routes. Where frames of a source and a destination may change their link, returns the old links
    /// behind whose frames marks are due.
    pub(crate) fn change(&mut self, now: Time, hops: u8, links: Vec<usize>) -> Vec<usize> {
        self.hops = hops;
        if links == self.links {
            return Vec::new();
        }
        let has_new = links.iter().any(|link| !self.links.contains(link));
        let mut over = std::mem::replace(&mut self.links, links);
        if !has_new {
            over.retain(|link| !self.links.contains(link));
        }
        let until = now.saturating_add(DRAIN_TIME);
        let drain = self.drain.get_or_insert(Drain { until, over: BTreeSet::new() });
        drain.until = until;
        drain.over.extend(&over);
        over
    }

    /// Returns whether new frames wait.
    #[inline]
    pub(crate) fn is_draining(&self) -> bool {
        self.drain.is_some()
    }

    /// Returns whether frames of old routes may be on their way over the link.
    #[cfg(test)]
    pub(crate) fn drains(&self, link: usize) -> bool {
        self.drain.as_ref().is_some_and(|drain| drain.over.contains(&link))
    }

    /// Ends the drain of a link: no frame of an old route is on its way over it any more. Returns true when new routes
    /// are used from now on.
    pub(crate) fn end_drain(&mut self, link: usize) -> bool {
        if let Some(drain) = &mut self.drain {
            drain.over.remove(&link);
        }
        self.drain.take_if(|drain| drain.over.is_empty()).is_some()
    }

    pub(crate) fn poll_timeout(&self) -> Option<Time> {
        let wave = self.wave.as_ref().map(|wave| wave.until);
        self.drain.as_ref().map(|drain| drain.until).into_iter().chain(wave).min()
    }

    /// Returns the links of old routes that were waited for long enough.
    pub(crate) fn give_up(&mut self, now: Time) -> BTreeSet<usize> {
        self.drain.take_if(|drain| drain.until <= now).map(|drain| drain.over).unwrap_or_default()
    }

    /// Adds the mark of a neighbour to the waves to come.
    pub(crate) fn add_asker(&mut self, asker: Asker) {
        if self.askers.len() < ASKERS_MAX {
            self.askers.push_back(asker);
        }
    }

    /// Returns the port of the mark whose wave is due.
    pub(crate) fn due_wave(&self) -> Option<usize> {
        let is_free = self.wave.is_none() && !self.is_draining();
        self.askers.front().filter(|_| is_free).map(|(port, _)| *port)
    }

    /// Begins the wave that is due with marks over these links; without any it has ended, and its mark is to be
    /// acknowledged.
    pub(crate) fn begin_wave(&mut self, now: Time, over: &[usize]) -> Option<Asker> {
        let asker = self.askers.pop_front()?;
        if over.is_empty() {
            return Some(asker);
        }
        let until = now.saturating_add(DRAIN_TIME);
        self.wave = Some(Wave { until, over: over.iter().copied().collect(), asker });
        None
    }

    /// Ends a link's part of the wave; returns the mark to be acknowledged when it was the last.
    pub(crate) fn end_wave(&mut self, link: usize) -> Option<Asker> {
        if let Some(wave) = &mut self.wave {
            wave.over.remove(&link);
        }
        self.wave.take_if(|wave| wave.over.is_empty()).map(|wave| wave.asker)
    }

    /// Returns the mark of a wave that has taken too long. Who sent it waits no longer either.
    pub(crate) fn give_up_wave(&mut self, now: Time) -> Option<Asker> {
        self.wave.take_if(|wave| wave.until <= now).map(|wave| wave.asker)
    }

    /// Returns all marks that are to be acknowledged: there are no routes any more.
    pub(crate) fn into_askers(self) -> impl Iterator<Item = Asker> {
        self.wave.map(|wave| wave.asker).into_iter().chain(self.askers)
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
        let mut routes = Routes::new(1, vec![0, 1, 2, 3]);
        let of =
            |routes: &Routes| (0..4096).map(|pair| routes.link_of(pair << 8).unwrap()).collect::<Vec<_>>();
        let before = of(&routes);
        for link in 0..4 {
            let share = before.iter().filter(|known| **known == link).count();
            assert!((900..1150).contains(&share), "link {link} has {share} of 4096");
        }
        assert_eq!(routes.change(at(0), 1, vec![0, 1, 3]), [2]);
        let after = of(&routes);
        assert!(before.iter().zip(&after).all(|(before, after)| *before == 2 || before == after));
        assert_eq!(routes.change(at(0), 1, vec![0, 1, 2, 3]), [0, 1, 3]);
        assert_eq!(of(&routes), before);
    }

    #[test]
    fn new_frames_wait_until_all_old_routes_are_empty() {
        let mut routes = Routes::new(1, vec![7]);
        assert!(!routes.is_draining(), "there was no route before");
        routes.change(at(1), 1, vec![7, 8]);
        assert!(routes.is_draining() && routes.drains(7) && !routes.drains(8));
        routes.change(at(2), 1, vec![8]);
        assert!(routes.drains(7), "what was sent over it may still come");
        assert!(routes.end_drain(7) && !routes.is_draining());
        routes.change(at(3), 1, vec![7, 8]);
        assert_eq!((routes.give_up(at(252)), routes.is_draining()), (BTreeSet::new(), true));
        assert_eq!((routes.give_up(at(253)), routes.is_draining()), (BTreeSet::from([8]), false));
    }

    #[test]
    fn a_wave_begins_when_the_routes_are_settled_and_ends_with_its_last_link() {
        let mut routes = Routes::new(2, vec![7]);
        routes.change(at(1), 2, vec![7, 8]);
        routes.add_asker((3, FcHeader::default()));
        assert_eq!(routes.due_wave(), None, "frames wait that the mark is behind");
        routes.end_drain(7);
        assert_eq!(routes.due_wave(), Some(3));
        assert!(routes.begin_wave(at(2), &[7, 8]).is_none());
        routes.add_asker((4, FcHeader::default()));
        assert!(routes.due_wave().is_none() && routes.end_wave(7).is_none());
        assert_eq!(routes.end_wave(8).map(|(port, _)| port), Some(3));
        assert!(routes.begin_wave(at(3), &[7]).is_none());
        assert_eq!(
            (routes.give_up_wave(at(252)).is_some(), routes.give_up_wave(at(253)).is_some()),
            (false, true)
        );
        routes.add_asker((5, FcHeader::default()));
        assert_eq!(
            routes.begin_wave(at(300), &[]).map(|(port, _)| port),
            Some(5),
            "there is nothing before it"
        );
    }
}

//! Bases and HyperPAV aliases: one I/O at a time each; whoever finds none free waits (IOSQ).
//!
//! A base that comes free serves the oldest request for its own device; an alias serves the oldest request of
//! the logical control unit whatever its device.

use std::collections::VecDeque;

use halftrack_config::Configuration;
use halftrack_engine::SimTime;
use halftrack_subsystem::PathGroup;

use super::io::{Io, NONE};
use crate::accounting::Components;
use crate::slab::Slab;

/// Sums over completed I/Os of one device, ps: a line of the cache, which only their ends touch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(align(64))]
pub(crate) struct DeviceSums {
    pub completed: u64,
    pub iosq: u64,
    pub pend: u64,
    pub cmr: u64,
    pub interrupt: u64,
    pub disc: u64,
    pub conn: u64,
}

impl DeviceSums {
    /// Adds an I/O that has ended.
    #[inline(always)]
    pub(crate) fn add(&mut self, parts: &Components) {
        self.completed += 1;
        self.iosq += parts.iosq.as_ps();
        self.pend += parts.pend.as_ps();
        self.cmr += parts.cmr.as_ps();
        self.disc += parts.disc.as_ps();
        self.conn += parts.conn.as_ps();
    }
}

/// A base device as one partition sees it: two lines of the cache, of which what is asked of it and given back by every
/// I/O fills one.
#[derive(Debug, Clone)]
#[repr(C, align(128))]
pub(crate) struct Ucb {
    since: SimTime,
    /// Integral of exposures in use, ps, up to `since`.
    pub exposures_ps: u64,
    /// Time with at least one exposure in use, ps, up to `since`.
    pub in_use_ps: u64,
    /// Its logical control unit in the same partition's eyes.
    pub view: u32,
    /// Device in the configuration.
    pub device: u32,
    /// First and last request that waits.
    waiting: (u32, u32),
    /// Entries of the view's queue that were served by the base meanwhile.
    stale: u32,
    exposures: u32,
    /// Its unit address.
    pub unit_address: u8,
    /// Channel-image id: the partition's MIF id.
    pub channel_image: u8,
    /// The base is in use.
    base_busy: bool,
    /// What its I/Os took in this interval.
    pub sums: DeviceSums,
}

const _: () = assert!(size_of::<Ucb>() == 128);

impl Ucb {
    /// `device` of `c` in the eyes of `lpar`.
    pub(crate) fn new(c: &Configuration, view: u32, lpar: u32, device: u32) -> Self {
        let unit_address = c.devices[device as usize].unit_address;
        Self::with_addresses(view, device, unit_address, c.lpars[lpar as usize].mif)
    }

    fn with_addresses(view: u32, device: u32, unit_address: u8, channel_image: u8) -> Self {
        Self {
            view,
            device,
            unit_address,
            channel_image,
            base_busy: false,
            waiting: (NONE, NONE),
            stale: 0,
            exposures: 0,
            since: SimTime::ZERO,
            exposures_ps: 0,
            in_use_ps: 0,
            sums: DeviceSums::default(),
        }
    }

    /// Brings the integrals up to `now`.
    #[inline]
    pub(crate) fn integrate(&mut self, now: SimTime) {
        let span = now.since(self.since).as_ps();
        self.exposures_ps += span * u64::from(self.exposures);
        self.in_use_ps += if self.exposures > 0 { span } else { 0 };
        self.since = now;
    }

    /// Puts `io` at the end of those that wait.
    fn wait(&mut self, io: u32, ios: &mut Slab<Io>) {
        ios[io].rare.next = NONE;
        match self.waiting.1 {
            NONE => self.waiting = (io, io),
            last => {
                ios[last].rare.next = io;
                self.waiting.1 = io;
            }
        }
    }

    #[inline]
    fn change(&mut self, now: SimTime, taken: bool) {
        self.integrate(now);
        self.exposures = if taken { self.exposures + 1 } else { self.exposures - 1 };
    }
}

/// What one path of a view carried in this interval.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PathSums {
    pub taken: u64,
    pub cmr_ps: u64,
}

/// How often and for how long one path of a view was answered busy in this interval.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PathBusySums {
    pub director_port_busy: u64,
    pub control_unit_busy: u64,
    pub control_unit_busy_ps: u64,
}

/// A logical control unit as one partition sees it: its path group and its aliases. What every I/O touches fills the
/// first line of the cache and one of the next two.
#[derive(Debug, Clone)]
#[repr(C, align(64))]
pub(crate) struct LcuView {
    /// Requests for a base or alias, and those that found none.
    pub requests: u64,
    pub alias_waits: u64,
    /// From START SUBCHANNEL to the first attempt, ps.
    pub css_delay_ps: u64,
    pub lpar: u32,
    pub lcu: u32,
    /// First of its paths among all paths.
    pub first_path: u32,
    aliases: u32,
    aliases_in_use: u32,
    /// The most aliases in use at once.
    pub aliases_in_use_max: u32,
    /// Paths and their rotation.
    pub group: PathGroup,
    /// What its paths carried.
    pub path_sums: [PathSums; 8],
    /// How they were busy.
    pub path_busy: [PathBusySums; 8],
    /// Starts put on the control-unit-header queue in this interval, the lengths found, and how many are on it.
    pub queued: u64,
    pub queue_sum: u64,
    waiting: u32,
    queue: VecDeque<u32>,
}

impl LcuView {
    pub(crate) fn new(lpar: u32, lcu: u32, group: PathGroup, first_path: u32, aliases: u32) -> Self {
        Self {
            lpar,
            lcu,
            group,
            first_path,
            path_sums: [PathSums::default(); 8],
            path_busy: [PathBusySums::default(); 8],
            queued: 0,
            queue_sum: 0,
            waiting: 0,
            css_delay_ps: 0,
            requests: 0,
            alias_waits: 0,
            aliases_in_use_max: 0,
            aliases,
            aliases_in_use: 0,
            queue: VecDeque::new(),
        }
    }

    /// True when aliases serve its bases.
    pub(crate) fn has_aliases(&self) -> bool {
        self.aliases > 0
    }

    /// A start is put on the control-unit-header queue.
    #[cold]
    pub(crate) fn enqueue(&mut self) {
        self.waiting += 1;
        self.queued += 1;
        self.queue_sum += u64::from(self.waiting);
    }

    /// A start has left the control-unit-header queue.
    #[cold]
    pub(crate) fn dequeue(&mut self) {
        self.waiting -= 1;
    }

    /// Begins a new interval.
    pub(crate) fn reset(&mut self) {
        self.path_sums = [PathSums::default(); 8];
        self.path_busy = [PathBusySums::default(); 8];
        (self.queued, self.queue_sum, self.css_delay_ps) = (0, 0, 0);
        (self.requests, self.alias_waits) = (0, 0);
        self.aliases_in_use_max = self.aliases_in_use;
    }
}

/// Asks for a base or alias for `io`. True when it has one; else it waits.
#[inline(always)]
pub(crate) fn request(
    now: SimTime,
    io: u32,
    ios: &mut Slab<Io>,
    ucbs: &mut [Ucb],
    views: &mut [LcuView],
) -> bool {
    let this = &mut ios[io];
    let ucb_index = this.ucb;
    let ucb = &mut ucbs[ucb_index as usize];
    let view = &mut views[ucb.view as usize];
    view.requests += 1;
    (this.view, this.unit_address, this.channel_image) = (ucb.view, ucb.unit_address, ucb.channel_image);
    this.alias = ucb.base_busy;
    if !ucb.base_busy {
        ucb.base_busy = true;
    } else if view.aliases_in_use < view.aliases {
        view.aliases_in_use += 1;
        view.aliases_in_use_max = view.aliases_in_use_max.max(view.aliases_in_use);
    } else {
        view.alias_waits += 1;
        if view.has_aliases() {
            view.queue.push_back(ucb_index);
        }
        ucb.wait(io, ios);
        return false;
    }
    ucb.change(now, true);
    true
}

/// Gives back what `io` had. The I/O that has waited for it, if any, gets it and is returned.
#[inline(always)]
pub(crate) fn release(
    now: SimTime,
    io: u32,
    ios: &mut Slab<Io>,
    ucbs: &mut [Ucb],
    views: &mut [LcuView],
) -> Option<u32> {
    let this = &ios[io];
    let ucb = &mut ucbs[this.ucb as usize];
    ucb.change(now, false);
    if !this.alias {
        let next = pop_waiting(ucb, ios);
        ucb.base_busy = next.is_some();
        if let Some(next) = next {
            ucb.stale += u32::from(views[ucb.view as usize].has_aliases());
            ios[next].alias = false;
            ucb.change(now, true);
        }
        return next;
    }
    let view = &mut views[ucb.view as usize];
    release_alias(now, view, ios, ucbs)
}

/// An alias of `view` is free: the oldest request of the logical control unit that still waits gets it.
#[inline(never)]
fn release_alias(now: SimTime, view: &mut LcuView, ios: &mut Slab<Io>, ucbs: &mut [Ucb]) -> Option<u32> {
    while let Some(waiting) = view.queue.pop_front() {
        let ucb = &mut ucbs[waiting as usize];
        if ucb.stale > 0 {
            ucb.stale -= 1;
            continue;
        }
        let next = pop_waiting(ucb, ios);
        debug_assert!(next.is_some(), "an entry that is not stale has a request behind it");
        if let Some(next) = next {
            ios[next].alias = true;
            ucb.change(now, true);
            return Some(next);
        }
    }
    view.aliases_in_use -= 1;
    None
}

fn pop_waiting(ucb: &mut Ucb, ios: &Slab<Io>) -> Option<u32> {
    let (first, last) = ucb.waiting;
    if first == NONE {
        return None;
    }
    ucb.waiting = if first == last { (NONE, NONE) } else { (ios[first].rare.next, last) };
    Some(first)
}

#[cfg(test)]
mod tests {
    use halftrack_engine::SimDuration;

    use super::*;

    fn at(us: u64) -> SimTime {
        SimTime::ZERO + SimDuration::from_us(us)
    }

    /// Two bases, `aliases` aliases and five I/Os: 0, 1, 2 for the first base, 3, 4 for the second.
    fn site(aliases: u32) -> (Slab<Io>, Vec<Ucb>, Vec<LcuView>) {
        let mut ios = Slab::with_capacity(5);
        for io in 0..5 {
            let slot = ios.take();
            ios[slot] = Io { ucb: u32::from(io >= 3), ..Io::default() };
        }
        let view = LcuView::new(0, 0, PathGroup::new(1), 0, aliases);
        (ios, vec![Ucb::with_addresses(0, 0, 0, 1), Ucb::with_addresses(0, 1, 1, 1)], vec![view])
    }

    #[test]
    fn without_aliases_requests_wait_for_their_own_base() {
        let (mut ios, mut ucbs, mut views) = site(0);
        assert!(request(at(0), 0, &mut ios, &mut ucbs, &mut views));
        assert!(!request(at(0), 1, &mut ios, &mut ucbs, &mut views));
        assert!(request(at(0), 3, &mut ios, &mut ucbs, &mut views));
        assert_eq!(release(at(5), 3, &mut ios, &mut ucbs, &mut views), None);
        assert_eq!(release(at(9), 0, &mut ios, &mut ucbs, &mut views), Some(1));
        assert_eq!(release(at(12), 1, &mut ios, &mut ucbs, &mut views), None);
        ucbs[0].integrate(at(20));
        assert_eq!(ucbs[0].in_use_ps, SimDuration::from_us(12).as_ps());
        assert_eq!((views[0].requests, views[0].alias_waits), (3, 1));
    }

    #[test]
    fn an_alias_serves_the_oldest_request_of_the_control_unit_and_skips_those_the_base_served() {
        let (mut ios, mut ucbs, mut views) = site(1);
        assert!(request(at(0), 0, &mut ios, &mut ucbs, &mut views));
        assert!(request(at(0), 1, &mut ios, &mut ucbs, &mut views));
        assert!(ios[1].alias);
        assert!(!request(at(0), 2, &mut ios, &mut ucbs, &mut views));
        assert!(request(at(1), 3, &mut ios, &mut ucbs, &mut views));
        assert!(!request(at(1), 4, &mut ios, &mut ucbs, &mut views));
        // The base of the first device serves I/O 2; the alias then passes over its stale entry to I/O 4.
        assert_eq!(release(at(2), 0, &mut ios, &mut ucbs, &mut views), Some(2));
        assert_eq!(release(at(3), 1, &mut ios, &mut ucbs, &mut views), Some(4));
        assert_eq!(views[0].aliases_in_use, 1);
        assert_eq!(release(at(4), 4, &mut ios, &mut ucbs, &mut views), None);
        assert_eq!((views[0].aliases_in_use, views[0].aliases_in_use_max), (0, 1));
    }
}

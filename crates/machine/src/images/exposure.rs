//! Bases and HyperPAV aliases: one I/O at a time each; an I/O that finds none free waits (IOSQ).
//!
//! A base that comes free serves the oldest request for its own device; an alias serves the oldest request of
//! the logical control unit whatever its device.
//!
//! A machine has tens of thousands of unit control blocks and each I/O is for another. The fields that every request needs
//! are apart from the sums, which ends alone touch, and from the queue, which few have.

use std::collections::VecDeque;

use halftrack_base::{Span, Time};
use halftrack_config::Configuration;
use halftrack_engine::{Histogram, Shortage};

use super::io_request::{IoRequest, NONE};
use crate::events::slab::Slab;
use crate::images::accounting::Components;

/// The base is in use, and requests wait for it, beside the number of exposures in use.
const BASE: u16 = 1 << 15;
const WAITED_FOR: u16 = 1 << 14;
const EXPOSURES: u16 = WAITED_FOR - 1;

/// The part of a device that every request reads: four to a line of the cache.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ucb {
    /// Instants at which the last of its exposures in use came free, less those at which the first was taken, in this
    /// interval, ps, modulo 2^64.
    in_use_ps: u64,
    /// Its logical control unit in the same partition's eyes.
    pub view: u32,
    /// Exposures in use, with [`BASE`] and [`WAITED_FOR`].
    state: u16,
    /// Its unit address.
    unit_address: u8,
    /// Channel-image id: the partition's MIF id.
    channel_image: u8,
}

const _: () = assert!(size_of::<Ucb>() == 16);

impl Ucb {
    #[inline(always)]
    fn take(&mut self, now: Time) {
        if self.state & EXPOSURES == 0 {
            self.in_use_ps = self.in_use_ps.wrapping_sub(now.as_ps());
        }
        self.state += 1;
    }

    #[inline(always)]
    fn give(&mut self, now: Time) {
        self.state -= 1;
        if self.state & EXPOSURES == 0 {
            self.in_use_ps = self.in_use_ps.wrapping_add(now.as_ps());
        }
    }

    /// Collects the time with an exposure in use in the interval that ends at `now`, ps, and begins the next.
    fn collect_in_use(&mut self, now: Time) -> u64 {
        let open = if self.state & EXPOSURES == 0 { 0 } else { now.as_ps() };
        let in_use = self.in_use_ps.wrapping_add(open);
        self.in_use_ps = 0_u64.wrapping_sub(open);
        in_use
    }
}

/// Requests that wait for a base.
#[derive(Debug, Clone, Copy)]
struct BaseQueue {
    first: u32,
    last: u32,
    /// Entries of the pool's queue that were served by the base meanwhile.
    stale: u32,
    /// Time that an I/O waited.
    short: Shortage,
}

impl BaseQueue {
    /// Makes a queue in which nothing waits.
    fn empty() -> Self {
        Self { first: NONE, last: NONE, stale: 0, short: Shortage::default() }
    }

    /// Puts `io` at the end.
    fn push(&mut self, io: u32, requests: &mut Slab<IoRequest>) {
        requests[io].next = NONE;
        match self.last {
            NONE => self.first = io,
            last => requests[last].next = io,
        }
        self.last = io;
    }

    fn pop(&mut self, requests: &Slab<IoRequest>) -> Option<u32> {
        let first = self.first;
        if first == NONE {
            return None;
        }
        (self.first, self.last) =
            if first == self.last { (NONE, NONE) } else { (requests[first].next, self.last) };
        Some(first)
    }
}

/// Sums over the I/Os of one device in an interval, ps: a line of the cache.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(align(64))]
pub(super) struct DeviceSums {
    pub completed: u64,
    pub iosq: u64,
    pub pend: u64,
    pub cmr: u64,
    pub interrupt: u64,
    pub disc: u64,
    pub conn: u64,
    /// Integral of exposures in use.
    pub exposures: u64,
}

impl DeviceSums {
    /// Adds an I/O that has ended.
    #[inline(always)]
    pub(super) fn add(&mut self, parts: &Components) {
        self.completed += 1;
        self.iosq += parts.iosq.as_ps();
        self.pend += parts.pend.as_ps();
        self.cmr += parts.cmr.as_ps();
        self.disc += parts.disc.as_ps();
        self.conn += parts.conn.as_ps();
    }
}

/// The aliases of a logical control unit for one partition, and what its I/Os took of its paths.
#[derive(Debug, Clone)]
#[repr(C, align(64))]
pub(super) struct AliasPool {
    /// Requests for a base or alias, and those that found none.
    pub requests: u64,
    pub alias_waits: u64,
    pub lpar: u32,
    pub lcu: u32,
    aliases: u32,
    in_use: u32,
    /// Requests of one device that may be open at once, where they are SCSI commands; 0 where devices have a base.
    depth: u16,
    /// The most in use at once.
    pub in_use_max: u32,
    queue: VecDeque<u32>,
    /// Requests that wait for a base or alias, and the time that any did while all aliases were in use.
    waiting: u32,
    short: Shortage,
    /// Command-response time by path, ps.
    pub cmr_ps: [u64; 8],
    pub response_times: Histogram,
}

impl AliasPool {
    fn new(lpar: u32, lcu: u32, (aliases, depth): (u32, u16)) -> Self {
        Self {
            requests: 0,
            alias_waits: 0,
            lpar,
            lcu,
            aliases,
            in_use: 0,
            depth,
            in_use_max: 0,
            queue: VecDeque::new(),
            waiting: 0,
            short: Shortage::default(),
            cmr_ps: [0; 8],
            response_times: Histogram::default(),
        }
    }

    /// Returns the number of aliases.
    pub(super) fn aliases(&self) -> u32 {
        self.aliases
    }

    /// Returns true when aliases serve its bases.
    pub(super) fn has_aliases(&self) -> bool {
        self.aliases > 0 && self.depth == 0
    }

    /// Returns true when so many commands are open at a logical unit as it may have.
    #[inline(always)]
    fn is_full(&self, unit: &Ucb) -> bool {
        self.depth > 0 && unit.state & EXPOSURES >= self.depth
    }

    /// Begins a new interval.
    pub(super) fn reset(&mut self) {
        (self.requests, self.alias_waits) = (0, 0);
        self.in_use_max = self.in_use;
        self.cmr_ps = [0; 8];
    }
}

/// The unit control blocks of all partitions, and the aliases.
#[derive(Debug, Default)]
pub(super) struct Exposures {
    pub ucbs: Vec<Ucb>,
    queues: Vec<BaseQueue>,
    /// Times of its I/Os in this interval, by unit control block.
    pub sums: Vec<DeviceSums>,
    /// Device in the configuration, by unit control block.
    pub devices: Vec<u32>,
    /// By view.
    pub pools: Vec<AliasPool>,
}

impl Exposures {
    /// Adds what `lpar` sees of `lcu`: its number.
    pub(super) fn add_view(&mut self, c: &Configuration, lpar: u32, lcu: u32) -> u32 {
        let hyperpav = c.lpars[lpar as usize].hyperpav;
        let lcu_of = &c.lcus[lcu as usize];
        let depth = lcu_of.luns.as_ref().map_or(0, |luns| luns.queue_depth);
        let aliases = if hyperpav || depth > 0 { lcu_of.aliases } else { 0 };
        self.pools.push(AliasPool::new(lpar, lcu, (aliases, depth)));
        self.pools.len() as u32 - 1
    }

    /// Adds the unit control block of `device` for `lpar`, which sees its control unit as `view`: its number.
    pub(super) fn add_ucb(&mut self, c: &Configuration, view: u32, lpar: u32, device: u32) -> u32 {
        let unit_address = c.devices[device as usize].unit_address;
        self.add(view, device, unit_address, c.lpars[lpar as usize].mif)
    }

    fn add(&mut self, view: u32, device: u32, unit_address: u8, channel_image: u8) -> u32 {
        self.ucbs.push(Ucb { in_use_ps: 0, view, state: 0, unit_address, channel_image });
        self.queues.push(BaseQueue::empty());
        self.sums.push(DeviceSums::default());
        self.devices.push(device);
        self.ucbs.len() as u32 - 1
    }

    /// Asks for a base or alias for `io`. True when it has one; else it waits.
    #[inline(always)]
    pub(super) fn request(&mut self, now: Time, io: u32, requests: &mut Slab<IoRequest>) -> bool {
        let this = &mut requests[io];
        let ucb = &mut self.ucbs[this.ucb as usize];
        let pool = &mut self.pools[ucb.view as usize];
        pool.requests += 1;
        (this.view, this.unit_address, this.channel_image) = (ucb.view, ucb.unit_address, ucb.channel_image);
        this.by_queue = pool.depth > 0;
        this.alias = ucb.state & BASE != 0;
        if !this.alias {
            ucb.state |= BASE;
        } else if pool.in_use < pool.aliases && !pool.is_full(ucb) {
            pool.in_use += 1;
            pool.in_use_max = pool.in_use_max.max(pool.in_use);
        } else {
            self.wait(now, io, requests);
            return false;
        }
        this.hold(now);
        ucb.take(now);
        true
    }

    #[inline(never)]
    fn wait(&mut self, now: Time, io: u32, requests: &mut Slab<IoRequest>) {
        let index = requests[io].ucb;
        let ucb = &mut self.ucbs[index as usize];
        let pool = &mut self.pools[ucb.view as usize];
        pool.alias_waits += 1;
        if pool.has_aliases() {
            pool.queue.push_back(index);
            pool.waiting += 1;
            pool.short.begin(now);
        } else {
            self.queues[index as usize].short.begin(now);
        }
        ucb.state |= WAITED_FOR;
        self.queues[index as usize].push(io, requests);
    }

    /// Gives back what `io` had. The I/O that has waited for it, if any, gets it and is returned.
    #[inline(always)]
    pub(super) fn release(&mut self, now: Time, io: u32, requests: &mut Slab<IoRequest>) -> Option<u32> {
        let this = &mut requests[io];
        let (index, alias) = (this.ucb, this.alias);
        self.sums[index as usize].exposures += this.let_go(now);
        let ucb = &mut self.ucbs[index as usize];
        ucb.give(now);
        if !alias && ucb.state & WAITED_FOR == 0 {
            ucb.state &= !BASE;
            return None;
        }
        let next =
            if alias { self.pass_alias(now, index, requests) } else { self.pass_base(now, index, requests) }?;
        let waited = &mut requests[next];
        waited.alias = alias;
        waited.hold(now);
        self.ucbs[waited.ucb as usize].take(now);
        Some(next)
    }

    /// Gives the base of `index`, which is free, to the oldest request for it.
    #[inline(never)]
    fn pass_base(&mut self, now: Time, index: u32, requests: &Slab<IoRequest>) -> Option<u32> {
        let next = self.pop_waiting(now, index, requests);
        let ucb = &mut self.ucbs[index as usize];
        match next {
            None => ucb.state &= !BASE,
            Some(_) => {
                let stale = self.pools[ucb.view as usize].has_aliases();
                self.queues[index as usize].stale += u32::from(stale);
            }
        }
        next
    }

    /// Gives an alias of the view of `index`, which is free, to the oldest request of the logical control unit that still
    /// waits.
    #[inline(never)]
    fn pass_alias(&mut self, now: Time, index: u32, requests: &Slab<IoRequest>) -> Option<u32> {
        let view = self.ucbs[index as usize].view as usize;
        if self.pools[view].depth > 0 {
            let next = self.pop_waiting(now, index, requests);
            self.pools[view].in_use -= u32::from(next.is_none());
            return next;
        }
        while let Some(waiting) = self.pools[view].queue.pop_front() {
            let queue = &mut self.queues[waiting as usize];
            if queue.stale > 0 {
                queue.stale -= 1;
                continue;
            }
            let next = self.pop_waiting(now, waiting, requests);
            debug_assert!(next.is_some(), "an entry that is not stale has a request behind it");
            if next.is_some() {
                return next;
            }
        }
        self.pools[view].in_use -= 1;
        None
    }

    fn pop_waiting(&mut self, now: Time, index: u32, requests: &Slab<IoRequest>) -> Option<u32> {
        let queue = &mut self.queues[index as usize];
        let next = queue.pop(requests)?;
        let ucb = &mut self.ucbs[index as usize];
        if queue.first == NONE {
            ucb.state &= !WAITED_FOR;
            queue.short.end(now);
        }
        let pool = &mut self.pools[ucb.view as usize];
        if pool.has_aliases() {
            pool.waiting -= 1;
            pool.short.set(now, pool.waiting > 0);
        }
        Some(next)
    }

    /// Collects the pools whose aliases were all in use while an I/O waited, and for how long, since the last collection.
    pub(super) fn alias_shortages(&mut self, now: Time) -> impl Iterator<Item = (&AliasPool, Span)> {
        self.pools.iter_mut().filter_map(move |pool| {
            let short = pool.short.take(now);
            (!short.is_zero()).then_some((&*pool, short))
        })
    }

    /// Collects the bases without aliases that an I/O waited for, and for how long, since the last collection: view, device,
    /// time.
    pub(super) fn base_shortages(&mut self, now: Time) -> Vec<(u32, u32, Span)> {
        let each = self.queues.iter_mut().zip(&self.ucbs).zip(&self.devices);
        let short = each.map(|((queue, ucb), device)| (ucb.view, *device, queue.short.take(now)));
        short.filter(|(_, _, short)| !short.is_zero()).collect()
    }

    /// Books what the exposures in use have taken until `now`, where an interval ends.
    pub(super) fn book_open(&mut self, now: Time, requests: &mut Slab<IoRequest>) {
        for io in 0..requests.high_water() as u32 {
            let this = &mut requests[io];
            if this.holds {
                self.sums[this.ucb as usize].exposures += this.book(now);
            }
        }
    }

    /// Collects the sums of the unit control block `index`, and its time with an exposure in use, ps. The interval ends at
    /// `now`, and the next begins.
    pub(super) fn collect(&mut self, index: usize, now: Time) -> (DeviceSums, u64) {
        (std::mem::take(&mut self.sums[index]), self.ucbs[index].collect_in_use(now))
    }
}

impl IoRequest {
    /// Notes that it has its base or alias from `now` on.
    #[inline(always)]
    fn hold(&mut self, now: Time) {
        (self.granted, self.booked, self.holds) = (now, now, true);
    }

    /// Books the time that it has had it since it was last booked, ps.
    #[inline(always)]
    fn book(&mut self, now: Time) -> u64 {
        now.since(std::mem::replace(&mut self.booked, now)).as_ps()
    }

    /// Notes that it has it no longer. Returns the time that is left to book of it, ps.
    #[inline(always)]
    fn let_go(&mut self, now: Time) -> u64 {
        self.holds = false;
        now.since(self.booked).as_ps()
    }
}

#[cfg(test)]
mod tests;

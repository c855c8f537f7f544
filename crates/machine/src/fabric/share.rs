//! Limits that channels share on the way to memory, and host adapters on the way to the cache: cards, domains and fanouts, bays
//! and boxes, a tree of limits.

use std::ops::Range;

use halftrack_base::{ByteRate, Time};
use halftrack_config::Share;
use halftrack_engine::Fifo;

/// No share: the end of the way up.
const NONE: u32 = u32::MAX;

/// Every share, by index.
#[derive(Debug)]
pub(crate) struct Shares {
    levels: Vec<Level>,
    limits: Vec<Limit>,
    /// The limits on the ways up, one way after the other, and where those of each share are.
    passed: Vec<u32>,
    by_share: Vec<PassedLimits>,
}

/// One share: the limits that it has, and what its data go through next.
#[derive(Debug)]
struct Level {
    joint: Option<u32>,
    read: Option<u32>,
    write: Option<u32>,
    /// The share above it that carries its data now.
    upward: u32,
    parent: u32,
    standby: u32,
    /// How often it is lost at present.
    lost: u32,
}

/// Which of the limits passed are those of a share and of all above it now.
#[derive(Debug)]
struct PassedLimits {
    reads: Range<u32>,
    writes: Range<u32>,
}

/// One limit: a pipe that takes one chunk after the other. A line of the cache.
#[derive(Debug)]
#[repr(align(64))]
struct Limit {
    pipe: Fifo,
    rate: ByteRate,
    reported_ps: u64,
}

impl Limit {
    fn new(bytes_per_s: u64) -> Self {
        Self { pipe: Fifo::new(), rate: ByteRate::new(bytes_per_s), reported_ps: 0 }
    }

    #[inline(always)]
    fn pass(&mut self, from: Time, bytes: u32) -> Time {
        self.pipe.arrive(from, self.rate.time_of(bytes))
    }

    fn collect(&mut self, now: Time) -> u64 {
        let busy_ps = self.pipe.busy_before(now).as_ps();
        busy_ps - std::mem::replace(&mut self.reported_ps, busy_ps)
    }
}

impl Level {
    /// Makes the level of `share`, whose limits join the others.
    fn new(share: &Share, limits: &mut Vec<Limit>) -> Self {
        let mut limit = |bytes_per_s| {
            limits.push(Limit::new(bytes_per_s));
            limits.len() as u32 - 1
        };
        let parent = share.parent.unwrap_or(NONE);
        Self {
            joint: share.bytes_per_s.map(&mut limit),
            read: share.read_bytes_per_s.map(&mut limit),
            write: share.write_bytes_per_s.map(&mut limit),
            upward: parent,
            parent,
            standby: share.standby_parent.unwrap_or(NONE),
            lost: 0,
        }
    }
}

impl Shares {
    pub(crate) fn new(shares: &[Share]) -> Self {
        let mut limits = Vec::new();
        let levels = shares.iter().map(|share| Level::new(share, &mut limits)).collect();
        let mut shares = Self { levels, limits, passed: Vec::new(), by_share: Vec::new() };
        shares.find_ways();
        shares
    }

    /// Follows every share up to the limits that its data pass now.
    fn find_ways(&mut self) {
        let (levels, passed) = (&self.levels, &mut self.passed);
        passed.clear();
        let mut way_up = |share: usize, one_way: fn(&Level) -> Option<u32>| {
            let first = passed.len() as u32;
            let mut at = share;
            while let Some(level) = levels.get(at) {
                passed.extend(level.joint.into_iter().chain(one_way(level)));
                at = level.upward as usize;
            }
            first..passed.len() as u32
        };
        let mut of_share = |share| PassedLimits {
            reads: way_up(share, |level| level.read),
            writes: way_up(share, |level| level.write),
        };
        self.by_share = (0..levels.len()).map(&mut of_share).collect();
    }

    /// Reads `bytes` of which the first came at `from` through `share` and all above it: when the last is done with
    /// them. They pass all of them at once, each at its own rate.
    #[inline(always)]
    pub(crate) fn read(&mut self, share: u32, from: Time, bytes: u32) -> Time {
        let passed = self.by_share[share as usize].reads.clone();
        self.pass(passed, from, bytes)
    }

    /// Writes `bytes` from `from` on through `share` and all above it: when the last is done with them.
    #[inline(always)]
    pub(crate) fn write(&mut self, share: u32, from: Time, bytes: u32) -> Time {
        let passed = self.by_share[share as usize].writes.clone();
        self.pass(passed, from, bytes)
    }

    #[inline(always)]
    fn pass(&mut self, passed: Range<u32>, from: Time, bytes: u32) -> Time {
        let mut done = from;
        for limit in &self.passed[passed.start as usize..passed.end as usize] {
            done = done.max(self.limits[*limit as usize].pass(from, bytes));
        }
        done
    }

    /// Notes that `share` is lost or is there again: data from below it go over the standby or come back. Data under way
    /// stay where they are.
    pub(crate) fn lose(&mut self, share: u32, lost: bool) {
        let level = &mut self.levels[share as usize];
        level.lost = if lost { level.lost + 1 } else { level.lost - 1 };
        let is_lost = level.lost > 0;
        for below in self.levels.iter_mut().filter(|below| below.parent == share) {
            below.upward = if is_lost { below.standby } else { below.parent };
        }
        self.find_ways();
    }

    /// Collects the busy time of every limit of each share since the last call, ps, and begins a new interval.
    pub(crate) fn collect_busy(&mut self, now: Time) -> impl Iterator<Item = Vec<(&'static str, u64)>> {
        let limits = &mut self.limits;
        self.levels.iter().map(move |level| {
            let parts = [("bus", level.joint), ("reads", level.read), ("writes", level.write)];
            let busy = parts
                .into_iter()
                .filter_map(|(part, limit)| Some((part, limits[limit? as usize].collect(now))));
            busy.collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use halftrack_base::Span;

    use super::*;

    const GB: u64 = 1_000_000_000;

    fn share(limits: [Option<u64>; 3], parent: Option<u32>, standby_parent: Option<u32>) -> Share {
        let [bytes_per_s, read_bytes_per_s, write_bytes_per_s] = limits;
        let name = "share".into();
        Share { name, read_bytes_per_s, write_bytes_per_s, bytes_per_s, parent, standby_parent }
    }

    /// Converts to nanoseconds, because rates are rounded to a picosecond a call.
    fn ns(at: Time) -> u64 {
        at.since(Time::ZERO).as_ps() / 1000
    }

    fn busy(shares: &mut Shares, now: Time) -> Vec<Vec<(&'static str, u64)>> {
        let parts = |parts: Vec<(&'static str, u64)>| parts.into_iter().map(|(part, ps)| (part, ps / 1000));
        shares.collect_busy(now).map(|share| parts(share).collect()).collect()
    }

    /// Three at most both ways, one of them written.
    #[test]
    fn the_narrowest_limit_binds() {
        let mut card = Shares::new(&[share([Some(3 * GB), None, Some(GB)], None, None)]);
        assert_eq!(ns(card.read(0, Time::ZERO, 3000)), 1000);
        assert_eq!(ns(card.write(0, Time::ZERO, 3000)), 3000);
        let behind = card.read(0, Time::ZERO, 3000);
        assert_eq!(ns(behind), 3000, "behind the written bytes on the joint bus");
        let now = Time::ZERO + Span::from_us(4);
        assert_eq!(busy(&mut card, now), [[("bus", 3000), ("writes", 3000)]]);
        assert_eq!(busy(&mut card, now), [[("bus", 0), ("writes", 0)]]);
    }

    /// Two domains with a card each, on one fanout.
    #[test]
    fn data_pass_every_level_and_go_over_the_standby_while_theirs_is_lost() {
        let domain = || share([Some(2 * GB), None, None], Some(0), None);
        let card = |parent, standby| share([None; 3], Some(parent), Some(standby));
        let fanout = share([Some(3 * GB), None, None], None, None);
        let mut tree = Shares::new(&[fanout, domain(), domain(), card(1, 2), card(2, 1)]);
        assert_eq!(ns(tree.read(3, Time::ZERO, 6000)), 3000, "its domain");
        assert_eq!(ns(tree.read(4, Time::ZERO, 6000)), 4000, "the fanout, which both are on");
        let then = Time::ZERO + Span::from_us(10);
        tree.lose(1, true);
        tree.lose(1, true);
        tree.lose(1, false);
        assert_eq!(ns(tree.read(3, then, 6000)), 13_000, "the other domain");
        assert_eq!(ns(tree.read(4, then, 6000)), 16_000, "behind it");
        tree.lose(1, false);
        assert_eq!(ns(tree.read(3, then, 3000)), 15_000, "its own again, and the fanout behind the others");
        let now = then + Span::from_us(10);
        let none = Vec::new();
        assert_eq!(
            busy(&mut tree, now),
            [vec![("bus", 9000)], vec![("bus", 4500)], vec![("bus", 9000)], none.clone(), none]
        );
    }
}

//! What channels share on the way to memory, and host adapters on the way to the cache: cards, domains and fanouts, bays
//! and boxes, a tree of limits.

use halftrack_config::Share;
use halftrack_engine::{ByteRate, Fifo, SimTime};

/// No share: the end of the way up.
const NONE: u32 = u32::MAX;

/// Every share, by index.
#[derive(Debug)]
pub(crate) struct Shares(Vec<Level>);

/// One share: the limits that it has, and what its data go through next.
#[derive(Debug)]
struct Level {
    joint: Option<Limit>,
    read: Option<Limit>,
    write: Option<Limit>,
    /// The share above it that carries its data now.
    upward: u32,
    parent: u32,
    standby: u32,
    /// How often it is lost at present.
    lost: u32,
}

/// One limit: a pipe that takes one chunk after the other.
#[derive(Debug)]
struct Limit {
    pipe: Fifo,
    rate: ByteRate,
    reported_ps: u64,
}

impl Limit {
    fn new(bytes_per_s: u64) -> Self {
        Self { pipe: Fifo::new(), rate: ByteRate::new(bytes_per_s), reported_ps: 0 }
    }

    #[inline]
    fn pass(&mut self, from: SimTime, bytes: u32) -> SimTime {
        self.pipe.arrive(from, self.rate.time_of(bytes))
    }

    fn collect(&mut self, now: SimTime) -> u64 {
        let busy_ps = self.pipe.busy_before(now).as_ps();
        busy_ps - std::mem::replace(&mut self.reported_ps, busy_ps)
    }
}

impl Level {
    fn new(share: &Share) -> Self {
        let parent = share.parent.unwrap_or(NONE);
        Self {
            joint: share.bytes_per_s.map(Limit::new),
            read: share.read_bytes_per_s.map(Limit::new),
            write: share.write_bytes_per_s.map(Limit::new),
            upward: parent,
            parent,
            standby: share.standby_parent.unwrap_or(NONE),
            lost: 0,
        }
    }

    /// The limits of what is read or of what is written.
    #[inline]
    fn limits(&mut self, reads: bool) -> impl Iterator<Item = &mut Limit> {
        let one_way = if reads { &mut self.read } else { &mut self.write };
        self.joint.iter_mut().chain(one_way)
    }
}

impl Shares {
    pub(crate) fn new(shares: &[Share]) -> Self {
        Self(shares.iter().map(Level::new).collect())
    }

    /// Reads `bytes` of which the first came at `from` through `share` and all above it: when the last is done with
    /// them. They pass all of them at once, each at its own rate.
    #[inline]
    pub(crate) fn read(&mut self, share: u32, from: SimTime, bytes: u32) -> SimTime {
        self.pass(share, from, bytes, true)
    }

    /// Writes `bytes` from `from` on through `share` and all above it: when the last is done with them.
    #[inline]
    pub(crate) fn write(&mut self, share: u32, from: SimTime, bytes: u32) -> SimTime {
        self.pass(share, from, bytes, false)
    }

    #[inline]
    fn pass(&mut self, share: u32, from: SimTime, bytes: u32, reads: bool) -> SimTime {
        let (mut done, mut at) = (from, share);
        while let Some(level) = self.0.get_mut(at as usize) {
            at = level.upward;
            done = level.limits(reads).fold(done, |done, limit| done.max(limit.pass(from, bytes)));
        }
        done
    }

    /// When what is being read through `share` is over.
    #[inline]
    pub(crate) fn read_until(&mut self, share: u32) -> SimTime {
        let (mut until, mut at) = (SimTime::ZERO, share);
        while let Some(level) = self.0.get_mut(at as usize) {
            at = level.upward;
            until = level.limits(true).fold(until, |until, limit| until.max(limit.pipe.free_at()));
        }
        until
    }

    /// `share` is lost or is there again: what lies below it goes over the standby or comes back. What is under way
    /// stays where it is.
    pub(crate) fn lose(&mut self, share: u32, lost: bool) {
        let level = &mut self.0[share as usize];
        level.lost = if lost { level.lost + 1 } else { level.lost - 1 };
        let is_lost = level.lost > 0;
        for below in self.0.iter_mut().filter(|below| below.parent == share) {
            below.upward = if is_lost { below.standby } else { below.parent };
        }
    }

    /// Busy time of every limit of each share since the last call, ps; begins a new interval.
    pub(crate) fn collect_busy(&mut self, now: SimTime) -> impl Iterator<Item = Vec<(&'static str, u64)>> {
        self.0.iter_mut().map(move |level| {
            let limits =
                [("bus", &mut level.joint), ("reads", &mut level.read), ("writes", &mut level.write)];
            let busy =
                limits.into_iter().filter_map(|(part, limit)| Some((part, limit.as_mut()?.collect(now))));
            busy.collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use halftrack_engine::SimDuration;

    use super::*;

    const GB: u64 = 1_000_000_000;

    fn share(limits: [Option<u64>; 3], parent: Option<u32>, standby_parent: Option<u32>) -> Share {
        let [bytes_per_s, read_bytes_per_s, write_bytes_per_s] = limits;
        let name = "share".into();
        Share { name, read_bytes_per_s, write_bytes_per_s, bytes_per_s, parent, standby_parent }
    }

    /// Rates are rounded to a picosecond a call.
    fn ns(at: SimTime) -> u64 {
        at.since(SimTime::ZERO).as_ps() / 1000
    }

    fn busy(shares: &mut Shares, now: SimTime) -> Vec<Vec<(&'static str, u64)>> {
        let parts = |parts: Vec<(&'static str, u64)>| parts.into_iter().map(|(part, ps)| (part, ps / 1000));
        shares.collect_busy(now).map(|share| parts(share).collect()).collect()
    }

    /// Three at most both ways, one of them written.
    #[test]
    fn the_narrowest_limit_binds() {
        let mut card = Shares::new(&[share([Some(3 * GB), None, Some(GB)], None, None)]);
        assert_eq!(ns(card.read(0, SimTime::ZERO, 3000)), 1000);
        assert_eq!(ns(card.write(0, SimTime::ZERO, 3000)), 3000);
        let behind = card.read(0, SimTime::ZERO, 3000);
        assert_eq!(ns(behind), 3000, "behind the written bytes on the joint bus");
        assert_eq!(behind, card.read_until(0));
        let now = SimTime::ZERO + SimDuration::from_us(4);
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
        assert_eq!(ns(tree.read(3, SimTime::ZERO, 6000)), 3000, "its domain");
        assert_eq!(ns(tree.read(4, SimTime::ZERO, 6000)), 4000, "the fanout, which both are on");
        let then = SimTime::ZERO + SimDuration::from_us(10);
        tree.lose(1, true);
        tree.lose(1, true);
        tree.lose(1, false);
        assert_eq!(ns(tree.read(3, then, 6000)), 13_000, "the other domain");
        assert_eq!(ns(tree.read(4, then, 6000)), 16_000, "behind it");
        tree.lose(1, false);
        assert_eq!(ns(tree.read(3, then, 3000)), 15_000, "its own again, and the fanout behind the others");
        let now = then + SimDuration::from_us(10);
        let none = Vec::new();
        assert_eq!(
            busy(&mut tree, now),
            [vec![("bus", 9000)], vec![("bus", 4500)], vec![("bus", 9000)], none.clone(), none]
        );
    }
}

//! A channel card: what its channels move together.

use halftrack_config::Card;
use halftrack_engine::{ByteRate, Fifo, SimTime};

/// A joint limit of both directions and, where the card has them, one of each.
#[derive(Debug)]
pub(crate) struct CardState {
    joint: Limit,
    read: Option<Limit>,
    write: Option<Limit>,
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

impl CardState {
    pub(crate) fn new(card: &Card) -> Self {
        Self {
            joint: Limit::new(card.bytes_per_s),
            read: card.read_bytes_per_s.map(Limit::new),
            write: card.write_bytes_per_s.map(Limit::new),
        }
    }

    /// Reads `bytes` of which the first came at `from`: when the card is done with them.
    #[inline]
    pub(crate) fn read(&mut self, from: SimTime, bytes: u32) -> SimTime {
        let joint = self.joint.pass(from, bytes);
        self.read.as_mut().map_or(joint, |limit| limit.pass(from, bytes).max(joint))
    }

    /// Writes `bytes` from `from` on: when the card is done with them.
    #[inline]
    pub(crate) fn write(&mut self, from: SimTime, bytes: u32) -> SimTime {
        let joint = self.joint.pass(from, bytes);
        self.write.as_mut().map_or(joint, |limit| limit.pass(from, bytes).max(joint))
    }

    /// When what is being read is over.
    #[inline]
    pub(crate) fn read_until(&self) -> SimTime {
        let joint = self.joint.pipe.free_at();
        self.read.as_ref().map_or(joint, |limit| limit.pipe.free_at().max(joint))
    }

    /// Busy time of every limit since the last call, ps; begins a new interval.
    pub(crate) fn collect_busy(&mut self, now: SimTime) -> Vec<(&'static str, u64)> {
        let mut busy = vec![("bus", self.joint.collect(now))];
        busy.extend(self.read.as_mut().map(|limit| ("reads", limit.collect(now))));
        busy.extend(self.write.as_mut().map(|limit| ("writes", limit.collect(now))));
        busy
    }
}

#[cfg(test)]
mod tests {
    use halftrack_engine::SimDuration;

    use super::*;

    /// Three at most both ways, one of them written.
    #[test]
    fn the_narrowest_limit_binds() {
        let gb = 1_000_000_000;
        let mut card = CardState::new(&Card {
            name: "PCHID 100".into(),
            read_bytes_per_s: None,
            write_bytes_per_s: Some(gb),
            bytes_per_s: 3 * gb,
        });
        // Rates are rounded to a picosecond a call.
        let ns = |at: SimTime| at.since(SimTime::ZERO).as_ps() / 1000;
        assert_eq!(ns(card.read(SimTime::ZERO, 3000)), 1000);
        assert_eq!(ns(card.write(SimTime::ZERO, 3000)), 3000);
        let behind = card.read(SimTime::ZERO, 3000);
        assert_eq!(ns(behind), 3000, "behind the written bytes on the joint bus");
        assert_eq!(behind, card.read_until());
        let now = SimTime::ZERO + SimDuration::from_us(4);
        let busy = card.collect_busy(now).into_iter().map(|(part, ps)| (part, ps / 1000));
        assert_eq!(busy.collect::<Vec<_>>(), [("bus", 3000), ("writes", 3000)]);
        assert_eq!(card.collect_busy(now), [("bus", 0), ("writes", 0)]);
    }
}

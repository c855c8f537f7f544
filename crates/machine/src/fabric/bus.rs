//! The bus of a channel or of a host-adapter port: one rate for both directions, bursts of either in turn, so that both get
//! as many bytes.
//!
//! ```text
//!   reads, in order of arrival  ──┐
//!                                 ├─ a burst of each in turn ─► bus ─► what it shares: card, domain, fanout; bay, box
//!   writes, in order of arrival ──┘
//! ```
//!
//! The next burst of a direction waits until what is shared with others has taken the one before, so that each channel or
//! port has one burst a direction there at a time, and those of several come in turn.

use std::collections::VecDeque;

use halftrack_base::{ByteRate, Span, Time};
use halftrack_engine::{Fifo, Order, Sequencer};

use crate::fabric::share::Shares;

/// Direction of data on a bus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    /// From the control unit to memory.
    Read,
    /// From memory to the control unit.
    Write,
}

/// The edge from a bus to the events of the process of its owner.
pub(crate) trait BusEvents {
    /// Schedules the next turn of the bus of `owner` for `at`.
    fn push_turn(&mut self, at: Time, order: Order, owner: u32);
}

/// The channel or host-adapter port that owns a bus, as it schedules the turns of it.
#[derive(Debug)]
pub(crate) struct BusOwner<'a> {
    /// Index among all channels or ports.
    pub index: u32,
    /// The owner's own event sequence.
    pub sequencer: &'a mut Sequencer,
    /// The instant.
    pub now: Time,
}

/// A bus, on which bursts wait that are a `B` to their owner.
#[derive(Debug)]
pub(crate) struct Bus<B> {
    server: Fifo,
    /// None where firmware holds the bus: then its time is in that of the processor.
    rate: Option<ByteRate>,
    /// Until when what is shared takes the last burst of each direction.
    taken: [Time; 2],
    /// Instant of the next turn that is scheduled; [`Time::MAX`] while nothing waits.
    turn_at: Time,
    /// SeparateImages, because few have to wait.
    line: Box<Line<B>>,
}

/// The bursts that wait for a bus.
#[derive(Debug)]
struct Line<B> {
    /// Bytes that reads have had more than writes since both wait, below zero where writes have.
    lead_bytes: i64,
    /// By direction; no bytes where an IU comes behind data.
    waiting: [VecDeque<(u32, B)>; 2],
}

/// A burst whose turn it is.
#[derive(Debug)]
pub(crate) struct Turn<B> {
    pub direction: Direction,
    pub bytes: u32,
    pub burst: B,
}

impl<B> Bus<B> {
    /// Makes an idle bus of this rate, or of none where firmware holds it.
    pub(crate) fn new(bytes_per_s: Option<u64>) -> Self {
        Self {
            server: Fifo::new(),
            rate: bytes_per_s.map(ByteRate::new),
            taken: [Time::ZERO; 2],
            turn_at: Time::MAX,
            line: Box::new(Line { lead_bytes: 0, waiting: [VecDeque::new(), VecDeque::new()] }),
        }
    }

    /// Returns the busy time from the start until `at`.
    pub(crate) fn busy_before(&self, at: Time) -> Span {
        self.server.busy_before(at)
    }

    /// Counts the bursts that it has moved or is moving.
    pub(crate) fn completions(&self) -> u64 {
        self.server.completions()
    }

    /// Returns the instant at which a burst in this direction can begin.
    fn free_at(&self, direction: Direction) -> Time {
        self.server.free_at().max(self.taken[direction as usize])
    }

    /// Returns true when a burst that comes at `now` begins at once.
    #[inline(always)]
    pub(crate) fn is_free(&self, direction: Direction, now: Time) -> bool {
        self.turn_at == Time::MAX && self.free_at(direction) <= now
    }

    /// Moves `bytes`, there from `from` on, over the bus and through the shares of its owner. Returns when both are over.
    #[inline(always)]
    pub(crate) fn move_burst(
        &mut self,
        direction: Direction,
        from: Time,
        bytes: u32,
        (shares, share): (&mut Shares, Option<u32>),
    ) -> Time {
        let from = from.max(self.free_at(direction));
        let time = self.rate.map_or(Span::ZERO, |rate| rate.time_of(bytes));
        let mut moved = self.server.arrive(from, time);
        if let Some(share) = share {
            moved = moved.max(match direction {
                Direction::Read => shares.read(share, from, bytes),
                Direction::Write => shares.write(share, from, bytes),
            });
            self.taken[direction as usize] = moved;
        }
        moved
    }

    /// Queues a burst of so many bytes that finds the bus of `owner` taken.
    #[cold]
    pub(crate) fn wait(
        &mut self,
        events: &mut impl BusEvents,
        owner: BusOwner<'_>,
        direction: Direction,
        (bytes, burst): (u32, B),
    ) {
        self.line.waiting[direction as usize].push_back((bytes, burst));
        self.schedule_turn(events, owner);
    }

    /// Schedules the turn of the first burst that waits, where no earlier turn is scheduled.
    #[inline]
    pub(crate) fn schedule_turn(&mut self, events: &mut impl BusEvents, owner: BusOwner<'_>) {
        let at = self.first_turn();
        let is_first = at < self.turn_at;
        self.turn_at = self.turn_at.min(at);
        if is_first {
            events.push_turn(at.max(owner.now), owner.sequencer.next(), owner.index);
        }
    }

    /// Takes the burst whose turn it is at `now`: of the direction that has had fewer bytes, if it can begin. Takes none
    /// before the scheduled turn, since an event may have been overtaken by a later one. [`Bus::schedule_turn`] follows.
    pub(crate) fn take_turn(&mut self, now: Time) -> Option<Turn<B>> {
        if self.turn_at > now {
            return None;
        }
        self.turn_at = Time::MAX;
        let turns = match self.line.lead_bytes > 0 {
            true => [Direction::Write, Direction::Read],
            false => [Direction::Read, Direction::Write],
        };
        let waits = |direction: Direction| !self.line.waiting[direction as usize].is_empty();
        let both_wait = turns.into_iter().all(waits);
        let direction = turns.into_iter().find(|turn| waits(*turn) && self.free_at(*turn) <= now)?;
        let line = &mut *self.line;
        let (bytes, burst) = line.waiting[direction as usize].pop_front()?;
        let had = match direction {
            Direction::Read => i64::from(bytes),
            Direction::Write => -i64::from(bytes),
        };
        line.lead_bytes = if both_wait { line.lead_bytes + had } else { 0 };
        Some(Turn { direction, bytes, burst })
    }

    /// Returns when the first burst that waits can begin; [`Time::MAX`] when none waits.
    fn first_turn(&self) -> Time {
        let of = |direction: Direction| match self.line.waiting[direction as usize].is_empty() {
            true => Time::MAX,
            false => self.free_at(direction),
        };
        of(Direction::Read).min(of(Direction::Write))
    }

    /// Iterates over the bursts that wait.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = &B> {
        self.line.waiting.iter().flatten().map(|(_, burst)| burst)
    }
}

#[cfg(test)]
mod tests {
    use halftrack_engine::Rank;

    use super::*;

    /// Turns that a bus has scheduled, at nanoseconds from the start.
    #[derive(Default)]
    struct Turns(Vec<(u64, u32)>);

    impl BusEvents for Turns {
        fn push_turn(&mut self, at: Time, _order: Order, owner: u32) {
            self.0.push((at.since(Time::ZERO).as_ps() / 1000, owner));
        }
    }

    fn at_ns(ns: u64) -> Time {
        Time::ZERO + Span::from_ns(ns)
    }

    /// A kilobyte takes a microsecond; three reads and three writes wait behind a first read.
    #[test]
    fn directions_take_turns_and_one_event_is_scheduled_for_each() {
        let mut bus = Bus::new(Some(1_000_000_000));
        let (mut turns, mut sequencer) = (Turns::default(), Sequencer::new(Rank::default()));
        let mut shares = Shares::new(&[]);
        assert!(bus.is_free(Direction::Read, Time::ZERO));
        bus.move_burst(Direction::Read, Time::ZERO, 1000, (&mut shares, None));
        for burst in 0..3 {
            for direction in [Direction::Read, Direction::Write] {
                let owner = BusOwner { index: 7, sequencer: &mut sequencer, now: Time::ZERO };
                bus.wait(&mut turns, owner, direction, (1000, burst));
            }
        }
        assert_eq!(turns.0, [(1000, 7)], "those behind the first have no event of their own");
        assert!(!bus.is_free(Direction::Write, at_ns(1000)), "a burst that comes does not overtake");
        assert!(bus.take_turn(at_ns(999)).is_none());
        let mut moved = Vec::new();
        for turn in 1..=6 {
            let now = at_ns(turn * 1000);
            let Turn { direction, bytes, burst } = bus.take_turn(now).expect("a turn is scheduled for now");
            bus.move_burst(direction, now, bytes, (&mut shares, None));
            moved.push((direction, burst));
            bus.schedule_turn(&mut turns, BusOwner { index: 7, sequencer: &mut sequencer, now });
        }
        let in_turn = (0..3).flat_map(|burst| [(Direction::Read, burst), (Direction::Write, burst)]);
        assert!(in_turn.eq(moved.iter().copied()), "{moved:?}");
        assert_eq!(turns.0.len(), 6);
        assert_eq!((turns.0[5], bus.waiting().count()), ((6000, 7), 0));
    }
}

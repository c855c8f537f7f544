//! The bus of a channel: one rate for both directions, bursts of either in turn, so that both get as many bytes.
//!
//! ```text
//!   reads, in order of arrival  ──┐
//!                                 ├─ a burst of each in turn ─► bus ─► what it shares: card, domain, fanout
//!   writes, in order of arrival ──┘
//! ```
//!
//! The next burst of a direction waits until what the channel shares with others has taken the one before, so that each
//! channel has one burst a direction there at a time, and those of several come in turn.

use std::collections::VecDeque;

use halftrack_engine::{ByteRate, Fifo, Order, SimDuration, SimTime};

use super::HostState;
use crate::event::HostEvent;
use crate::share::Shares;
use crate::wiring::Wiring;

/// Which way data go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    /// To memory.
    Read,
    /// From memory.
    Write,
}

/// A burst that waits for the bus.
#[derive(Debug)]
pub(super) struct Burst {
    /// The exchange.
    pub exchange: u32,
    /// Its data; none where an IU comes behind data.
    pub bytes: u32,
    /// IUs that are complete with it.
    pub steps: u16,
    /// The order of the credit of its receive buffer, where it came with one, and its path.
    pub credit: Option<(Order, u32)>,
}

/// The bus of one channel.
#[derive(Debug)]
pub(super) struct Bus {
    server: Fifo,
    /// None where firmware holds the bus: then its time is in that of the processor.
    rate: Option<ByteRate>,
    /// Until when what is shared takes the last burst of each direction.
    taken: [SimTime; 2],
    /// Bytes that reads have had more than writes since both wait, below zero where writes have.
    lead_bytes: i64,
    /// When the first of those that wait is looked at; [`SimTime::MAX`] while none does.
    looks: SimTime,
    waiting: [VecDeque<Burst>; 2],
}

impl Bus {
    /// An idle bus of this rate; of none where firmware holds it.
    pub(super) fn new(bytes_per_s: Option<u64>) -> Self {
        Self {
            server: Fifo::new(),
            rate: bytes_per_s.map(ByteRate::new),
            taken: [SimTime::ZERO; 2],
            lead_bytes: 0,
            looks: SimTime::MAX,
            waiting: [VecDeque::new(), VecDeque::new()],
        }
    }

    /// Busy time from the start until `at`.
    pub(super) fn busy_before(&self, at: SimTime) -> SimDuration {
        self.server.busy_before(at)
    }

    /// When a burst in this direction can begin.
    fn free_at(&self, direction: Direction) -> SimTime {
        self.server.free_at().max(self.taken[direction as usize])
    }

    /// True when a burst that comes at `now` goes at once.
    #[inline(always)]
    pub(super) fn is_free(&self, direction: Direction, now: SimTime) -> bool {
        self.looks == SimTime::MAX && self.free_at(direction) <= now
    }

    /// Moves `bytes`, there from `from` on, and has what the channel shares take them: when both are over.
    #[inline(always)]
    pub(super) fn move_burst(
        &mut self,
        direction: Direction,
        from: SimTime,
        bytes: u32,
        (shares, share): (&mut Shares, Option<u32>),
    ) -> SimTime {
        let from = from.max(self.free_at(direction));
        let time = self.rate.map_or(SimDuration::ZERO, |rate| rate.time_of(bytes));
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

    /// The burst whose turn it is at `now`, and its direction: of the direction that has had fewer bytes, if it can begin.
    fn take_turn(&mut self, now: SimTime) -> Option<(Direction, Burst)> {
        let turns = match self.lead_bytes > 0 {
            true => [Direction::Write, Direction::Read],
            false => [Direction::Read, Direction::Write],
        };
        let waits = |direction: Direction| !self.waiting[direction as usize].is_empty();
        let both_wait = turns.into_iter().all(waits);
        let turn =
            turns.into_iter().find(|direction| waits(*direction) && self.free_at(*direction) <= now)?;
        let burst = self.waiting[turn as usize].pop_front()?;
        let had = match turn {
            Direction::Read => i64::from(burst.bytes),
            Direction::Write => -i64::from(burst.bytes),
        };
        self.lead_bytes = if both_wait { self.lead_bytes + had } else { 0 };
        Some((turn, burst))
    }

    /// When the first of those that wait can begin; [`SimTime::MAX`] when none waits.
    fn first_turn(&self) -> SimTime {
        let of = |direction: Direction| match self.waiting[direction as usize].is_empty() {
            true => SimTime::MAX,
            false => self.free_at(direction),
        };
        of(Direction::Read).min(of(Direction::Write))
    }

    /// The bursts that wait.
    pub(super) fn waiting(&self) -> impl Iterator<Item = &Burst> {
        self.waiting.iter().flatten()
    }
}

impl HostState {
    /// `burst` waits for the bus of `channel`.
    #[cold]
    pub(super) fn wait_for_bus(&mut self, channel: u32, direction: Direction, burst: Burst) {
        let bus = &mut self.channels[channel as usize].bus;
        bus.waiting[direction as usize].push_back(burst);
        self.look_at_bus(channel);
    }

    /// Has the bus of `channel` looked at when the first of those that wait can begin.
    fn look_at_bus(&mut self, channel: u32) {
        let state = &mut self.channels[channel as usize];
        let at = state.bus.first_turn();
        if at < state.bus.looks {
            state.bus.looks = at;
            self.pending.push(at.max(self.now), state.sequencer.next(), HostEvent::Bus { channel });
        }
    }

    /// The bus of `channel` may be free for the next of those that wait.
    #[inline(never)]
    pub(super) fn on_bus(&mut self, w: &Wiring, channel: u32) {
        let state = &mut self.channels[channel as usize];
        if state.bus.looks > self.now {
            // It was looked at before this time, which had been thought of first.
            return;
        }
        state.bus.looks = SimTime::MAX;
        if let Some((direction, burst)) = state.bus.take_turn(self.now) {
            let moved = match burst.bytes {
                0 => self.now,
                bytes => state.bus.move_burst(direction, self.now, bytes, (&mut self.shares, state.share)),
            };
            let Burst { exchange, steps, credit, .. } = burst;
            let event = match direction {
                Direction::Read => HostEvent::Stored { exchange, steps },
                Direction::Write => HostEvent::Fetched { exchange },
            };
            self.pending.push(moved, state.sequencer.next(), event);
            if let Some((order, path)) = credit {
                self.return_credit(w, path, moved, order);
            }
        }
        self.look_at_bus(channel);
    }
}

//! One adapter: the pair of its sides, the block that moves, and what is presented to its systems.

use std::collections::VecDeque;

use halftrack_base::{Span, Time};
use halftrack_control_unit::ctc::{Command, Ending, Pair, Side, Started, State};
use halftrack_engine::{ServiceTimes, TimeIntegral};
use halftrack_program::DeviceStatus;

/// An event that an adapter presents to a system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Presented {
    /// The ending of its command.
    Ending(Ending),
    /// Attention.
    Attention,
}

/// A block that moves, or waits until the device has rested.
#[derive(Debug)]
struct Moving {
    /// End that writes.
    from: usize,
    bytes: u32,
    /// Octets that have not come yet.
    left_bytes: u32,
    /// Endings of both ends, presented when it has moved.
    endings: [Ending; 2],
}

/// Counts of one end of a device.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct EndCounts {
    /// Starts.
    pub starts: u64,
    /// Starts that have ended.
    pub ended: u64,
    /// Blocks written by this end.
    pub blocks: u64,
    /// Octets of blocks that have moved.
    pub bytes: u64,
    /// Writes that met a Write of the other end.
    pub collisions: u64,
}

/// One end of an adapter.
#[derive(Debug, Default)]
struct AdapterEnd {
    /// Commands of the program that is in progress, and that have not been executed.
    program: VecDeque<Command>,
    /// Events that the adapter has presented and no system has taken, and how many of them are still to be sent.
    presented: VecDeque<Presented>,
    unsent: u32,
    counts: EndCounts,
    reported: EndCounts,
    /// Starts in progress over time: one or none.
    active: TimeIntegral,
}

/// One adapter.
#[derive(Debug)]
pub(super) struct Adapter {
    pair: Pair,
    /// Times that it rests between two blocks.
    turnarounds: ServiceTimes,
    ends: [AdapterEnd; 2],
    moving: Option<Moving>,
    /// No block moves before.
    rested_at: Time,
}

/// Returns the side of an end.
const fn side(end: usize) -> Side {
    if end == 0 { Side::X } else { Side::Y }
}

impl Adapter {
    /// Makes an adapter before any start.
    pub(super) fn new(turnarounds: ServiceTimes) -> Self {
        Self {
            pair: Pair::default(),
            turnarounds,
            ends: [AdapterEnd::default(), AdapterEnd::default()],
            moving: None,
            rested_at: Time::ZERO,
        }
    }

    /// The end at whose channel the function of the adapter is. Either may have it; our choice.
    pub(super) const FUNCTION_END: usize = 0;
    /// Notice of a unit with a command.
    pub(super) const COMMAND: u32 = 1;
    /// Notice of a unit with a status.
    pub(super) const STATUS: u32 = 2;

    /// Takes the program of a start at an end.
    pub(super) fn order(&mut self, now: Time, end: usize, program: impl IntoIterator<Item = Command>) {
        let own = &mut self.ends[end];
        debug_assert!(own.active.level() == 0, "a subchannel has one start at a time");
        own.counts.starts += 1;
        own.active.change(now, 1);
        own.program.extend(program);
    }

    /// Executes commands of the program of an end until one waits, or the program is over. Returns when a block that waits from
    /// now on may move.
    pub(super) fn execute(&mut self, now: Time, end: usize) -> Option<Time> {
        while let Some(command) = self.ends[end].program.pop_front() {
            let code = command.code;
            let Started::Ended(ending) = self.pair.start(side(end), command) else { break };
            let other = self.pair.poll_ending(side(1 - end));
            let bytes = ending.device.moved_bytes;
            if let Some(other) = other {
                if matches!(code, Self::READ | Self::WRITE) && bytes > 0 {
                    let from = if code == Self::READ { 1 - end } else { end };
                    let endings = if end == 0 { [ending, other] } else { [other, ending] };
                    self.moving = Some(Moving { from, bytes, left_bytes: bytes, endings });
                    return Some(self.rested_at.max(now));
                }
                self.end(now, 1 - end, other);
            }
            let is_collision = code == Self::WRITE && ending.device.status.contains(DeviceStatus::BUSY);
            self.ends[end].counts.collisions += u64::from(is_collision);
            if self.ends[end].program.is_empty() || ending.device.status != DeviceStatus::NORMAL_END {
                self.end(now, end, ending);
            }
        }
        self.poll_attention();
        None
    }

    /// Code of a Read (FC-SB, channel-to-channel).
    pub(super) const READ: u8 = 0x02;
    /// Code of a Write.
    pub(super) const WRITE: u8 = 0x01;

    /// Returns the end that writes the block that moves now, and its octets.
    pub(super) fn begin_move(&self) -> Option<(usize, u32)> {
        self.moving.as_ref().map(|block| (block.from, block.bytes))
    }

    /// Takes data of the block that moves. Returns true when it has moved; the device rests for `turnaround` on average then.
    pub(super) fn take_data(&mut self, now: Time, bytes: u32, turnaround: Span) -> bool {
        let Some(block) = &mut self.moving else { return false };
        block.left_bytes -= bytes;
        self.ends[block.from].counts.bytes += u64::from(bytes);
        if block.left_bytes > 0 {
            return false;
        }
        self.rested_at = now + self.turnarounds.draw(turnaround);
        if let Some(Moving { from, endings, .. }) = self.moving.take() {
            self.ends[from].counts.blocks += 1;
            for (end, ending) in endings.into_iter().enumerate() {
                self.end(now, end, ending);
            }
            self.poll_attention();
        }
        true
    }

    /// Ends the program of an end.
    fn end(&mut self, now: Time, end: usize, ending: Ending) {
        self.pair.end_chain(side(end));
        let own = &mut self.ends[end];
        own.program.clear();
        own.counts.ended += 1;
        own.active.change(now, -1);
        own.presented.push_back(Presented::Ending(ending));
        own.unsent += 1;
    }

    fn poll_attention(&mut self) {
        for end in 0..2 {
            if self.pair.poll_attention(side(end)) {
                self.ends[end].presented.push_back(Presented::Attention);
                self.ends[end].unsent += 1;
            }
        }
    }

    /// Returns how much has come for an end that is still to be sent to it.
    pub(super) fn present(&mut self, end: usize) -> u32 {
        std::mem::take(&mut self.ends[end].unsent)
    }

    /// Takes what an end has been presented first.
    pub(super) fn take_presented(&mut self, end: usize) -> Option<Presented> {
        self.ends[end].presented.pop_front()
    }

    /// Returns the counts of an end.
    pub(super) fn counts(&self, end: usize) -> &EndCounts {
        &self.ends[end].counts
    }

    /// Returns true while a program of an end is on its way to the adapter, waits there or moves data.
    pub(super) fn is_started(&self, end: usize) -> bool {
        let waits = !matches!(self.pair.state(side(end)), State::Available | State::NotReady);
        !self.ends[end].program.is_empty() || waits || self.moving.is_some()
    }

    /// Collects the counts of an end since the last collection.
    pub(super) fn collect(&mut self, end: usize) -> EndCounts {
        let own = &mut self.ends[end];
        let before = std::mem::replace(&mut own.reported, own.counts);
        EndCounts {
            starts: own.counts.starts - before.starts,
            ended: own.counts.ended - before.ended,
            blocks: own.counts.blocks - before.blocks,
            bytes: own.counts.bytes - before.bytes,
            collisions: own.counts.collisions - before.collisions,
        }
    }

    /// Collects the time that a start of an end was in progress since the last collection, ps.
    pub(super) fn collect_active_ps(&mut self, end: usize, now: Time) -> u64 {
        self.ends[end].active.take_until(now) as u64
    }
}

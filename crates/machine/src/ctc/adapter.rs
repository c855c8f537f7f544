//! One adapter: the pair of its sides, the block that moves, and what is presented to its systems.

use std::collections::VecDeque;

use halftrack_base::{Span, Time};
use halftrack_control_unit::ctc::command_code::{READ, WRITE};
use halftrack_control_unit::ctc::{Command, Ending, Pair, Reset, Side, Started, State};
use halftrack_engine::{ServiceTimes, TimeIntegral};
use halftrack_isfc::{Block, HEADER_BYTES, Kind};
use halftrack_program::DeviceStatus;

/// An event that an adapter presents to a system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Presented {
    /// The ending of its program, with the block of a Read.
    Ending(Ending, Option<Block>),
    /// Attention.
    Attention,
}

/// A block that moves, or waits until the device has rested.
#[derive(Debug)]
struct Moving {
    /// End that writes.
    from: usize,
    block: Block,
    /// Octets of its header and data.
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
    /// Starts that were withdrawn with the path of the device.
    pub withdrawn: u64,
    /// Blocks written by this end.
    pub blocks: u64,
    /// Writes that met a Write of the other end.
    pub collisions: u64,
}

/// One end of an adapter.
#[derive(Debug, Default)]
struct AdapterEnd {
    /// Commands of the program that is in progress, and that have not been executed.
    program: VecDeque<Command>,
    /// The block of its Write.
    written: Option<Block>,
    /// Events that the adapter has presented and no system has taken, and how many of them are still to be sent.
    presented: VecDeque<Presented>,
    unsent: u32,
    counts: EndCounts,
    reported: EndCounts,
    /// Octets of its data that have crossed, as far as they were collected.
    collected_bytes: u64,
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
    /// Number of the times that its path was lost: what began before is of no account any more.
    epoch: u16,
}

/// Returns the octets of streams in a block.
fn data_bytes(block: &Block) -> u32 {
    if block.header.kind == Kind::Data { block.header.length_bytes } else { 0 }
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
            epoch: 0,
        }
    }

    /// Notice of a unit with a command.
    pub(super) const COMMAND: u32 = 1;
    /// Notice of a unit with a status.
    pub(super) const STATUS: u32 = 2;

    /// Takes the program of a start at an end, with the block of a Write.
    pub(super) fn order(
        &mut self,
        now: Time,
        end: usize,
        program: impl IntoIterator<Item = Command>,
        block: Option<Block>,
    ) {
        let own = &mut self.ends[end];
        own.written = block;
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
                let from = if code == READ { 1 - end } else { end };
                let is_transfer = matches!(code, READ | WRITE) && bytes > 0;
                if let Some(block) = self.ends[from].written.take_if(|_| is_transfer) {
                    let endings = if end == 0 { [ending, other] } else { [other, ending] };
                    self.moving = Some(Moving { from, block, bytes, left_bytes: bytes, endings });
                    return Some(self.rested_at.max(now));
                }
                self.end(now, 1 - end, other, None);
            }
            let is_collision = code == WRITE && ending.device.status.contains(DeviceStatus::BUSY);
            self.ends[end].counts.collisions += u64::from(is_collision);
            if self.ends[end].program.is_empty() || ending.device.status != DeviceStatus::NORMAL_END {
                self.end(now, end, ending, None);
            }
        }
        self.poll_attention();
        None
    }

    /// Returns how many commands the program of an end has that has not begun.
    pub(super) fn commands(&self, end: usize) -> u16 {
        self.ends[end].program.len() as u16
    }

    /// Returns the end that writes the block that moves now, and its octets.
    pub(super) fn begin_move(&self) -> Option<(usize, u32)> {
        self.moving.as_ref().map(|block| (block.from, block.bytes))
    }

    /// Returns true when a block moves now or is about to.
    pub(super) fn is_moving(&self, now: Time) -> bool {
        self.moving.is_some() && self.rested_at <= now
    }

    /// Takes data of the block that moves. Returns true when it has moved; the device rests for `turnaround` on average then.
    pub(super) fn take_data(&mut self, now: Time, bytes: u32, turnaround: Span) -> bool {
        let Some(block) = &mut self.moving else { return false };
        block.left_bytes -= bytes;
        if block.left_bytes > 0 {
            return false;
        }
        self.rested_at = now + self.turnarounds.draw(turnaround);
        if let Some(Moving { from, block, endings, .. }) = self.moving.take() {
            self.ends[from].counts.blocks += 1;
            let mut block = Some(block);
            for (end, ending) in endings.into_iter().enumerate() {
                let block = block.take_if(|_| end != from);
                self.end(now, end, ending, block);
            }
            self.poll_attention();
        }
        true
    }

    /// Resets the side of an end: the command of the other one ends with unit check.
    pub(super) fn reset(&mut self, now: Time, end: usize) {
        self.withdraw(now, end);
        self.pair.reset(side(end), Reset::System);
        if let Some(ending) = self.pair.poll_ending(side(1 - end)) {
            self.end(now, 1 - end, ending, None);
        }
    }

    /// Loses the path between both ends, and all that is under way.
    pub(super) fn lose(&mut self, now: Time) {
        self.epoch = self.epoch.wrapping_add(1);
        self.moving = None;
        for end in 0..2 {
            self.withdraw(now, end);
        }
        self.pair = Pair::default();
    }

    /// Returns how often the path was lost.
    pub(super) const fn epoch(&self) -> u16 {
        self.epoch
    }

    /// Withdraws the program of an end without an ending, and what is presented to it.
    fn withdraw(&mut self, now: Time, end: usize) {
        let own = &mut self.ends[end];
        own.program.clear();
        own.presented.clear();
        (own.written, own.unsent) = (None, 0);
        if own.active.level() > 0 {
            own.counts.withdrawn += 1;
            own.active.change(now, -1);
        }
    }

    /// Ends the program of an end; a Read has brought a block.
    fn end(&mut self, now: Time, end: usize, ending: Ending, block: Option<Block>) {
        self.pair.end_chain(side(end));
        let own = &mut self.ends[end];
        own.program.clear();
        own.written = None;
        own.counts.ended += 1;
        own.active.change(now, -1);
        own.presented.push_back(Presented::Ending(ending, block));
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

    /// Returns the octets of data of an end that have crossed, and that the system of the other one has not taken.
    fn untaken_bytes(&self, from: usize) -> u64 {
        let moving = self.moving.as_ref().filter(|moving| moving.from == from).map_or(0, |moving| {
            let crossed_bytes = (moving.bytes - moving.left_bytes).saturating_sub(HEADER_BYTES as u32);
            crossed_bytes.min(data_bytes(&moving.block))
        });
        let presented = self.ends[1 - from].presented.iter().map(|presented| match presented {
            Presented::Ending(_, Some(block)) => data_bytes(block),
            _ => 0,
        });
        u64::from(moving) + presented.map(u64::from).sum::<u64>()
    }

    /// Counts an ending at the first end though none came.
    #[cfg(test)]
    pub(super) fn count_ending(&mut self) {
        self.ends[0].counts.ended += 1;
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
            withdrawn: own.counts.withdrawn - before.withdrawn,
            blocks: own.counts.blocks - before.blocks,
            collisions: own.counts.collisions - before.collisions,
        }
    }

    /// Collects the octets of data of an end that have crossed since the last collection, when the other system has taken so
    /// many. Those that a lost path had let through in part count when they come again beyond that part.
    pub(super) fn collect_bytes(&mut self, end: usize, taken_bytes: u64) -> u64 {
        let crossed_bytes = taken_bytes + self.untaken_bytes(end);
        let before = &mut self.ends[end].collected_bytes;
        let bytes = crossed_bytes.saturating_sub(*before);
        *before += bytes;
        bytes
    }

    /// Collects the time that a start of an end was in progress since the last collection, ps.
    pub(super) fn collect_active_ps(&mut self, end: usize, now: Time) -> u64 {
        self.ends[end].active.take_until(now) as u64
    }
}

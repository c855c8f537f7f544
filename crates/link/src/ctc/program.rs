//! Channel programs of the adapter's commands, and their ends.

use std::sync::Arc;

use halftrack_base::SharedOctets;
use halftrack_exchange::program::{ChainCommand, CommandChain};
use halftrack_exchange::{ChannelOutcome, Program};
use halftrack_program::DeviceStatus;
use halftrack_wire::choices::{MAX_IU_DATA_BYTES, SENSE_BYTES};
use halftrack_wire::{ChainFlags, IuData};

/// Count of a CCW of a data chain: as much as a count holds, in whole information units.
const CCW_MAX_BYTES: u32 = u16::MAX as u32 / MAX_IU_DATA_BYTES * MAX_IU_DATA_BYTES;

/// One command of a program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CtcCommand {
    /// Command code.
    pub code: u8,
    /// Octets to be read at most, or of data.
    pub count_bytes: u32,
    /// Data of a Write; none of other commands.
    pub data: SharedOctets,
}

impl CtcCommand {
    /// Returns a command without data.
    #[must_use]
    pub fn control(code: u8) -> Self {
        Self::read(code, 1)
    }

    /// Returns a command that reads at most so many octets; fewer are no incorrect length.
    #[must_use]
    pub fn read(code: u8, count_bytes: u32) -> Self {
        Self { code, count_bytes, data: SharedOctets::default() }
    }

    /// Returns a command that writes these octets.
    #[must_use]
    pub fn write(code: u8, data: impl Into<SharedOctets>) -> Self {
        let data = data.into();
        Self { code, count_bytes: u32::try_from(data.len()).unwrap_or(u32::MAX), data }
    }

    /// Appends the command's CCWs to `commands`: one, or several with chained data.
    fn append_ccws(self, is_last: bool, commands: &mut Vec<ChainCommand>) {
        let Self { code, count_bytes, data } = self;
        let command_chaining = if is_last { ChainFlags::default() } else { ChainFlags::CC };
        let output = if data.is_empty() { IuData::None } else { IuData::Shared(data) };
        let mut from = 0;
        loop {
            let count = CCW_MAX_BYTES.min(count_bytes - from);
            let chaining = if from + count < count_bytes { ChainFlags::CD } else { command_chaining };
            let (flags, output) = (chaining.with(ChainFlags::SLI), output.slice(from, count));
            commands.push(ChainCommand { command: code, flags, count: count as u16, output });
            from += count;
            if from == count_bytes {
                return;
            }
        }
    }
}

/// Commands that are chained, one at least.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CtcProgram(pub Vec<CtcCommand>);

impl CtcProgram {
    /// Returns the program as an exchange carries it, and the counts of its CCWs.
    pub(super) fn into_exchange(self) -> Option<(Program, Vec<u16>)> {
        let mut ccws = Vec::new();
        let last = self.0.len().checked_sub(1)?;
        for (index, command) in self.0.into_iter().enumerate() {
            command.append_ccws(index == last, &mut ccws);
        }
        let counts = ccws.iter().map(|ccw| ccw.count).collect();
        let chain = CommandChain::new(ccws).ok()?.waiting();
        Some((Program::Command(Arc::new(chain)), counts))
    }
}

/// Ending of a program by its device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CtcEnd {
    /// Status of the command that ended it.
    pub status: DeviceStatus,
    /// Octets that all commands moved.
    pub moved_bytes: u32,
    /// Octets that all commands read, in pieces.
    pub data: Vec<SharedOctets>,
    /// Sense, with unit check.
    pub sense: Option<[u8; SENSE_BYTES]>,
}

impl CtcEnd {
    /// Returns the octets that were read, without the first `skipped` of them.
    #[must_use]
    pub fn octets_behind(&self, skipped: usize) -> SharedOctets {
        match &self.data[..] {
            [whole] if whole.len() >= skipped => whole.slice(skipped..whole.len()),
            [first, second] if first.len() == skipped => second.clone(),
            pieces => {
                let mut octets: Vec<u8> = pieces.iter().flat_map(|piece| piece.iter().copied()).collect();
                octets.drain(..skipped.min(octets.len()));
                octets.into()
            }
        }
    }
}

/// How a program ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CtcOutcome {
    /// By its device.
    Ended(CtcEnd),
    /// The device answered busy before anything was executed: an older program is there.
    Busy,
    /// The path or the exchange was lost, and it is not certain what was executed.
    Lost,
}

impl CtcOutcome {
    /// Returns the outcome of an exchange whose CCWs have these counts.
    pub(super) fn of_exchange(outcome: &ChannelOutcome, counts: &[u16], data: Vec<u8>) -> Self {
        match *outcome {
            ChannelOutcome::Ended { device_status, residual, sense, last_command, .. } => {
                let used = counts.iter().take(usize::from(last_command));
                let count: u32 = used.map(|count| u32::from(*count)).sum();
                let moved_bytes = count.saturating_sub(residual);
                let data = if data.is_empty() { Vec::new() } else { vec![data.into()] };
                Self::Ended(CtcEnd { status: DeviceStatus(device_status), moved_bytes, data, sense })
            }
            ChannelOutcome::Busy(_) => Self::Busy,
            _ => Self::Lost,
        }
    }
}

//! The program of an exchange: what the channel has to carry, without storage addresses.

mod aim;
mod scsi;

use std::sync::Arc;

use halftrack_program::{
    BuildError, CHECK_WORD_BYTES, CcwFlags, CommandProgram, DcwList, Geometry, Model, Operation,
    ProgramShape, Protocol, RecordAddress, TCAH_BYTES, Tcah, Tcat, TransportProgram, command_program,
    transport_program, with_check_word,
};
use halftrack_wire::choices::{MAX_IU_DATA_BYTES, track_check_word};
use halftrack_wire::{ChainFlags, IuData};
use thiserror::Error;

pub use scsi::{BLOCK_BYTES, ScsiRequest};

use crate::plan::Carrier;

/// Volume for which plans are recorded. Its size does not matter: no domain is longer than 255 tracks.
const PLAN_VOLUME: Model = Model::Model9;

/// Returns the geometry of the volume for which plans are recorded.
pub(crate) fn plan_geometry() -> Geometry {
    Geometry::of(PLAN_VOLUME)
}

/// First record of the programs for which plans are recorded: the first of a track. How many tracks a program
/// touches, and so its check words and track commands, depend on the record within the track; not on the track.
pub const PLAN_START: RecordAddress = RecordAddress { cylinder: 0, head: 0, record: 1 };

/// Command code of No-Operation.
const NO_OPERATION: u8 = 0x03;

/// Why a shape or a list of CCWs is no program of an exchange.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ProgramError {
    /// The shape has no channel program.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// There is no CCW.
    #[error("the program has no command")]
    Empty,
    /// A CCW with data chaining or suspension, which built programs do not have.
    #[error("command {0} chains data or suspends")]
    Flags(usize),
    /// More CCWs than their number can count.
    #[error("more than {} commands", u16::MAX)]
    TooMany,
    /// Chaining does not end with the last CCW, or ends before it.
    #[error("chaining ends at command {0}")]
    Chaining(usize),
    /// So many octets are no whole number of logical blocks.
    #[error("{0} octets are not one or more logical blocks of {BLOCK_BYTES}")]
    Blocks(u32),
    /// FCP carries no channel command words.
    #[error("FCP carries no program of command mode")]
    CommandMode,
}

/// One CCW of a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainCommand {
    /// Command code.
    pub command: u8,
    /// Chain-data, chain-command and suppress-incorrect-length flags.
    pub flags: ChainFlags,
    /// Count, bytes.
    pub count: u16,
    /// Parameters or data to the control unit; none for a read.
    pub output: IuData,
}

impl ChainCommand {
    /// Returns the IUs that the CCW takes from the channel.
    #[must_use]
    pub fn ius(&self) -> u32 {
        self.output.len().div_ceil(MAX_IU_DATA_BYTES).max(1)
    }

    /// Returns true for a CCW that moves user data, not parameters.
    #[must_use]
    pub fn transfers_data(&self) -> bool {
        self.count > 0 && !halftrack_wire::iu::is_control_command(self.command)
    }
}

/// CCWs chained by command or data chaining.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandChain {
    commands: Vec<ChainCommand>,
    may_wait: bool,
    is_reset: bool,
}

impl CommandChain {
    /// Returns a chain of these CCWs.
    ///
    /// # Errors
    /// No CCW or more than 65,535; a last CCW that chains or another that does not.
    pub fn new(commands: Vec<ChainCommand>) -> Result<CommandChain, ProgramError> {
        let last = commands.len().checked_sub(1).ok_or(ProgramError::Empty)?;
        if commands.len() > usize::from(u16::MAX) {
            return Err(ProgramError::TooMany);
        }
        for (index, command) in commands.iter().enumerate() {
            let chains = command.flags.has(ChainFlags::CC) || command.flags.has(ChainFlags::CD);
            if chains == (index == last) {
                return Err(ProgramError::Chaining(index));
            }
        }
        Ok(CommandChain { commands, may_wait: false, is_reset: false })
    }

    /// Returns the chain of a built program; its writes send `data`, one after the other.
    ///
    /// # Errors
    /// As [`CommandChain::new`].
    pub fn of_program(program: &CommandProgram, data: &IuData) -> Result<CommandChain, ProgramError> {
        let carried = CcwFlags::CHAIN_COMMAND.0 | CcwFlags::SUPPRESS_LENGTH.0;
        let suspended = |flags: u8| flags & CcwFlags::SUSPEND.0 != 0;
        let mut commands = Vec::with_capacity(program.ccws.len());
        let mut sent = 0;
        for (index, ccw) in program.ccws.iter().enumerate() {
            if CcwFlags(ccw.flags).contains(CcwFlags::CHAIN_DATA) || suspended(ccw.flags) {
                return Err(ProgramError::Flags(index));
            }
            let output = if !ccw.parameters.is_empty() {
                IuData::Bytes(ccw.parameters.clone())
            } else if is_write(ccw.command) {
                let from = sent;
                sent += u32::from(ccw.count);
                data.slice(from, u32::from(ccw.count))
            } else {
                IuData::None
            };
            let flags = ChainFlags(ccw.flags & carried);
            commands.push(ChainCommand { command: ccw.command, flags, count: ccw.count, output });
        }
        CommandChain::new(commands)
    }

    /// Returns the chain for a device that may keep a command waiting. Once the control unit has responded, only whoever started
    /// the chain bounds its time.
    #[must_use]
    pub fn waiting(self) -> CommandChain {
        CommandChain { may_wait: true, ..self }
    }

    /// Returns what resets a device on its logical path (selective reset), in the place of a program.
    #[must_use]
    pub fn reset() -> CommandChain {
        let flags = ChainFlags::default();
        let no_operation = ChainCommand { command: NO_OPERATION, flags, count: 1, output: IuData::None };
        CommandChain { commands: vec![no_operation], may_wait: false, is_reset: true }
    }

    /// Returns whether it resets the device and has no commands of its own.
    #[must_use]
    pub fn is_reset(&self) -> bool {
        self.is_reset
    }

    /// Returns whether the device may keep a command waiting.
    #[must_use]
    pub fn may_wait(&self) -> bool {
        self.may_wait
    }

    /// Returns the CCWs, in order; never empty.
    #[must_use]
    pub fn commands(&self) -> &[ChainCommand] {
        &self.commands
    }

    /// Returns the IUs of the CCW that takes most.
    #[must_use]
    pub fn longest_ius(&self) -> u32 {
        self.commands.iter().map(ChainCommand::ius).max().unwrap_or(1)
    }

    /// Returns the index of the CCW that always requests a command response: the first that moves user data, or the
    /// last.
    #[must_use]
    pub fn response_index(&self) -> usize {
        let first = self.commands.iter().position(ChainCommand::transfers_data);
        first.unwrap_or(self.commands.len() - 1)
    }
}

/// Returns true for command codes of the write class (xxxxxx01).
fn is_write(command: u8) -> bool {
    command & 0x03 == 0x01
}

/// A transport-mode program as the link carries it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransportRequest {
    /// The TCCB as in storage.
    pub tccb: Vec<u8>,
    /// True for a write, false for a read.
    pub write: bool,
    /// Bytes of user data on each track, in order.
    pub track_bytes: Vec<u32>,
    /// Octets that a write sends: user data, padding and the check words at track ends, the closing one left out.
    transfer: IuData,
}

impl TransportRequest {
    /// Returns the request of a built program whose user data lies on tracks with `track_bytes` each; a write sends
    /// `data`.
    ///
    /// # Errors
    /// A DCW list that does not fit.
    pub fn of_program(
        program: &TransportProgram,
        write: bool,
        track_bytes: Vec<u32>,
        data: &IuData,
    ) -> Result<TransportRequest, ProgramError> {
        let tccb = program.tccb.emit().map_err(BuildError::from)?;
        let mut request = TransportRequest { tccb, write, track_bytes, transfer: IuData::None };
        if let (true, IuData::Bytes(bytes)) = (write, data) {
            request.transfer = IuData::Bytes(request.with_check_words(bytes));
        } else if write {
            request.transfer = IuData::Count(request.transport_count().saturating_sub(CHECK_WORD_BYTES));
        }
        Ok(request)
    }

    /// Returns the user data of a write as they cross the link, without the closing check word.
    fn with_check_words(&self, data: &[u8]) -> Vec<u8> {
        let mut transfer = Vec::with_capacity(self.transport_count() as usize);
        let mut rest = data;
        for (index, &bytes) in self.track_bytes.iter().enumerate() {
            let (track, after) = rest.split_at(rest.len().min(bytes as usize));
            rest = after;
            transfer.extend_from_slice(track);
            transfer.resize(transfer.len().next_multiple_of(4), 0);
            if index + 1 < self.track_bytes.len() {
                transfer.extend_from_slice(&track_check_word(track).to_be_bytes());
            }
        }
        transfer
    }

    /// Returns what a write sends from `from` on, at most `length` bytes.
    #[must_use]
    pub fn burst(&self, from: u32, length: u32) -> IuData {
        self.transfer.slice(from, length)
    }

    /// Returns the bytes of user data.
    #[must_use]
    pub fn data_bytes(&self) -> u32 {
        self.track_bytes.iter().sum()
    }

    /// Returns the bytes that cross the link: user data, padding and check words. A write has a check word after each
    /// track, a read one at the end (channel-programs reference 6.2, 7.4).
    #[must_use]
    pub fn transport_count(&self) -> u32 {
        let data =
            if self.write { self.write_spans().last().map_or(0, |span| span.1) } else { self.data_bytes() };
        if data == 0 { 0 } else { with_check_word(data) }
    }

    /// Returns the user bytes of a write among the bytes `from..to` of the transfer.
    #[must_use]
    pub fn user_bytes(&self, from: u32, to: u32) -> u32 {
        self.write_spans().map(|(start, end)| end.min(to).saturating_sub(start.max(from))).sum()
    }

    /// Returns where the user data of each track lies in a write's transfer.
    fn write_spans(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let mut start = 0;
        self.track_bytes.iter().map(move |&bytes| {
            let span = (start, start + bytes);
            start += with_check_word(bytes);
            span
        })
    }
}

/// The program of an exchange.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Program {
    /// Command mode.
    Command(Arc<CommandChain>),
    /// Transport mode.
    Transport(Arc<TransportRequest>),
    /// A SCSI command, over FCP.
    Scsi(Arc<ScsiRequest>),
}

impl Program {
    /// Returns the program of a shape, as plans are recorded for it.
    ///
    /// # Errors
    /// The shape has no channel program, or no SCSI command where FCP carries it.
    pub fn of_shape(
        shape: &ProgramShape,
        protocol: Protocol,
        carrier: Carrier,
    ) -> Result<Program, ProgramError> {
        let data = IuData::Count(shape.data_bytes());
        match (carrier, protocol) {
            (Carrier::Fcp, Protocol::Transport) => Program::scsi(shape, 0, &data),
            (Carrier::Fcp, Protocol::Command) => Err(ProgramError::CommandMode),
            (Carrier::Ficon | Carrier::Escon | Carrier::Parallel, _) => {
                Program::at(shape, protocol, &PLAN_START, &plan_geometry(), &data)
            }
        }
    }

    /// Returns the SCSI command that moves the records of a shape from this logical block on; a write sends `data`. It takes
    /// the same units as the plan of the shape.
    ///
    /// # Errors
    /// The records are no whole blocks.
    pub fn scsi(shape: &ProgramShape, first_block: u64, data: &IuData) -> Result<Program, ProgramError> {
        ScsiRequest::of_shape(shape, first_block, data).map(|request| Program::Scsi(Arc::new(request)))
    }

    /// Returns the program of a shape for the records from `start` of a volume of `geometry`; a write sends `data`. It
    /// takes the same IUs as the plan of the shape when `start` is the first record of a track, or the shape has one
    /// record only.
    ///
    /// # Errors
    /// The shape has no channel program there.
    pub fn at(
        shape: &ProgramShape,
        protocol: Protocol,
        start: &RecordAddress,
        geometry: &Geometry,
        data: &IuData,
    ) -> Result<Program, ProgramError> {
        match protocol {
            Protocol::Command => {
                let program = command_program(shape, start, geometry)?;
                Ok(Program::Command(Arc::new(CommandChain::of_program(&program, data)?)))
            }
            Protocol::Transport => {
                let program = transport_program(shape, start, geometry)?;
                let write = shape.operation == Operation::UpdateWrite;
                let per_track = geometry.records_per_track(shape.record_bytes, 0);
                let tracks = track_bytes(shape, start.record, per_track);
                let request = TransportRequest::of_program(&program, write, tracks, data)?;
                Ok(Program::Transport(Arc::new(request)))
            }
        }
    }
}

/// Returns the user bytes of a shape on each track when it begins with record `record` of a track.
fn track_bytes(shape: &ProgramShape, record: u8, records_per_track: u8) -> Vec<u32> {
    let mut left = shape.data_bytes();
    let full = u32::from(records_per_track.max(1)) * u32::from(shape.record_bytes);
    let mut room = full.saturating_sub(u32::from(record.max(1) - 1) * u32::from(shape.record_bytes));
    std::iter::from_fn(move || {
        let bytes = left.min(room);
        (left, room) = (left - bytes, full);
        (bytes > 0).then_some(bytes)
    })
    .collect()
}

/// Returns the bytes that cross the link as a TCCB states them, and the bytes of user data of its DCWs. `None` when the
/// two cannot belong together.
pub(crate) fn stated_counts(tccb: &[u8]) -> Option<(u32, u32)> {
    let tcah = Tcah::parse(tccb).ok()?;
    let end = TCAH_BYTES + tcah.area_bytes();
    let area = tccb.get(TCAH_BYTES..end)?;
    let mut data = 0_u32;
    for dcw in DcwList::new(area) {
        data = data.checked_add(dcw.ok()?.data_count)?;
    }
    let count = Tcat::parse(&tccb[end..]).ok()?.transport_count;
    if data == 0 {
        return Some((0, 0));
    }
    let least = data.checked_next_multiple_of(4)?.checked_add(CHECK_WORD_BYTES)?;
    (count.is_multiple_of(4) && count >= least).then_some((count, data))
}

#[cfg(test)]
mod tests {
    use halftrack_program::{Grouping, Positioning, Tccb};

    use super::*;

    fn shape(operation: Operation, record_bytes: u16, records: u16) -> ProgramShape {
        let (grouping, positioning) = (Grouping::Records, Positioning::Prefix);
        ProgramShape { operation, record_bytes, records, grouping, positioning }
    }

    fn transport(shape: &ProgramShape) -> Arc<TransportRequest> {
        match Program::of_shape(shape, Protocol::Transport, Carrier::Ficon).unwrap() {
            Program::Transport(request) => request,
            Program::Command(_) | Program::Scsi(_) => panic!("no program of transport mode"),
        }
    }

    /// The transfer's length computed here is the one that the program's builder states in the TCCB.
    #[test]
    fn transport_count_agrees_with_the_tccb() {
        for operation in [Operation::Read, Operation::UpdateWrite] {
            for (bytes, records) in [(4096, 1), (4096, 32), (27_998, 6), (4095, 30), (1, 1), (56_664, 3)] {
                let request = transport(&shape(operation, bytes, records));
                let tccb = Tccb::parse(&request.tccb).unwrap();
                assert_eq!(
                    request.transport_count(),
                    tccb.tcat.transport_count,
                    "{operation:?} {bytes} {records}"
                );
                assert_eq!(
                    stated_counts(&request.tccb),
                    Some((request.transport_count(), request.data_bytes()))
                );
            }
        }
    }

    #[test]
    fn user_bytes_skip_check_words() {
        let request = transport(&shape(Operation::UpdateWrite, 4095, 14));
        let track = 12 * 4095;
        assert_eq!(request.track_bytes, [track, 2 * 4095]);
        assert_eq!(request.user_bytes(0, u32::MAX), 14 * 4095);
        assert_eq!(request.user_bytes(track - 2, track + 4), 2);
        assert_eq!(request.user_bytes(with_check_word(track), with_check_word(track) + 8), 8);
    }

    #[test]
    fn chains_that_an_exchange_does_not_carry() {
        let command = |flags| ChainCommand { command: 6, flags, count: 8, output: IuData::None };
        assert_eq!(CommandChain::new(vec![]), Err(ProgramError::Empty));
        assert_eq!(CommandChain::new(vec![command(ChainFlags::CD)]), Err(ProgramError::Chaining(0)));
        assert_eq!(CommandChain::new(vec![command(ChainFlags::CC)]), Err(ProgramError::Chaining(0)));
        let plain = command(ChainFlags::default());
        assert_eq!(CommandChain::new(vec![plain.clone(), plain]), Err(ProgramError::Chaining(0)));
    }

    #[test]
    fn ius_of_a_ccw() {
        let write = |count: u32| ChainCommand {
            command: 5,
            flags: ChainFlags::default(),
            count: count as u16,
            output: IuData::Count(count),
        };
        assert_eq!([4096, 8192, 8193, 27_998, 65_535].map(|count| write(count).ius()), [1, 1, 2, 4, 8]);
    }
}

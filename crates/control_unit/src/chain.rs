//! One command chain on one device: what its commands so far allow the next one to do.
//!
//! ```text
//! Define Extent (63) ── extent ──► Locate Record (47, 4B) ── domain ──► reads, writes ──► (count used up)
//! Prefix (E7) does both.           may come again  ◄─────────────────────────────────────────┘
//! ```

use halftrack_program::command::{
    DEFINE_EXTENT, LOCATE_RECORD, LOCATE_RECORD_EXTENDED, NO_OPERATION, PREFIX, READ_TRACK,
};
use halftrack_program::{
    DEFINE_EXTENT_BYTES, LOCATE_RECORD_BYTES, LOCATE_RECORD_EXTENDED_BYTES, PREFIX_BYTES, TrackAddress,
};

use crate::access::Access;
use crate::data_phase::{CommandOutcome, DataPhase, Direction};
use crate::domain::Domain;
use crate::ending::Ending;
use crate::extent::Extent;
use crate::position::Position;
use crate::sense::{Message, Sense, UnitCheck};
use crate::tracks::Tracks;

/// The state of one command chain on one device. A new chain starts with a new value; after an ending
/// other than [`Ending::Normal`] the channel sends no further command of the chain.
#[derive(Debug, Clone, Default)]
pub struct Chain {
    pub(crate) extent: Option<Extent>,
    pub(crate) domain: Option<Domain>,
    pub(crate) position: Option<Position>,
    pub(crate) previous: Option<u8>,
}

impl Chain {
    /// The state before the first command.
    pub fn new() -> Self {
        Self::default()
    }

    /// Executes one CCW of a command-mode program. `count` is that of the CCW; `parameters` are the bytes
    /// that the channel sent with a control command, and are not looked at otherwise.
    pub fn execute(
        &mut self,
        tracks: &impl Tracks,
        command: u8,
        count: u32,
        parameters: &[u8],
    ) -> CommandOutcome {
        match Access::of(command).map(Access::direction) {
            Some(Direction::Write) => self.begin_write(tracks, command, count).into(),
            Some(_) => self.begin_read(tracks, command, count).into(),
            None => self.execute_control(tracks, command, parameters),
        }
    }

    fn execute_control(&mut self, tracks: &impl Tracks, command: u8, parameters: &[u8]) -> CommandOutcome {
        let mut ending = self.control(tracks, command, parameters);
        let imbedded = self.domain.as_ref().and_then(Domain::imbedded);
        if ending.is_normal() && imbedded.is_some() {
            // An imbedded command has a meaning in a DCW only.
            ending = self.unit_check(tracks, UnitCheck::CommandReject(Message::InvalidParameter));
        }
        let device_bytes = parameter_bytes(command) as u32;
        CommandOutcome {
            ending,
            data_bytes: device_bytes.min(parameters.len() as u32),
            device_bytes,
            direction: if device_bytes == 0 { Direction::None } else { Direction::Control },
        }
    }

    /// Executes a control command with its parameters.
    pub fn control(&mut self, tracks: &impl Tracks, command: u8, parameters: &[u8]) -> Ending {
        let result = match command {
            PREFIX => self.prefix(tracks, parameters),
            DEFINE_EXTENT => self.define_extent(tracks, parameters),
            LOCATE_RECORD => self.locate_record(tracks, parameters),
            LOCATE_RECORD_EXTENDED => self.locate_record_extended(tracks, parameters),
            NO_OPERATION => self.outside_domain(),
            _ => Err(UnitCheck::CommandReject(Message::InvalidCommand)),
        };
        self.previous = Some(command);
        match result {
            Ok(()) => Ending::Normal,
            Err(reason) => self.unit_check(tracks, reason),
        }
    }

    /// Begins a read of at most `count` bytes.
    ///
    /// # Errors
    /// The ending, a unit check, when the command is refused.
    pub fn begin_read(&mut self, tracks: &impl Tracks, command: u8, count: u32) -> Result<DataPhase, Ending> {
        self.begin(tracks, command, Direction::Read, count)
    }

    /// Begins a write of `count` bytes. A record that gets fewer than it has is padded with zeros; what is
    /// left over of more is the residual.
    ///
    /// # Errors
    /// The ending, a unit check, when the command is refused.
    pub fn begin_write(
        &mut self,
        tracks: &impl Tracks,
        command: u8,
        count: u32,
    ) -> Result<DataPhase, Ending> {
        self.begin(tracks, command, Direction::Write, count)
    }

    fn begin(
        &mut self,
        tracks: &impl Tracks,
        command: u8,
        direction: Direction,
        count: u32,
    ) -> Result<DataPhase, Ending> {
        let result = match Access::of(command).filter(|access| access.direction() == direction) {
            Some(access) => self.transfer(tracks, access, count),
            None => Err(UnitCheck::CommandReject(Message::InvalidCommand)),
        };
        self.previous = Some(command);
        result.map_err(|reason| self.unit_check(tracks, reason))
    }

    /// Whether the command before this one was Read Track or a Locate Record in any form.
    pub(crate) fn follows_locate_or_read_track(&self) -> bool {
        matches!(self.previous, Some(LOCATE_RECORD | LOCATE_RECORD_EXTENDED | PREFIX | READ_TRACK))
    }

    /// Fails when a domain is open.
    pub(crate) fn outside_domain(&self) -> Result<(), UnitCheck> {
        match self.domain {
            None => Ok(()),
            Some(_) => Err(UnitCheck::CommandReject(Message::InvalidSequence)),
        }
    }

    /// The unit check of `reason` where the device stands.
    pub(crate) fn unit_check(&self, tracks: &impl Tracks, reason: UnitCheck) -> Ending {
        let track = self.position.map_or(TrackAddress::default(), |position| position.track());
        Ending::UnitCheck(Sense::new(reason, track, tracks.geometry()))
    }
}

/// Bytes of parameters that a control command needs; 0 for one that has none or is not known.
fn parameter_bytes(command: u8) -> usize {
    match command {
        PREFIX => PREFIX_BYTES,
        DEFINE_EXTENT => DEFINE_EXTENT_BYTES,
        LOCATE_RECORD => LOCATE_RECORD_BYTES,
        LOCATE_RECORD_EXTENDED => LOCATE_RECORD_EXTENDED_BYTES,
        _ => 0,
    }
}

impl From<Result<DataPhase, Ending>> for CommandOutcome {
    fn from(result: Result<DataPhase, Ending>) -> Self {
        match result {
            Ok(phase) => Self {
                ending: phase.ending,
                data_bytes: phase.data_bytes,
                device_bytes: phase.device_bytes,
                direction: phase.direction,
            },
            Err(ending) => Self { ending, data_bytes: 0, device_bytes: 0, direction: Direction::None },
        }
    }
}

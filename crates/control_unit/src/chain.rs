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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tracks::UniformTracks;
    use halftrack_program::{
        CommandProgram, Geometry, Grouping, Model, Operation, Positioning, ProgramShape, RecordAddress,
        command_program,
    };
    use proptest::prelude::*;

    /// Runs a program; gives the bytes of data that moved and whether a length was incorrect.
    fn run(program: &CommandProgram, tracks: &UniformTracks) -> (u32, bool) {
        let mut chain = Chain::new();
        let mut moved = 0;
        let mut incorrect = false;
        for ccw in &program.ccws {
            let count = u32::from(ccw.count);
            let outcome = chain.execute(tracks, ccw.command, count, &ccw.parameters);
            assert!(outcome.ending.is_normal(), "{ccw:?}: {outcome:?}");
            let suppressed = ccw.flags & halftrack_program::CcwFlags::SUPPRESS_LENGTH.0 != 0;
            incorrect |= outcome.device_bytes != count && !suppressed;
            if outcome.direction != Direction::Control {
                moved += outcome.data_bytes;
            }
        }
        assert!(chain.domain.is_none(), "the domain is used up");
        (moved, incorrect)
    }

    proptest! {
        #[test]
        fn what_the_builder_builds_the_control_unit_executes(
            record_bytes in 1..=56_664_u16, records in 1..=200_u16, record in 1..=78_u8, head in 0..15_u8,
            write in any::<bool>(), grouping in 0..3_usize, classic in any::<bool>(),
        ) {
            let geometry = Geometry::of(Model::Model9);
            let shape = ProgramShape {
                operation: if write { Operation::UpdateWrite } else { Operation::Read },
                record_bytes,
                records,
                grouping: [Grouping::Records, Grouping::Midaw, Grouping::TrackData][grouping],
                positioning: if classic { Positioning::DefineExtentLocateRecord } else { Positioning::Prefix },
            };
            let per_track = geometry.records_per_track(record_bytes, 0);
            let start = RecordAddress { cylinder: 100, head, record: (record - 1) % per_track + 1 };
            let tracks = UniformTracks::new(geometry, record_bytes);
            if let Ok(program) = command_program(&shape, &start, &geometry) {
                prop_assert_eq!(run(&program, &tracks), (shape.data_bytes(), false));
            } else {
                prop_assert!(write && classic && shape.grouping != Grouping::Records);
            }
        }

        #[test]
        fn any_commands_end_somehow(
            commands in prop::collection::vec((any::<u8>(), any::<u16>(), prop::collection::vec(any::<u8>(), 0..70)), 0..8)
        ) {
            let tracks = UniformTracks::new(Geometry::of(Model::Model3), 4096);
            let mut chain = Chain::new();
            for (command, count, parameters) in commands {
                let outcome = chain.execute(&tracks, command, u32::from(count), &parameters);
                prop_assert!(outcome.data_bytes <= outcome.device_bytes);
            }
        }
    }

    #[test]
    fn a_no_operation_moves_nothing() {
        let tracks = UniformTracks::new(Geometry::of(Model::Model3), 4096);
        let outcome = Chain::new().execute(&tracks, NO_OPERATION, 1, &[]);
        assert_eq!(outcome.ending, Ending::Normal);
        assert_eq!((outcome.direction, outcome.data_bytes), (Direction::None, 0));
    }
}

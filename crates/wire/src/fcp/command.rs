//! FCP_CMND: a SCSI command, or a task management function (FCP-4; FCP reference section 1.2).

use halftrack_base::Octets;

use super::lun::Lun;
use crate::error::ParseError;

/// Octets of a command whose CDB has 16 octets.
pub const COMMAND_BYTES: usize = 32;
/// Octets of a CDB that every command has room for.
pub const CDB_BYTES: usize = 16;
/// Octets of the longest CDB: no command in use has more.
pub const CDB_MAX_BYTES: usize = 32;
/// Octets of the longest command.
pub const COMMAND_MAX_BYTES: usize = COMMAND_BYTES + CDB_MAX_BYTES - CDB_BYTES;

const WRITE_DATA: u8 = 0x01;
const READ_DATA: u8 = 0x02;
/// Bits of the octet that count additional words of the CDB.
const ADDITIONAL_LENGTH: u8 = 0xFC;
const PRIORITY: u8 = 0x78;
const ATTRIBUTE: u8 = 0x07;

/// Command descriptor block, padded with zeros to 16 or 32 octets; TEST UNIT READY by default, all zeros.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Cdb {
    octets: [u8; CDB_MAX_BYTES],
    is_long: bool,
}

impl Cdb {
    /// Returns the block with these octets; none for more than 32.
    #[must_use]
    pub fn new(octets: &[u8]) -> Option<Self> {
        let mut padded = [0; CDB_MAX_BYTES];
        padded.get_mut(..octets.len())?.copy_from_slice(octets);
        Some(Self { octets: padded, is_long: octets.len() > CDB_BYTES })
    }

    /// Returns the octets, 16 or 32.
    #[must_use]
    pub fn octets(&self) -> &[u8] {
        if self.is_long { &self.octets } else { &self.octets[..CDB_BYTES] }
    }

    /// Returns the operation code.
    #[must_use]
    pub const fn operation_code(&self) -> u8 {
        self.octets[0]
    }
}

/// Place of a command in the order of its logical unit's tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum TaskAttribute {
    /// In any order.
    #[default]
    Simple,
    /// Before all others.
    HeadOfQueue,
    /// Behind all older and before all newer ones.
    Ordered,
    /// Auto contingent allegiance.
    Aca,
}

impl TaskAttribute {
    const fn code(self) -> u8 {
        match self {
            Self::Simple => 0,
            Self::HeadOfQueue => 1,
            Self::Ordered => 2,
            Self::Aca => 4,
        }
    }

    /// Returns the attribute with this code. The obsolete untagged one counts as simple.
    fn of_code(code: u8) -> Result<Self, ParseError> {
        match code {
            0 | 5 => Ok(Self::Simple),
            1 => Ok(Self::HeadOfQueue),
            2 => Ok(Self::Ordered),
            4 => Ok(Self::Aca),
            _ => Err(ParseError::Field { field: "task attribute", value: u32::from(code) }),
        }
    }
}

/// Task management function that a command carries. ABORT TASK is ABTS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TaskManagement {
    /// ABORT TASK SET.
    AbortTaskSet,
    /// CLEAR TASK SET.
    ClearTaskSet,
    /// LOGICAL UNIT RESET.
    LogicalUnitReset,
    /// TARGET RESET.
    TargetReset,
    /// CLEAR ACA.
    ClearAca,
}

impl TaskManagement {
    /// Every function with its flag.
    pub const ALL: [(Self, u8); 5] = [
        (Self::AbortTaskSet, 0x02),
        (Self::ClearTaskSet, 0x04),
        (Self::LogicalUnitReset, 0x10),
        (Self::TargetReset, 0x20),
        (Self::ClearAca, 0x40),
    ];

    fn flag(self) -> u8 {
        Self::ALL.iter().find(|entry| entry.0 == self).map_or(0, |entry| entry.1)
    }

    fn of_flags(flags: u8) -> Result<Self, ParseError> {
        let value = u32::from(flags);
        let found = Self::ALL.iter().find(|entry| entry.1 == flags);
        found.map(|entry| entry.0).ok_or(ParseError::Field { field: "task management flags", value })
    }
}

/// Direction of a command's data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum DataDirection {
    /// No data.
    #[default]
    None,
    /// To the initiator (RDDATA).
    In,
    /// To the target (WRDATA).
    Out,
}

/// Contents of an FCP_CMND beside its logical unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FcpTask {
    /// A SCSI command.
    Command {
        /// Command reference number; 0 when none is used.
        reference_number: u8,
        /// Priority, 4 bits.
        priority: u8,
        /// Task attribute.
        attribute: TaskAttribute,
        /// The command itself.
        cdb: Cdb,
        /// Direction of the data.
        direction: DataDirection,
        /// Octets that the initiator has room for or will send (FCP_DL).
        data_bytes: u32,
    },
    /// A task management function.
    Management(TaskManagement),
}

/// FCP_CMND.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FcpCommand {
    /// Addressee.
    pub logical_unit: Lun,
    /// Contents.
    pub task: FcpTask,
}

impl FcpCommand {
    /// Returns a simple command without priority and reference number.
    #[must_use]
    pub const fn simple(logical_unit: Lun, cdb: Cdb, direction: DataDirection, data_bytes: u32) -> Self {
        let attribute = TaskAttribute::Simple;
        let task =
            FcpTask::Command { reference_number: 0, priority: 0, attribute, cdb, direction, data_bytes };
        Self { logical_unit, task }
    }

    /// Returns the direction of the data and their octets as FCP_DL has them.
    #[must_use]
    pub const fn transfer(&self) -> (DataDirection, u32) {
        match self.task {
            FcpTask::Command { direction: DataDirection::None, .. } | FcpTask::Management(_) => {
                (DataDirection::None, 0)
            }
            FcpTask::Command { direction, data_bytes, .. } => (direction, data_bytes),
        }
    }

    /// Reads a command. CDB and FCP_DL of a task management function are ignored, as is FCP_DL without a direction.
    ///
    /// # Errors
    /// A wrong length; several functions, a function with data, data both ways, a CDB of more than 32 octets, an unknown
    /// attribute.
    pub fn parse(octets: &[u8]) -> Result<Self, ParseError> {
        let got = octets.len();
        let mut reader = Octets::new(octets);
        let logical_unit = Lun(reader.array()?);
        let [reference_number, queueing, functions, control] = reader.array()?;
        let additional = usize::from(control & ADDITIONAL_LENGTH);
        let expected = COMMAND_BYTES + additional;
        if got != expected {
            return Err(ParseError::Length { expected, got });
        }
        let directions = control & (READ_DATA | WRITE_DATA);
        if functions != 0 {
            if directions != 0 {
                return Err(ParseError::Field { field: "data of a function", value: u32::from(control) });
            }
            let task = FcpTask::Management(TaskManagement::of_flags(functions)?);
            return Ok(Self { logical_unit, task });
        }
        let direction = match directions {
            0 => DataDirection::None,
            READ_DATA => DataDirection::In,
            WRITE_DATA => DataDirection::Out,
            both => return Err(ParseError::Field { field: "data both ways", value: u32::from(both) }),
        };
        if additional != 0 && additional != CDB_MAX_BYTES - CDB_BYTES {
            return Err(ParseError::Field { field: "additional CDB length", value: u32::from(control) });
        }
        let cdb_octets = reader.take(CDB_BYTES + additional)?;
        let mut cdb = Cdb { octets: [0; CDB_MAX_BYTES], is_long: additional != 0 };
        cdb.octets[..cdb_octets.len()].copy_from_slice(cdb_octets);
        let stated = reader.word()?;
        let task = FcpTask::Command {
            reference_number,
            priority: (queueing & PRIORITY) >> 3,
            attribute: TaskAttribute::of_code(queueing & ATTRIBUTE)?,
            cdb,
            direction,
            data_bytes: if direction == DataDirection::None { 0 } else { stated },
        };
        Ok(Self { logical_unit, task })
    }

    /// Returns the octets of the payload.
    #[must_use]
    pub const fn payload_bytes(&self) -> usize {
        match self.task {
            FcpTask::Command { cdb: Cdb { is_long: true, .. }, .. } => COMMAND_MAX_BYTES,
            FcpTask::Command { .. } | FcpTask::Management(_) => COMMAND_BYTES,
        }
    }

    /// Returns the octets in the first [`FcpCommand::payload_bytes`] of an array.
    #[must_use]
    pub fn emit(&self) -> [u8; COMMAND_MAX_BYTES] {
        let mut octets = [0; COMMAND_MAX_BYTES];
        octets[..8].copy_from_slice(&self.logical_unit.0);
        match &self.task {
            FcpTask::Management(function) => octets[10] = function.flag(),
            FcpTask::Command { reference_number, priority, attribute, cdb, .. } => {
                let (direction, data_bytes) = self.transfer();
                let block = cdb.octets();
                let end = 12 + block.len();
                octets[8] = *reference_number;
                octets[9] = priority << 3 & PRIORITY | attribute.code();
                octets[11] = (block.len() - CDB_BYTES) as u8
                    | match direction {
                        DataDirection::None => 0,
                        DataDirection::In => READ_DATA,
                        DataDirection::Out => WRITE_DATA,
                    };
                octets[12..end].copy_from_slice(block);
                octets[end..end + 4].copy_from_slice(&data_bytes.to_be_bytes());
            }
        }
        octets
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const UNIT: Lun = Lun([0; 8]);

    fn octets(command: &FcpCommand) -> Vec<u8> {
        command.emit()[..command.payload_bytes()].to_vec()
    }

    /// The READ(10) of the Fibre Channel reference, section 9.3.
    #[test]
    fn worked_read_command() {
        let cdb = Cdb::new(&[0x28, 0, 0, 0, 0x10, 0, 0, 0, 8, 0]).unwrap();
        let read = FcpCommand::simple(UNIT, cdb, DataDirection::In, 4096);
        let mut expected = vec![0; 32];
        expected[11] = 2;
        expected[12..21].copy_from_slice(&[0x28, 0, 0, 0, 0x10, 0, 0, 0, 8]);
        expected[28..].copy_from_slice(&[0, 0, 0x10, 0]);
        assert_eq!(octets(&read), expected);
        assert_eq!(FcpCommand::parse(&expected), Ok(read));
    }

    /// The logical unit reset of the FCP reference, section 6.5.
    #[test]
    fn worked_logical_unit_reset() {
        let logical_unit = Lun([0x40, 7, 0, 0, 0, 0, 0, 0]);
        let reset = FcpCommand { logical_unit, task: FcpTask::Management(TaskManagement::LogicalUnitReset) };
        let mut expected = vec![0x40, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0x10, 0];
        expected.resize(32, 0);
        assert_eq!(octets(&reset), expected);
        assert_eq!(FcpCommand::parse(&expected), Ok(reset));
    }

    #[test]
    fn a_long_cdb_moves_the_data_length_behind_it() {
        let cdb = Cdb::new(&[0x7F; 32]).unwrap();
        let write = FcpCommand::simple(UNIT, cdb, DataDirection::Out, 512);
        let octets = octets(&write);
        assert_eq!((octets.len(), octets[11], &octets[44..]), (48, 0x11, &[0, 0, 2, 0][..]));
        assert_eq!(FcpCommand::parse(&octets), Ok(write));
        assert_eq!(Cdb::new(&[0; 33]), None);
    }

    #[test]
    fn invalid_fields_are_refused() {
        let field = |octet: usize, value: u8| {
            let mut octets = [0; 32];
            octets[octet] = value;
            FcpCommand::parse(&octets)
        };
        assert!(matches!(field(10, 0x12), Err(ParseError::Field { field: "task management flags", .. })));
        assert!(matches!(field(10, 0x01), Err(ParseError::Field { field: "task management flags", .. })));
        assert!(matches!(field(11, 0x03), Err(ParseError::Field { field: "data both ways", .. })));
        assert!(matches!(field(9, 0x03), Err(ParseError::Field { field: "task attribute", .. })));
        assert!(field(9, 0x05).is_ok(), "untagged is simple");
        assert_eq!(field(11, 0x10), Err(ParseError::Length { expected: 48, got: 32 }));
        let mut both = [0; 32];
        (both[10], both[11]) = (0x10, 0x02);
        assert!(matches!(FcpCommand::parse(&both), Err(ParseError::Field { .. })));
        let mut shorter = [0; 36];
        shorter[11] = 4;
        assert!(matches!(
            FcpCommand::parse(&shorter),
            Err(ParseError::Field { field: "additional CDB length", .. })
        ));
        for length in 0..32 {
            assert!(FcpCommand::parse(&[0; 32][..length]).is_err(), "{length}");
        }
    }

    proptest! {
        #[test]
        fn any_command_round_trips(
            logical_unit: [u8; 8],
            (reference_number, priority) in (any::<u8>(), 0_u8..16),
            attribute in prop::sample::select(vec![
                TaskAttribute::Simple, TaskAttribute::HeadOfQueue, TaskAttribute::Ordered, TaskAttribute::Aca,
            ]),
            block in prop::collection::vec(any::<u8>(), 0..33),
            direction in prop::sample::select(vec![DataDirection::None, DataDirection::In, DataDirection::Out]),
            data_bytes: u32,
        ) {
            let cdb = Cdb::new(&block).unwrap();
            let data_bytes = if direction == DataDirection::None { 0 } else { data_bytes };
            let task =
                FcpTask::Command { reference_number, priority, attribute, cdb, direction, data_bytes };
            let command = FcpCommand { logical_unit: Lun(logical_unit), task };
            prop_assert_eq!(FcpCommand::parse(&octets(&command)), Ok(command));
        }

        #[test]
        fn any_octets_parse_or_fail_and_reparse(octets in prop::collection::vec(any::<u8>(), 0..64)) {
            if let Ok(command) = FcpCommand::parse(&octets) {
                let emitted = command.emit();
                let emitted = &emitted[..command.payload_bytes()];
                prop_assert_eq!(FcpCommand::parse(emitted), Ok(command));
            }
        }
    }
}

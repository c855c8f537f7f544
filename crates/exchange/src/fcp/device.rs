//! The SCSI device behind a target.

use halftrack_wire::fcp::{Cdb, Lun, ResponseCode, ScsiStatus, TaskManagement};

/// Initiator and logical unit of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Nexus {
    /// Address of the initiator's port.
    pub initiator: u32,
    /// Logical unit.
    pub unit: Lun,
}

/// End of a SCSI command.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ScsiEnding {
    /// Status.
    pub status: ScsiStatus,
    /// Sense; none without an exception.
    pub sense: Vec<u8>,
    /// Data for the initiator: all that the command calls for, whatever the initiator has room for.
    pub data: Vec<u8>,
    /// Status qualifier.
    pub retry_delay: u16,
    /// The initiator is to confirm the response, where that was agreed: it has a condition that is reported once.
    pub wants_confirmation: bool,
}

/// All logical units of a target.
pub trait ScsiDevice {
    /// Returns the octets that a command takes from the initiator, 0 for one that takes none. Nothing is changed yet.
    ///
    /// # Errors
    /// The command ends before any data move.
    fn data_out_bytes(&mut self, nexus: Nexus, cdb: &Cdb) -> Result<u32, ScsiEnding>;

    /// Executes a command with its data. They are fewer than it takes where the initiator sends no more.
    fn execute(&mut self, nexus: Nexus, cdb: &Cdb, data: &[u8]) -> ScsiEnding;

    /// Performs a task management function. The tasks that it ends are ended by the task set.
    fn manage(&mut self, nexus: Nexus, function: TaskManagement) -> ResponseCode;
}

//! The SCSI device behind a target.

use halftrack_base::Time;
use halftrack_wire::fcp::{FcpCommand, Lun, Residual, ResponseCode, ScsiStatus, TaskManagement};

/// Address of the initiator and originator's id of an exchange.
pub type TaskTag = (u32, u16);

/// End of a SCSI command.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ScsiEnding {
    /// Status.
    pub status: ScsiStatus,
    /// Sense; none without an exception.
    pub sense: Vec<u8>,
    /// Data for the initiator, no more than it has room for.
    pub data: Vec<u8>,
    /// Octets that do not move.
    pub residual: Residual,
    /// Status qualifier.
    pub retry_delay: u16,
    /// The initiator is to confirm the response, where that was agreed: it has a condition that is reported once.
    pub wants_confirmation: bool,
}

/// Progress of a command at its device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScsiProgress {
    /// So many octets are to be fetched from the initiator, at least one.
    DataOut(u32),
    /// The command is over.
    Ended(ScsiEnding),
    /// Older commands are before it; [`ScsiDevice::poll_progress`] reports when it goes on.
    Waits,
    /// The command was ended by another one, without a response.
    Aborted,
}

/// All logical units of a target.
pub trait ScsiDevice {
    /// Begins a command.
    fn begin(&mut self, now: Time, task: TaskTag, command: &FcpCommand) -> ScsiProgress;

    /// Goes on with a command whose data have come, all of them.
    fn finish(&mut self, now: Time, task: TaskTag, data: &[u8]) -> ScsiProgress;

    /// Drops a command that is not over.
    fn abort(&mut self, now: Time, task: TaskTag);

    /// Performs a task management function of an initiator.
    fn manage(&mut self, now: Time, initiator: u32, unit: Lun, function: TaskManagement) -> ResponseCode;

    /// Returns the progress of a command that waited, or that another one ended; nothing where no command waits.
    fn poll_progress(&mut self) -> Option<(TaskTag, ScsiProgress)> {
        None
    }

    /// Returns the data of a read command once more; nothing for a command that cannot be repeated without an effect.
    fn read_again(&mut self, _initiator: u32, _command: &FcpCommand) -> Option<Vec<u8>> {
        None
    }

    /// Takes an empty buffer for data if one is needed; by default none is.
    fn lend(&mut self, _buffer: &mut Vec<u8>) {}
}

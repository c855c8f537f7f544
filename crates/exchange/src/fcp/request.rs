//! An FCP exchange that an initiator begins: its command, and the data that go with it.

use halftrack_wire::fcp::{Cdb, DataDirection, FcpCommand, FcpTask, Lun, TaskManagement};

/// A command or a task management function, with data to the target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FcpRequest {
    command: FcpCommand,
    data_out: Vec<u8>,
}

impl FcpRequest {
    /// Returns a command without data.
    #[must_use]
    pub const fn without_data(unit: Lun, cdb: Cdb) -> Self {
        let command = FcpCommand::simple(unit, cdb, DataDirection::None, 0);
        Self { command, data_out: Vec::new() }
    }

    /// Returns a command for whose data the initiator has room for so many octets.
    #[must_use]
    pub const fn read(unit: Lun, cdb: Cdb, room_bytes: u32) -> Self {
        let command = FcpCommand::simple(unit, cdb, DataDirection::In, room_bytes);
        Self { command, data_out: Vec::new() }
    }

    /// Returns a command with data to the target; those beyond 4 GiB are left out.
    #[must_use]
    pub fn write(unit: Lun, cdb: Cdb, mut data_out: Vec<u8>) -> Self {
        data_out.truncate(u32::MAX as usize);
        let command = FcpCommand::simple(unit, cdb, DataDirection::Out, data_out.len() as u32);
        Self { command, data_out }
    }

    /// Returns a task management function.
    #[must_use]
    pub const fn management(unit: Lun, function: TaskManagement) -> Self {
        let command = FcpCommand { logical_unit: unit, task: FcpTask::Management(function) };
        Self { command, data_out: Vec::new() }
    }

    /// Returns the command.
    #[must_use]
    pub const fn command(&self) -> FcpCommand {
        self.command
    }

    /// Returns whether it is a task management function.
    #[must_use]
    pub const fn is_management(&self) -> bool {
        matches!(self.command.task, FcpTask::Management(_))
    }

    /// Takes the data of a burst to the target; all of them out of the buffer itself, which is to be given back.
    pub(super) fn take_burst(&mut self, relative_offset: u32, burst_bytes: u32) -> Option<Vec<u8>> {
        let from = relative_offset as usize;
        let burst = self.data_out.get(from..from.checked_add(burst_bytes as usize)?)?;
        if burst.len() == self.data_out.len() { Some(self.take_data_out()) } else { Some(burst.to_vec()) }
    }

    /// Takes the buffer of the data to the target.
    pub(super) fn take_data_out(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.data_out)
    }

    /// Takes the buffer back that [`FcpRequest::take_burst`] gave; not one of a part.
    pub(super) fn give_back(&mut self, data: Vec<u8>) {
        let (_, stated_bytes) = self.command.transfer();
        if self.data_out.is_empty() && data.len() == stated_bytes as usize {
            self.data_out = data;
        }
    }
}

//! The device of a control unit's end as the logical unit of one task.

use halftrack_base::Time;
use halftrack_wire::IuData;
use halftrack_wire::fcp::{
    Cdb, DataDirection, FcpCommand, FcpTask, Lun, Residual, ResponseCode, TaskManagement,
};

use super::device::{ScsiDevice, ScsiEnding, ScsiProgress, TaskTag};
use crate::device::{Device, ScsiOperation, ScsiOperationEnding};

/// The command of a task, as its device needs it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TaskCommand {
    /// The command itself.
    cdb: Cdb,
    /// Direction of its data, and how many octets the initiator states.
    transfer: (DataDirection, u32),
    /// Only the lengths of its data are known.
    pub(super) is_counted: bool,
}

impl TaskCommand {
    /// Returns whether data go to the device.
    pub(super) fn is_write(&self) -> bool {
        self.transfer.0 == DataDirection::Out
    }
}

/// A device that executes one command, or refuses it.
pub(super) struct DeviceTask<'a, D> {
    pub(super) device: &'a mut D,
    /// End of the command instead of the device's.
    pub(super) refusal: Option<ScsiOperationEnding>,
    pub(super) command: &'a mut TaskCommand,
}

impl<D: Device> DeviceTask<'_, D> {
    fn execute(&mut self, data: &[u8]) -> ScsiProgress {
        let written_bytes = data.len() as u64;
        let TaskCommand { cdb, transfer, is_counted } = &mut *self.command;
        let data = match data {
            [] => IuData::None,
            octets if *is_counted => IuData::Count(octets.len() as u32),
            octets => IuData::Bytes(octets.to_vec()),
        };
        let room_bytes = if transfer.0 == DataDirection::In { transfer.1 } else { 0 };
        let ended = self.device.execute_scsi(&ScsiOperation { cdb, room_bytes, data: &data });
        *is_counted |= matches!(ended.data, IuData::Count(_));
        self.ended(ended, written_bytes)
    }

    /// Returns the end of the command, with the octets that did not move of those that the initiator stated.
    fn ended(&self, ended: ScsiOperationEnding, written_bytes: u64) -> ScsiProgress {
        let ScsiOperationEnding { status, data, sense } = ended;
        let mut data = match data {
            IuData::Bytes(octets) => octets,
            counted => counted.octets().into_owned(),
        };
        let (direction, stated_bytes) = self.command.transfer;
        let called_bytes = match direction {
            DataDirection::Out => written_bytes,
            DataDirection::In | DataDirection::None => data.len() as u64,
        };
        let residual = Residual::of(called_bytes, stated_bytes);
        let room_bytes = if direction == DataDirection::In { stated_bytes } else { 0 };
        data.truncate(room_bytes as usize);
        ScsiProgress::Ended(ScsiEnding { status, sense, data, residual, ..ScsiEnding::default() })
    }
}

impl<D: Device> ScsiDevice for DeviceTask<'_, D> {
    fn begin(&mut self, _: Time, _: TaskTag, command: &FcpCommand) -> ScsiProgress {
        let FcpTask::Command { cdb, .. } = command.task else { return ScsiProgress::Aborted };
        (self.command.cdb, self.command.transfer) = (cdb, command.transfer());
        match (self.refusal.take(), self.command.transfer) {
            (Some(refusal), _) => self.ended(refusal, 0),
            (None, (DataDirection::Out, stated_bytes @ 1..)) => ScsiProgress::DataOut(stated_bytes),
            (None, _) => self.execute(&[]),
        }
    }

    fn finish(&mut self, _: Time, _: TaskTag, data: &[u8]) -> ScsiProgress {
        self.execute(data)
    }

    /// Does nothing: a command is begun and executed at once.
    fn abort(&mut self, _: Time, _: TaskTag) {}

    /// Refuses: a program has no task management functions.
    fn manage(&mut self, _: Time, _: u32, _: Lun, _: TaskManagement) -> ResponseCode {
        ResponseCode::Rejected
    }
}

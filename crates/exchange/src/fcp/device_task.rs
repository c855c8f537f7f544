//! The device of a control unit's end as the logical unit of one task.

use halftrack_wire::IuData;
use halftrack_wire::fcp::{Cdb, DataDirection, ResponseCode, TaskManagement};

use super::device::{Nexus, ScsiDevice, ScsiEnding};
use crate::device::{Device, ScsiOperation, ScsiOperationEnding};

/// A device that executes one command, or refuses it.
pub(super) struct DeviceTask<'a, D> {
    pub(super) device: &'a mut D,
    /// End of the command instead of the device's.
    pub(super) refusal: Option<ScsiOperationEnding>,
    /// Direction of the command's data, and how many octets the initiator states.
    pub(super) transfer: (DataDirection, u32),
    /// Only the lengths of data are known.
    pub(super) is_counted: &'a mut bool,
}

impl<D: Device> ScsiDevice for DeviceTask<'_, D> {
    fn data_out_bytes(&mut self, _: Nexus, _: &Cdb) -> Result<u32, ScsiEnding> {
        match (self.refusal.take(), self.transfer) {
            (Some(refusal), _) => Err(ending(refusal)),
            (None, (DataDirection::Out, stated_bytes)) => Ok(stated_bytes),
            (None, (DataDirection::In | DataDirection::None, _)) => Ok(0),
        }
    }

    fn execute(&mut self, _: Nexus, cdb: &Cdb, data: &[u8]) -> ScsiEnding {
        let data = match data {
            [] => IuData::None,
            octets if *self.is_counted => IuData::Count(octets.len() as u32),
            octets => IuData::Bytes(octets.to_vec()),
        };
        let room_bytes = match self.transfer {
            (DataDirection::In, room_bytes) => room_bytes,
            (DataDirection::Out | DataDirection::None, _) => 0,
        };
        let ended = self.device.execute_scsi(&ScsiOperation { cdb, room_bytes, data: &data });
        *self.is_counted |= matches!(ended.data, IuData::Count(_));
        ending(ended)
    }

    /// Refuses: a program has no task management functions.
    fn manage(&mut self, _: Nexus, _: TaskManagement) -> ResponseCode {
        ResponseCode::Rejected
    }
}

fn ending(ended: ScsiOperationEnding) -> ScsiEnding {
    let ScsiOperationEnding { status, data, sense } = ended;
    let data = match data {
        IuData::Bytes(octets) => octets,
        counted => counted.octets().into_owned(),
    };
    ScsiEnding { status, sense, data, ..ScsiEnding::default() }
}

//! The device behind a control unit of the twin: uniform tracks or blocks of which only the lengths are known, or a
//! volume.

use std::fmt;

use halftrack_program::{ChainEnd, ProgramShape};
use halftrack_wire::IuData;
use halftrack_wire::fcp::ScsiStatus;

use crate::device::{
    Device, DeviceCommand, DeviceEnding, DeviceOperation, OperationEnding, PlanDevice, ScsiOperation,
    ScsiOperationEnding,
};
use crate::eckd_device::EckdDevice;

/// A device of the twin.
pub enum TwinDevice {
    /// Uniform tracks, or blocks, against which plans are recorded.
    Uniform(EckdDevice),
    /// A volume with octets, in runs with real data.
    Volume(Box<dyn Device + Send>),
}

impl fmt::Debug for TwinDevice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uniform(device) => formatter.debug_tuple("Uniform").field(device).finish(),
            Self::Volume(_) => formatter.write_str("Volume"),
        }
    }
}

impl PlanDevice for TwinDevice {
    fn for_shape(shape: &ProgramShape) -> Self {
        Self::Uniform(EckdDevice::for_shape(shape))
    }
}

impl Device for TwinDevice {
    fn execute(&mut self, command: &DeviceCommand<'_>) -> DeviceEnding {
        match self {
            Self::Uniform(device) => device.execute(command),
            Self::Volume(device) => device.execute(command),
        }
    }

    fn end_chain(&mut self, end: ChainEnd) -> Option<DeviceEnding> {
        match self {
            Self::Uniform(device) => device.end_chain(end),
            Self::Volume(device) => device.end_chain(end),
        }
    }

    fn execute_operation(&mut self, operation: &DeviceOperation<'_>) -> OperationEnding {
        match self {
            Self::Uniform(device) => device.execute_operation(operation),
            Self::Volume(device) => device.execute_operation(operation),
        }
    }

    fn execute_scsi(&mut self, operation: &ScsiOperation<'_>) -> ScsiOperationEnding {
        match self {
            // Every block is there, and a command moves what it states.
            Self::Uniform(_) => ScsiOperationEnding {
                status: ScsiStatus::GOOD,
                data: IuData::Count(operation.room_bytes),
                sense: Vec::new(),
            },
            Self::Volume(device) => device.execute_scsi(operation),
        }
    }

    fn reset(&mut self) {
        match self {
            Self::Uniform(device) => device.reset(),
            Self::Volume(device) => device.reset(),
        }
    }
}

//! The twin's device: every track full of records of one length, of which only the lengths are known.

use halftrack_control_unit::{Chain, Direction, Tracks, TransportEnding, UniformTracks, execute_dcws};
use halftrack_program::{ProgramShape, Transfer};
use halftrack_wire::IuData;

use crate::device::{Device, DeviceCommand, DeviceEnding, DeviceOperation, OperationEnding, PlanDevice};
use crate::program::plan_geometry;

/// A device with uniform tracks and the state of one command chain on it.
#[derive(Debug, Clone)]
pub struct EckdDevice<T = UniformTracks> {
    tracks: T,
    chain: Chain,
}

impl PlanDevice for EckdDevice {
    /// A device whose tracks are full of the shape's records.
    fn for_shape(shape: &ProgramShape) -> EckdDevice {
        EckdDevice::new(UniformTracks::new(plan_geometry(), shape.record_bytes))
    }
}

impl<T> EckdDevice<T> {
    /// A device with these tracks.
    pub fn new(tracks: T) -> EckdDevice<T> {
        EckdDevice { tracks, chain: Chain::new() }
    }
}

impl<T: Tracks> Device for EckdDevice<T> {
    fn execute(&mut self, command: &DeviceCommand<'_>) -> DeviceEnding {
        let outcome = self.chain.execute(&self.tracks, command.command, command.count, command.parameters);
        let is_read = outcome.direction == Direction::Read;
        DeviceEnding {
            device_status: outcome.ending.device_status().0,
            moved_bytes: outcome.data_bytes,
            device_bytes: outcome.device_bytes,
            data: if is_read { IuData::Count(outcome.data_bytes) } else { IuData::None },
            retry: false,
            sense: outcome.ending.sense().map(|sense| *sense.bytes()),
        }
    }

    fn execute_operation(&mut self, operation: &DeviceOperation<'_>) -> OperationEnding {
        let transfer = match (operation.read, operation.write) {
            (false, false) => Transfer::None,
            (true, false) => Transfer::Read,
            (false, true) => Transfer::Write,
            (true, true) => Transfer::Bidirectional,
        };
        let outcome = execute_dcws(&self.tracks, operation.tccb, transfer);
        let (sense, program_check) = match outcome.ending {
            TransportEnding::Device(ending) => (ending.sense().map(|sense| *sense.bytes()), None),
            TransportEnding::ProgramCheck(reason) => (None, Some(reason.code())),
        };
        OperationEnding {
            device_status: outcome.ending.device_status().0,
            data: if operation.read { IuData::Count(outcome.data_bytes) } else { IuData::None },
            residual: outcome.residual,
            dcw_offset: outcome.dcw_offset,
            program_check,
            sense,
        }
    }

    fn reset(&mut self) {
        self.chain = Chain::new();
    }
}

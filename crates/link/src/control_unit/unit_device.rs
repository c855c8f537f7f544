//! A base or alias device as an exchange uses it.

use halftrack_exchange::BusyKind;
use halftrack_exchange::device::{Device, DeviceCommand, DeviceEnding, DeviceOperation, OperationEnding};
use halftrack_exchange::eckd_device::EckdDevice;
use halftrack_program::ChainEnd;
use halftrack_program::command::UNCONDITIONAL_RESERVE;
use halftrack_wire::IuData;

use super::shared_volume::SharedVolume;

/// A device while an exchange has it.
#[derive(Debug)]
pub struct UnitDevice(Box<Inner>);

#[derive(Debug)]
struct Inner {
    /// Which of the control unit's devices it is.
    place: usize,
    device: EckdDevice<SharedVolume>,
    /// Another host has the device reserved: all it does is to let itself be taken away.
    foreign: bool,
}

impl UnitDevice {
    pub(super) fn new(place: usize, volume: SharedVolume) -> Self {
        Self(Box::new(Inner { place, device: EckdDevice::new(volume), foreign: false }))
    }

    pub(super) fn place(&self) -> usize {
        self.0.place
    }

    pub(super) fn is_foreign(&self) -> bool {
        self.0.foreign
    }

    pub(super) fn set_foreign(&mut self, foreign: bool) {
        self.0.foreign = foreign;
    }

    pub(super) fn unit_mut(&mut self) -> &mut halftrack_control_unit::EckdDevice<SharedVolume> {
        self.0.device.unit_mut()
    }

    /// Does something to the device while it has its volume.
    #[inline]
    fn with_volume<R>(&mut self, act: impl FnOnce(&mut EckdDevice<SharedVolume>) -> R) -> R {
        let device = &mut self.0.device;
        device.tracks_mut().fetch();
        let result = act(device);
        device.tracks_mut().put_back();
        result
    }
}

impl Device for UnitDevice {
    fn execute(&mut self, command: &DeviceCommand<'_>) -> DeviceEnding {
        if self.0.foreign && command.command != UNCONDITIONAL_RESERVE {
            return DeviceEnding {
                device_status: BusyKind::Device.device_status(),
                moved_bytes: 0,
                device_bytes: 0,
                data: IuData::None,
                retry: false,
                sense: None,
            };
        }
        self.0.foreign = false;
        self.with_volume(|device| device.execute(command))
    }

    fn end_chain(&mut self, end: ChainEnd) -> Option<DeviceEnding> {
        self.with_volume(|device| device.end_chain(end))
    }

    fn execute_operation(&mut self, operation: &DeviceOperation<'_>) -> OperationEnding {
        if self.0.foreign {
            return OperationEnding {
                device_status: BusyKind::Device.device_status(),
                data: IuData::None,
                residual: 0,
                dcw_offset: None,
                program_check: None,
                sense: None,
            };
        }
        self.with_volume(|device| device.execute_operation(operation))
    }

    fn lend(&mut self, buffer: &mut Vec<u8>) {
        self.0.device.lend(buffer);
    }

    fn reset(&mut self) {
        self.with_volume(Device::reset);
    }
}

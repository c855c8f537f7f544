//! The devices behind a port.

use std::fmt;

use halftrack_base::Time;
use halftrack_program::ChainEnd;
use halftrack_wire::{IuData, StartNumber};

use crate::device::{Begun, Device, DeviceCommand, DeviceEnding, DeviceOperation, OperationEnding};
use crate::outcome::BusyKind;
use crate::wait::Wait;

/// Answer to an exchange that wants a device.
#[derive(Debug)]
pub enum Opened<D> {
    /// The device, until it is given back.
    Device(D),
    /// There is no such control-unit image or device.
    AddressException,
    /// Not now.
    Busy(BusyKind),
    /// An older start of the subchannel is open on the same logical path.
    Active,
    /// A newer start of the subchannel, or this one, was here before: it comes late, and nothing is done or answered.
    Late,
}

/// A start as it comes to the devices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Start {
    /// Address of the channel's port.
    pub peer: u32,
    /// Channel-image id.
    pub channel_image: u8,
    /// Control-unit-image id.
    pub control_unit_image: u8,
    /// Device (unit) address.
    pub device: u8,
    /// Its number at its subchannel.
    pub number: StartNumber,
    /// When it comes.
    pub now: Time,
}

/// The devices behind a port, of all its control-unit images.
pub trait Units {
    /// A device as one exchange uses it.
    type Device: Device + fmt::Debug;

    /// Begins an exchange for a device.
    fn open(&mut self, start: &Start) -> Opened<Self::Device>;

    /// Resets a device on the logical path of a start: nothing of an older one is to go on.
    fn reset(&mut self, _start: &Start) {}

    /// Takes back a device whose exchange needs it no more; its chain has been ended. Nothing follows where it was withdrawn.
    fn close(&mut self, device: Self::Device);
}

/// Device of an exchange, while it needs one.
#[derive(Debug)]
pub struct DeviceSlot<D>(pub(crate) Option<D>);

impl<D: Device> Device for DeviceSlot<D> {
    fn execute(&mut self, command: &DeviceCommand<'_>) -> DeviceEnding {
        match &mut self.0 {
            Some(device) => device.execute(command),
            None => DeviceEnding {
                device_status: BusyKind::Device.device_status(),
                moved_bytes: 0,
                device_bytes: 0,
                data: IuData::None,
                retry: false,
                sense: None,
            },
        }
    }

    #[inline]
    fn begin(&mut self, command: u8, count: u32, output: &mut IuData) -> Begun {
        self.0.as_mut().map_or(Begun::AtOnce, |device| device.begin(command, count, output))
    }

    fn poll_ending(&mut self) -> Option<DeviceEnding> {
        self.0.as_mut().and_then(D::poll_ending)
    }

    fn end_chain(&mut self, end: ChainEnd) -> Option<DeviceEnding> {
        self.0.as_mut().and_then(|device| device.end_chain(end))
    }

    fn execute_operation(&mut self, operation: &DeviceOperation<'_>) -> OperationEnding {
        match &mut self.0 {
            Some(device) => device.execute_operation(operation),
            None => OperationEnding {
                device_status: BusyKind::Device.device_status(),
                data: IuData::None,
                residual: 0,
                dcw_offset: None,
                program_check: None,
                sense: None,
            },
        }
    }

    fn lend(&mut self, buffer: &mut Vec<u8>) {
        if let Some(device) = &mut self.0 {
            device.lend(buffer);
        }
    }

    fn reset(&mut self) {
        if let Some(device) = &mut self.0 {
            device.reset();
        }
    }

    fn is_withdrawn(&self) -> bool {
        self.0.as_ref().is_some_and(D::is_withdrawn)
    }

    #[inline]
    fn wait(&self) -> Option<u64> {
        self.0.as_ref().and_then(D::wait)
    }

    fn poll_wait(&mut self) -> Wait {
        self.0.as_mut().map_or(Wait::Pending, D::poll_wait)
    }
}

//! A device of a control unit: with count, key and data, or with fixed blocks.

use halftrack_control_unit::{PathGroupId, PathState, UnitCheck};
use halftrack_exchange::device::{Device, DeviceCommand, DeviceEnding, DeviceOperation, OperationEnding};
use halftrack_exchange::eckd_device::{AttachedDevice, EckdDevice, FbaDevice};
use halftrack_program::ChainEnd;
use halftrack_volume::TrackFault;

use super::shared_blocks::SharedBlocks;
use super::shared_tracks::SharedTracks;
use super::shared_volume::{Shape, SharedVolume};

/// A device of either kind, over its volume.
pub enum AttachedUnit {
    /// Tracks.
    Eckd(EckdDevice<SharedTracks>),
    /// Blocks.
    Fba(FbaDevice<SharedBlocks>),
}

/// Evaluates `$body` with `$device` bound to the device of either kind.
macro_rules! with_device {
    ($unit:expr, $device:ident => $body:expr) => {
        match $unit {
            AttachedUnit::Eckd($device) => $body,
            AttachedUnit::Fba($device) => $body,
        }
    };
}

impl AttachedUnit {
    /// Returns the device of a volume.
    pub fn new(volume: SharedVolume, shape: Shape) -> Self {
        match shape {
            Shape::Tracks(geometry) => Self::Eckd(EckdDevice::new(SharedTracks { volume, geometry })),
            Shape::Blocks(blocks) => {
                let device = halftrack_control_unit::FbaDevice::new(SharedBlocks { volume, blocks });
                Self::Fba(AttachedDevice::of(device))
            }
        }
    }

    /// Returns the volume.
    #[inline]
    pub fn volume_mut(&mut self) -> &mut SharedVolume {
        match self {
            Self::Eckd(device) => &mut device.tracks_mut().volume,
            Self::Fba(device) => &mut device.blocks_mut().volume,
        }
    }

    /// Returns the device itself, if it has tracks.
    #[inline]
    pub fn tracks_device(&mut self) -> Option<&mut halftrack_control_unit::EckdDevice<SharedTracks>> {
        match self {
            Self::Eckd(device) => Some(device.unit_mut()),
            Self::Fba(_) => None,
        }
    }

    /// Changes the state that the device keeps for its path.
    pub fn swap_path(&mut self, path: &mut PathState) {
        with_device!(self, device => device.unit_mut().swap_path(path));
    }

    /// Returns the path group of the path whose state the device has.
    pub fn group(&self) -> Option<PathGroupId> {
        with_device!(self, device => device.unit().path().group())
    }

    /// Ends the next command or operation over the path with this unit check, unless another is pending there.
    pub fn present(&mut self, event: UnitCheck) {
        with_device!(self, device => device.unit_mut().present(event));
    }

    /// Returns whether the path, or its group, has the device reserved.
    pub fn is_reserved(&self) -> bool {
        with_device!(self, device => device.unit().is_reserved())
    }

    /// Sets the device reserved to its path, or not.
    pub fn set_reserved(&mut self, reserved: bool) {
        with_device!(self, device => device.unit_mut().set_reserved(reserved));
    }

    /// Returns the ending of a chain whose records could not be made safe.
    pub fn fail_chain(&mut self) -> DeviceEnding {
        with_device!(self, device => device.fail_chain(TrackFault::Medium))
    }
}

impl Device for AttachedUnit {
    #[inline]
    fn execute(&mut self, command: &DeviceCommand<'_>) -> DeviceEnding {
        with_device!(self, device => device.execute(command))
    }

    #[inline]
    fn end_chain(&mut self, end: ChainEnd) -> Option<DeviceEnding> {
        with_device!(self, device => device.end_chain(end))
    }

    #[inline]
    fn execute_operation(&mut self, operation: &DeviceOperation<'_>) -> OperationEnding {
        with_device!(self, device => device.execute_operation(operation))
    }

    fn lend(&mut self, buffer: &mut Vec<u8>) {
        with_device!(self, device => device.lend(buffer));
    }

    fn reset(&mut self) {
        with_device!(self, device => device.reset());
    }
}

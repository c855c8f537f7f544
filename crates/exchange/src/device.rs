//! The device behind a control unit, as the control unit's end of an exchange uses it.

use halftrack_program::{ChainEnd, ProgramShape};
use halftrack_wire::IuData;
use halftrack_wire::choices::SENSE_BYTES;
use halftrack_wire::fcp::{Cdb, ScsiStatus};

use crate::wait::Wait;

/// One CCW to execute.
#[derive(Debug, Clone, Copy)]
pub struct DeviceCommand<'a> {
    /// Command code.
    pub command: u8,
    /// CCW count, bytes.
    pub count: u32,
    /// Parameters of a control command.
    pub parameters: &'a [u8],
    /// User data of a write.
    pub data: &'a IuData,
}

/// Result of a CCW.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceEnding {
    /// Device status.
    pub device_status: u8,
    /// Bytes of the count that were used.
    pub moved_bytes: u32,
    /// Bytes that the device had to send or could take; the length is incorrect when the count differs.
    pub device_bytes: u32,
    /// Data read, `moved_bytes` long; none for other commands.
    pub data: IuData,
    /// The device requests that the command be driven again (command retry).
    pub retry: bool,
    /// Sense, when the status has unit check.
    pub sense: Option<[u8; SENSE_BYTES]>,
}

/// Beginning of a CCW that may wait for something outside of its chain, as a channel-to-channel adapter's.
#[derive(Debug)]
pub enum Begun {
    /// The device executes its commands at once: [`Device::execute`].
    AtOnce,
    /// It has ended.
    Ended(DeviceEnding),
    /// It waits; [`Device::poll_ending`] returns its ending.
    Waits,
}

/// One transport-mode operation to execute.
#[derive(Debug, Clone, Copy)]
pub struct DeviceOperation<'a> {
    /// The TCCB as in storage.
    pub tccb: &'a [u8],
    /// Data move to the channel.
    pub read: bool,
    /// Data move to the device.
    pub write: bool,
    /// User data of a write. Where its octets are known they are as they crossed the link: padding and a check word
    /// behind the data of each track but the last.
    pub data: &'a IuData,
}

/// Result of a transport-mode operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationEnding {
    /// Device status.
    pub device_status: u8,
    /// User data read; none for a write.
    pub data: IuData,
    /// Bytes of user data that were not moved.
    pub residual: u32,
    /// Offset in the transport-command area of the last DCW executed or at fault.
    pub dcw_offset: Option<u16>,
    /// Reason code of a device-detected program check.
    pub program_check: Option<u8>,
    /// Sense, when the status has unit check.
    pub sense: Option<[u8; SENSE_BYTES]>,
}

/// One SCSI command to execute, all its data present.
#[derive(Debug, Clone, Copy)]
pub struct ScsiOperation<'a> {
    /// Command descriptor block.
    pub cdb: &'a Cdb,
    /// Octets that the initiator has room for.
    pub room_bytes: u32,
    /// Data of a write.
    pub data: &'a IuData,
}

/// Result of a SCSI command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScsiOperationEnding {
    /// Status.
    pub status: ScsiStatus,
    /// Data read, whatever the initiator has room for; none for a write.
    pub data: IuData,
    /// Sense; none without an exception.
    pub sense: Vec<u8>,
}

impl ScsiOperationEnding {
    /// Returns the end of a command to a logical unit that does not exist.
    #[must_use]
    pub fn no_unit() -> Self {
        let status = ScsiStatus::CHECK_CONDITION;
        Self { status, data: IuData::None, sense: UNIT_NOT_SUPPORTED.to_vec() }
    }
}

/// Sense of a command to a logical unit that does not exist: illegal request, logical unit not supported (SPC-4).
const UNIT_NOT_SUPPORTED: [u8; 18] = [0x70, 0, 5, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0x25, 0, 0, 0, 0, 0];

/// A device as one exchange sees it. The twin implements it over what a track is known to hold, a working
/// control unit over volumes.
pub trait Device {
    /// Executes the next CCW of the chain.
    fn execute(&mut self, command: &DeviceCommand<'_>) -> DeviceEnding;

    /// Begins the next CCW of the chain: command code and count, and the output that has come, which the device takes.
    fn begin(&mut self, _command: u8, _count: u32, _output: &mut IuData) -> Begun {
        Begun::AtOnce
    }

    /// Returns the ending of the CCW that waited, once.
    fn poll_ending(&mut self) -> Option<DeviceEnding> {
        None
    }

    /// Ends the chain, whose status is about to be presented: what it wrote has to be safe. Returns the ending
    /// that takes the place of the one reached, when it cannot be, or the program ended where it may not.
    fn end_chain(&mut self, _end: ChainEnd) -> Option<DeviceEnding> {
        None
    }

    /// Executes a transport-mode operation, its end included.
    fn execute_operation(&mut self, operation: &DeviceOperation<'_>) -> OperationEnding;

    /// Executes a SCSI command. A device that is no logical unit refuses it.
    fn execute_scsi(&mut self, _operation: &ScsiOperation<'_>) -> ScsiOperationEnding {
        ScsiOperationEnding::no_unit()
    }

    /// Offers a buffer for data read later. A device that has use for it takes it and leaves an empty one.
    fn lend(&mut self, _buffer: &mut Vec<u8>) {}

    /// Abandons the chain: all that the device holds for it is given up.
    fn reset(&mut self);

    /// Returns whether the device was taken from the exchange: a newer start of the subchannel has it, and nothing more is
    /// executed for this one.
    fn is_withdrawn(&self) -> bool {
        false
    }

    /// Returns the place in the order of waits of a chain whose ending is withheld. It waits until what it wrote or read is
    /// safe.
    fn wait(&self) -> Option<u64> {
        None
    }

    /// Returns the state of the wait.
    fn poll_wait(&mut self) -> Wait {
        Wait::Safe
    }
}

impl<D: Device + ?Sized> Device for Box<D> {
    fn execute(&mut self, command: &DeviceCommand<'_>) -> DeviceEnding {
        (**self).execute(command)
    }

    fn begin(&mut self, command: u8, count: u32, output: &mut IuData) -> Begun {
        (**self).begin(command, count, output)
    }

    fn poll_ending(&mut self) -> Option<DeviceEnding> {
        (**self).poll_ending()
    }

    fn end_chain(&mut self, end: ChainEnd) -> Option<DeviceEnding> {
        (**self).end_chain(end)
    }

    fn execute_operation(&mut self, operation: &DeviceOperation<'_>) -> OperationEnding {
        (**self).execute_operation(operation)
    }

    fn execute_scsi(&mut self, operation: &ScsiOperation<'_>) -> ScsiOperationEnding {
        (**self).execute_scsi(operation)
    }

    fn lend(&mut self, buffer: &mut Vec<u8>) {
        (**self).lend(buffer);
    }

    fn reset(&mut self) {
        (**self).reset();
    }

    fn is_withdrawn(&self) -> bool {
        (**self).is_withdrawn()
    }

    fn wait(&self) -> Option<u64> {
        (**self).wait()
    }

    fn poll_wait(&mut self) -> Wait {
        (**self).poll_wait()
    }
}

/// A device that follows from what a plan is recorded for, so that a planned end can go live.
pub trait PlanDevice: Device {
    /// Returns the device for a program of this shape.
    fn for_shape(shape: &ProgramShape) -> Self;
}

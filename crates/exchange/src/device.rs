//! What a control unit's end of an exchange asks of the device behind it.

use halftrack_wire::IuData;
use halftrack_wire::choices::SENSE_BYTES;

/// One command to execute.
#[derive(Debug, Clone, Copy)]
pub struct DeviceCommand<'a> {
    /// Command code.
    pub command: u8,
    /// CCW count or DCW data count, bytes.
    pub count: u32,
    /// Parameters of a control command, or the control data of a DCW.
    pub parameters: &'a [u8],
    /// User data of a write.
    pub data: &'a IuData,
}

/// What the device did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceEnding {
    /// Device status.
    pub device_status: u8,
    /// Bytes of the count that were used.
    pub transferred_bytes: u32,
    /// Data read, `transferred_bytes` long; none for other commands.
    pub data: IuData,
    /// The record has more than the count asked for.
    pub long_record: bool,
    /// The device asks for the command to be driven again.
    pub retry: bool,
    /// Sense, when the status has unit check.
    pub sense: Option<[u8; SENSE_BYTES]>,
}

/// A device as one chain of commands sees it. The twin implements it over what a track is known to hold, a
/// working control unit over volumes.
pub trait Device {
    /// Executes the next command of the chain.
    fn execute(&mut self, command: &DeviceCommand<'_>) -> DeviceEnding;

    /// The chain is abandoned: what the device holds for it is given up.
    fn reset(&mut self);
}

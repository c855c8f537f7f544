//! Requests of a channel to the device at the other end of the path, one command or one operation at a time.

use crate::data_port::DataPort;
use crate::status::DeviceStatus;
use crate::tcw::Transfer;

/// Bytes of sense.
pub const SENSE_BYTES: usize = 32;

/// How a command ended at the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DeviceEnd {
    /// Device status.
    pub status: DeviceStatus,
    /// Bytes that moved through the port.
    pub moved_bytes: u32,
    /// Bytes that the device had to send or could take. The length is incorrect when the program's count
    /// differs.
    pub device_bytes: u32,
    /// The command needed no data and ended with its initial status: the incorrect-length-suppression mode of the ORB
    /// decides whether its count is compared.
    pub immediate: bool,
    /// Sense, when the status has unit check.
    pub sense: Option<[u8; SENSE_BYTES]>,
}

/// How a transport-mode operation ended at the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OperationEnd {
    /// Device status.
    pub status: DeviceStatus,
    /// Bytes of user data that moved through the port, check words not counted.
    pub moved_bytes: u32,
    /// Bytes of the DCWs' data counts that did not move.
    pub residual: u32,
    /// Offset in the transport-command area of the last DCW executed, or of the one at fault.
    pub dcw_offset: Option<u16>,
    /// Reason code of a device-detected program check.
    pub program_check: Option<u8>,
    /// Sense, when the status has unit check.
    pub sense: Option<[u8; SENSE_BYTES]>,
}

/// Why no further command of a chain comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChainEnd {
    /// The last command indicated no command chaining, and the device ended it without unit check.
    Unchained,
    /// Status or a check of the channel ended the chain, it is suspended or given up, or it was an operation in
    /// transport mode, of which the device has all commands at once.
    Broken,
}

/// A device as a channel sees it.
pub trait Device {
    /// Executes one command of a chain; its data move through `port`.
    fn execute(&mut self, command: u8, port: &mut impl DataPort) -> DeviceEnd;

    /// Executes the operation of a whole TCCB (header to trailer), whose user data move in the direction of
    /// `transfer`.
    ///
    /// A TCCB that interrogates has no user data: its port is the status area of the transport-status block, and its
    /// data are [the answer](crate::InterrogateAnswer::emit).
    fn execute_operation(
        &mut self,
        tccb: &[u8],
        transfer: Transfer,
        port: &mut impl DataPort,
    ) -> OperationEnd;

    /// Ends the chain or operation, whose ending is about to be presented. Its writes must be as safe as the device
    /// promises, and its domain ends. Returns the ending that replaces the one reached, when the promise cannot be
    /// kept or the program ended where it may not.
    fn end_chain(&mut self, end: ChainEnd) -> Option<DeviceEnd>;
}

//! What someone who watches a channel is told of: each control word as fetched, what it moved, how it ended.

use crate::ccw::Ccw;
use crate::data_port::Octets;
use crate::dcw::PlacedDcw;
use crate::device::{DeviceEnd, OperationEnd};
use crate::status::SubchannelStatus;
use crate::tcw::Tcw;
use crate::tidaw::Tidaw;

/// Which way data moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From storage to the device.
    Output,
    /// From the device to storage.
    Input,
    /// From the device, and not stored: the area is skipped.
    Skipped,
}

/// Watches a channel. Every method does nothing unless it is written; `()` watches nothing at no cost.
pub trait Observer {
    /// Whether anything is watched; where not, nothing is prepared for the methods.
    const WATCHES: bool = true;

    /// A CCW was fetched: a command, a part of a data chain, or a transfer in channel.
    fn ccw(&mut self, address: u32, ccw: &Ccw) {
        let _ = (address, ccw);
    }

    /// A run of data moved between the device and storage at `address`. Of an area stored from high to low
    /// addresses, the address is the lowest, and the octets are in the order of the device.
    fn moved(&mut self, direction: Direction, address: u64, octets: Octets<'_>) {
        let _ = (direction, address, octets);
    }

    /// The device ended a command. The channel found what `fault` says, if it is not zero, while data moved.
    fn command_ended(&mut self, end: &DeviceEnd, fault: SubchannelStatus) {
        let _ = (end, fault);
    }

    /// The chain was suspended before the CCW at `address`.
    fn suspended(&mut self, address: u32) {
        let _ = address;
    }

    /// A TCW was fetched.
    fn tcw(&mut self, address: u32, tcw: &Tcw) {
        let _ = (address, tcw);
    }

    /// A TCCB was fetched.
    fn tccb(&mut self, tccb: &[u8]) {
        let _ = tccb;
    }

    /// A DCW of the TCCB, when its list can be read.
    fn dcw(&mut self, dcw: &PlacedDcw) {
        let _ = dcw;
    }

    /// A TIDAW was fetched.
    fn tidaw(&mut self, address: u64, tidaw: &Tidaw) {
        let _ = (address, tidaw);
    }

    /// The device ended a transport-mode operation. The channel found what `fault` says, if it is not zero,
    /// while data moved.
    fn operation_ended(&mut self, end: &OperationEnd, fault: SubchannelStatus) {
        let _ = (end, fault);
    }
}

impl Observer for () {
    const WATCHES: bool = false;
}

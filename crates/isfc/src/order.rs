//! Channel programs that an end orders, their endings, and notices.

use halftrack_control_unit::ctc::command_code::{READ, SENSE_COMMAND_BYTE, SET_EXTENDED_MODE, WRITE};
use halftrack_control_unit::ctc::{Block as Data, Command};
use halftrack_program::DeviceStatus;
use thiserror::Error;

use crate::block::{BLOCK_BYTES_MAX, Block, HEADER_BYTES, Incarnation, StreamId};
use crate::designation::MAX_DEVICES;
use crate::device_number::DeviceNumber;
use crate::hello::Level;
use crate::system_name::SystemName;

/// Octets of the answer to Sense Command Byte, which come before those of the Read.
pub const SENSED_BYTES: u32 = 1;

/// Something to be done at a device. At most one program is in progress at a device.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Order {
    /// Start a program of Set Extended Mode.
    SetExtendedMode {
        /// Device.
        device: DeviceNumber,
    },
    /// Start a program of Write with this block, data-chained ([`ccw_counts`](crate::ccw_counts)).
    Write {
        /// Device.
        device: DeviceNumber,
        /// Block.
        block: Block,
    },
    /// Start a program of Sense Command Byte, and a Read of the longest block chained to it.
    Read {
        /// Device.
        device: DeviceNumber,
    },
    /// Reset the own side of the device (system reset): the partner finds it not ready. A program in progress there has no ending.
    Reset {
        /// Device.
        device: DeviceNumber,
    },
}

impl Order {
    /// Returns the device.
    pub const fn device(&self) -> DeviceNumber {
        match self {
            Self::SetExtendedMode { device }
            | Self::Write { device, .. }
            | Self::Read { device }
            | Self::Reset { device } => *device,
        }
    }

    /// Returns the commands of the program, the second one chained to the first, with the length of the data; none of a reset.
    pub const fn commands(&self) -> [Option<Command>; 2] {
        const fn command(code: u8, count_bytes: u32) -> Option<Command> {
            Some(Command { code, count_bytes, block: Data::NONE })
        }
        match self {
            Self::SetExtendedMode { .. } => [command(SET_EXTENDED_MODE, 1), None],
            Self::Write { block, .. } => {
                let count_bytes = block.device_bytes();
                [Some(Command { code: WRITE, count_bytes, block: Data::Count(count_bytes) }), None]
            }
            Self::Read { .. } => [
                command(SENSE_COMMAND_BYTE, SENSED_BYTES),
                command(READ, BLOCK_BYTES_MAX + HEADER_BYTES as u32),
            ],
            Self::Reset { .. } => [None, None],
        }
    }
}

/// Data that a Read brought.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Received {
    /// None: the program was none of Read, or did not end normally.
    Nothing,
    /// A block.
    Block(Block),
    /// Octets that are no block, or not those that were sent.
    Corrupt,
}

/// Ending of a program that was ordered.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ProgramEnd {
    /// Status of the device at the end of the chain.
    pub status: DeviceStatus,
    /// Byte 0 of sense, when the status has unit check.
    pub sense: u8,
    /// Octets that moved.
    pub moved_bytes: u32,
    /// Data of a Read.
    pub received: Received,
}

/// Event that an operator or an application may be interested in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Notice {
    /// The first device of the link is active, and data flow.
    LinkUp {
        /// Partner.
        node: SystemName,
    },
    /// A node is known for the first time, or has started anew.
    NodeAdded {
        /// Partner.
        node: SystemName,
        /// Its incarnation.
        incarnation: Incarnation,
    },
    /// Both ends have greeted each other on a device.
    DeviceActivated(DeviceNumber),
    /// A device that was active is no longer.
    DeviceLost(DeviceNumber),
    /// No device is active: the streams wait.
    LinkDown {
        /// Partner.
        node: SystemName,
    },
    /// A Write met a Write of the partner.
    Collision(DeviceNumber),
    /// A device is no part of the link.
    Refused {
        /// Device.
        device: DeviceNumber,
        /// Why.
        reason: Refusal,
    },
    /// Data were refused by [`End::send`](crate::End::send), and there is room now.
    Room,
    /// The partner has a stream up to this offset.
    Acknowledged {
        /// Stream.
        stream: StreamId,
        /// Offset of the first octet that it does not have.
        offset: u64,
    },
    /// One of both systems has started anew: the next octet that [`End::send`](crate::End::send) takes is the one at this offset.
    Resume {
        /// Stream.
        stream: StreamId,
        /// Offset.
        offset: u64,
    },
    /// Octets of a stream are missing, which the partner will not send: its application went on at another offset.
    Gap {
        /// Stream.
        stream: StreamId,
    },
}

/// Why a device is no part of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Error)]
pub enum Refusal {
    /// The device leads to another system than the link.
    #[error("the device leads to {found}, and the link to {expected}")]
    WrongNode {
        /// Node of the link.
        expected: SystemName,
        /// Node behind the device.
        found: SystemName,
    },
    /// The device leads to a system of the own name.
    #[error("the device leads to a system that has the own name, {0}")]
    OwnName(SystemName),
    /// One of both systems has links of one device only, and there is one already.
    #[error("a system of level {} has links of one device", .0.0)]
    OneDevice(Level),
    /// The device presents status that no adapter presents.
    #[error("the device ended a program with status {:02X}", .0.0)]
    Failed(DeviceStatus),
}

/// Why a device is not activated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Error)]
pub enum ActivationError {
    /// The link has as many devices as a link can have.
    #[error("a logical link has at most {MAX_DEVICES} devices")]
    TooMany,
    /// The device is in the link already.
    #[error("device {0} is in the link already")]
    Duplicate(DeviceNumber),
    /// The link leads to another node.
    #[error("the link leads to {expected}, and not to {given}")]
    WrongNode {
        /// Node of the link.
        expected: SystemName,
        /// Node that was given.
        given: SystemName,
    },
    /// The node given is the own system.
    #[error("{0} is the own system")]
    OwnName(SystemName),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_have_the_commands_of_the_adapter() {
        let device = DeviceNumber(0xD000);
        let codes =
            |order: Order| order.commands().map(|command| command.map(|one| (one.code, one.count_bytes)));
        assert_eq!(codes(Order::SetExtendedMode { device }), [Some((0xC3, 1)), None]);
        assert_eq!(codes(Order::Read { device }), [Some((0x14, 1)), Some((0x02, 1_048_640))]);
        assert_eq!(codes(Order::Reset { device }), [None, None]);
    }
}

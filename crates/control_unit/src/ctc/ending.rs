//! Endings of commands of the adapter.

use halftrack_program::{DeviceEnd, DeviceStatus};

use super::adapter_sense::{ADAPTER_STATE_BYTES, sense};
use super::block::Block;
use crate::sense::COMMAND_REJECT;

/// Bytes of the answer to Sense ID.
pub const SENSE_ID_BYTES: usize = 7;
/// Answer to Sense ID: a 3088, with the model that a public driver of an operating system has for FICON. There is no command
/// information word behind it: the adapter has no configuration data to read.
pub const SENSE_ID_ANSWER: [u8; SENSE_ID_BYTES] = [0xFF, 0x30, 0x88, 0x1E, 0, 0, 0];

/// Data beside the ending of a command.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Data {
    /// None.
    None,
    /// Data of the other side's Write, for a Read.
    Read(Block),
    /// Data of a Write of which nothing moved, given back.
    Unsent(Block),
    /// Answer to Sense Command Byte.
    CommandByte(u8),
    /// Answer to Sense Adapter State.
    AdapterState([u8; ADAPTER_STATE_BYTES]),
    /// Answer to Sense ID.
    Identity([u8; SENSE_ID_BYTES]),
}

impl Data {
    /// Returns data that go back to their side, if there are any.
    pub(super) fn unsent(block: Block) -> Self {
        if block.len_bytes() == 0 { Self::None } else { Self::Unsent(block) }
    }

    /// Returns an answer as octets; none of the data of a Write.
    pub fn answer(&self) -> &[u8] {
        match self {
            Self::None | Self::Read(_) | Self::Unsent(_) => &[],
            Self::CommandByte(code) => std::slice::from_ref(code),
            Self::AdapterState(state) => state,
            Self::Identity(identity) => identity,
        }
    }
}

/// Ending of a command.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Ending {
    /// Status and counts. The shorter count ends a transfer: the length is incorrect at the side with the longer one.
    pub device: DeviceEnd,
    /// Data that go with it.
    pub data: Data,
}

impl Ending {
    /// Returns the ending with this status of a command that moved no data.
    pub(super) const fn of(status: DeviceStatus, data: Data) -> Self {
        let device = DeviceEnd { status, moved_bytes: 0, device_bytes: 0, immediate: true, sense: None };
        Self { device, data }
    }

    /// Returns the ending of what the adapter does not execute: unit check, command reject.
    pub fn rejected() -> Self {
        Self::unit_check(DeviceStatus::default(), COMMAND_REJECT, Data::None)
    }

    /// Returns the ending of a command that moved this many octets.
    pub(super) const fn moved(status: DeviceStatus, moved_bytes: u32, data: Data) -> Self {
        let device =
            DeviceEnd { status, moved_bytes, device_bytes: moved_bytes, immediate: false, sense: None };
        Self { device, data }
    }

    /// Returns the ending with unit check, byte 0 of whose sense is `byte`, of a command that moved no data.
    pub(super) const fn unit_check(status: DeviceStatus, byte: u8, data: Data) -> Self {
        let mut ending = Self::moved(status.with(DeviceStatus::UNIT_CHECK), 0, data);
        ending.device.sense = Some(sense(byte));
        ending
    }

    /// Returns the ending of a command that answers with octets, of which the program takes at most `count_bytes`.
    pub(super) fn answer(count_bytes: u32, data: Data) -> Self {
        let device_bytes = data.answer().len() as u32;
        let mut ending = Self::moved(DeviceStatus::NORMAL_END, device_bytes.min(count_bytes), data);
        ending.device.device_bytes = device_bytes;
        ending
    }
}

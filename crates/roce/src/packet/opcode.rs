//! Opcodes of a reliable connection.

use super::PacketError;
use super::aeth::AETH_BYTES;
use super::operation::IMMEDIATE_BYTES;
use super::reth::RETH_BYTES;

/// Opcode of a reliable connection (section *Base Transport Header*, table of operation codes).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Opcode {
    /// SEND First.
    SendFirst = 0x00,
    /// SEND Middle.
    SendMiddle = 0x01,
    /// SEND Last.
    SendLast = 0x02,
    /// SEND Last with Immediate.
    SendLastImmediate = 0x03,
    /// SEND Only.
    SendOnly = 0x04,
    /// SEND Only with Immediate.
    SendOnlyImmediate = 0x05,
    /// RDMA WRITE First.
    WriteFirst = 0x06,
    /// RDMA WRITE Middle.
    WriteMiddle = 0x07,
    /// RDMA WRITE Last.
    WriteLast = 0x08,
    /// RDMA WRITE Last with Immediate.
    WriteLastImmediate = 0x09,
    /// RDMA WRITE Only.
    WriteOnly = 0x0A,
    /// RDMA WRITE Only with Immediate.
    WriteOnlyImmediate = 0x0B,
    /// Acknowledge.
    Acknowledge = 0x11,
}

impl Opcode {
    /// Opcodes in their order.
    pub const ALL: [Self; 13] = [
        Self::SendFirst,
        Self::SendMiddle,
        Self::SendLast,
        Self::SendLastImmediate,
        Self::SendOnly,
        Self::SendOnlyImmediate,
        Self::WriteFirst,
        Self::WriteMiddle,
        Self::WriteLast,
        Self::WriteLastImmediate,
        Self::WriteOnly,
        Self::WriteOnlyImmediate,
        Self::Acknowledge,
    ];

    /// Returns the octet.
    pub const fn octet(self) -> u8 {
        self as u8
    }

    pub(super) fn from_octet(octet: u8) -> Result<Self, PacketError> {
        Self::ALL.into_iter().find(|opcode| opcode.octet() == octet).ok_or(PacketError::Opcode(octet))
    }

    /// Returns the octets of the extended headers.
    pub const fn extended_bytes(self) -> usize {
        match self {
            Self::SendFirst | Self::SendMiddle | Self::SendLast | Self::SendOnly => 0,
            Self::WriteMiddle | Self::WriteLast => 0,
            Self::SendLastImmediate | Self::SendOnlyImmediate | Self::WriteLastImmediate => IMMEDIATE_BYTES,
            Self::WriteFirst | Self::WriteOnly => RETH_BYTES,
            Self::WriteOnlyImmediate => RETH_BYTES + IMMEDIATE_BYTES,
            Self::Acknowledge => AETH_BYTES,
        }
    }
}

//! Operations of a reliable connection, with the extended headers that each has.

use halftrack_base::fields;

use super::reth::RETH_BYTES;
use super::{Aeth, Immediate, Opcode, PacketError, Reth};

/// Octets of immediate data.
pub(super) const IMMEDIATE_BYTES: usize = 4;
/// Octets of the extended headers of an RDMA WRITE Only with immediate data, which has most.
pub(super) const EXTENDED_BYTES_MAX: usize = RETH_BYTES + IMMEDIATE_BYTES;

/// Operation of a packet with its extended headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operation {
    /// First packet of a message of several.
    SendFirst,
    /// Packet of a message between others.
    SendMiddle,
    /// Last packet of a message of several.
    SendLast(Option<Immediate>),
    /// Message of one packet.
    SendOnly(Option<Immediate>),
    /// First packet of a write of several.
    WriteFirst(Reth),
    /// Packet of a write between others.
    WriteMiddle,
    /// Last packet of a write of several.
    WriteLast(Option<Immediate>),
    /// Write of one packet.
    WriteOnly(Reth, Option<Immediate>),
    /// Acknowledgement of the responder.
    Acknowledge(Aeth),
}

impl Operation {
    /// Returns the opcode.
    pub const fn opcode(&self) -> Opcode {
        match self {
            Self::SendFirst => Opcode::SendFirst,
            Self::SendMiddle => Opcode::SendMiddle,
            Self::SendLast(None) => Opcode::SendLast,
            Self::SendLast(Some(_)) => Opcode::SendLastImmediate,
            Self::SendOnly(None) => Opcode::SendOnly,
            Self::SendOnly(Some(_)) => Opcode::SendOnlyImmediate,
            Self::WriteFirst(_) => Opcode::WriteFirst,
            Self::WriteMiddle => Opcode::WriteMiddle,
            Self::WriteLast(None) => Opcode::WriteLast,
            Self::WriteLast(Some(_)) => Opcode::WriteLastImmediate,
            Self::WriteOnly(_, None) => Opcode::WriteOnly,
            Self::WriteOnly(_, Some(_)) => Opcode::WriteOnlyImmediate,
            Self::Acknowledge(_) => Opcode::Acknowledge,
        }
    }

    /// Parses the extended headers of `opcode`, whose length has been checked.
    pub(super) fn decode(opcode: Opcode, octets: &[u8]) -> Result<Self, PacketError> {
        let immediate = |offset| Some(Immediate(fields::u32_at(octets, offset)));
        Ok(match opcode {
            Opcode::SendFirst => Self::SendFirst,
            Opcode::SendMiddle => Self::SendMiddle,
            Opcode::SendLast => Self::SendLast(None),
            Opcode::SendLastImmediate => Self::SendLast(immediate(0)),
            Opcode::SendOnly => Self::SendOnly(None),
            Opcode::SendOnlyImmediate => Self::SendOnly(immediate(0)),
            Opcode::WriteFirst => Self::WriteFirst(Reth::decode(octets)),
            Opcode::WriteMiddle => Self::WriteMiddle,
            Opcode::WriteLast => Self::WriteLast(None),
            Opcode::WriteLastImmediate => Self::WriteLast(immediate(0)),
            Opcode::WriteOnly => Self::WriteOnly(Reth::decode(octets), None),
            Opcode::WriteOnlyImmediate => Self::WriteOnly(Reth::decode(octets), immediate(RETH_BYTES)),
            Opcode::Acknowledge => Self::Acknowledge(Aeth::decode(octets)?),
        })
    }

    /// Writes the extended headers and returns their octets.
    pub(super) fn encode(&self, into: &mut [u8]) -> usize {
        let (reth, immediate) = match self {
            Self::SendFirst | Self::SendMiddle | Self::WriteMiddle => (None, None),
            Self::SendLast(immediate) | Self::SendOnly(immediate) | Self::WriteLast(immediate) => {
                (None, *immediate)
            }
            Self::WriteFirst(reth) => (Some(reth), None),
            Self::WriteOnly(reth, immediate) => (Some(reth), *immediate),
            Self::Acknowledge(aeth) => {
                aeth.encode(into);
                (None, None)
            }
        };
        if let Some(reth) = reth {
            reth.encode(into);
        }
        let bytes = self.opcode().extended_bytes();
        if let Some(Immediate(word)) = immediate {
            fields::put(into, bytes - IMMEDIATE_BYTES, &word.to_be_bytes());
        }
        bytes
    }
}

//! Packets of a reliable connection: parsed from the payload of a UDP datagram, and written as one.
//!
//! A packet is the base transport header, the extended headers of its operation, the payload with zero to three octets of
//! padding, and the invariant CRC. That covers parts of the IP and UDP headers too; therefore a packet is read and written
//! together with the [`Path`] on which it travels.

mod aeth;
mod heading;
mod icrc;
mod mtu;
mod numbers;
mod opcode;
mod operation;
mod path;
mod reth;
#[cfg(test)]
mod tests;

use thiserror::Error;

pub use aeth::{Aeth, NakCode, RnrTimer, Syndrome};
pub use heading::{Heading, PARTITION_KEY_DEFAULT};
pub use icrc::{ICRC_BYTES, icrc};
pub use mtu::{MTU_BYTES_MAX, Mtu};
pub use numbers::{Immediate, Psn, QueuePairNumber, Rkey};
pub use opcode::Opcode;
pub use operation::Operation;
pub use path::{Network, Path, ROCE_PORT};
pub use reth::Reth;

use heading::BTH_BYTES;
use operation::EXTENDED_BYTES_MAX;

/// Octets of the largest packet, without the headers of IP and UDP.
pub const PACKET_BYTES_MAX: usize = BTH_BYTES + EXTENDED_BYTES_MAX + MTU_BYTES_MAX + ICRC_BYTES;

/// Room for any packet.
pub type PacketBuffer = [u8; PACKET_BYTES_MAX];

/// Packet with its payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packet<'a> {
    /// Base transport header, but for the opcode and the length of the padding.
    pub heading: Heading,
    /// Operation with its extended headers.
    pub operation: Operation,
    /// Payload without padding.
    pub payload: &'a [u8],
}

/// Why octets are no packet, or a packet cannot be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum PacketError {
    /// Too short, too long, or no multiple of four octets.
    #[error("{0} octets are no packet: {min} to {PACKET_BYTES_MAX} in steps of 4", min = BTH_BYTES + ICRC_BYTES)]
    Length(usize),
    /// Another invariant CRC.
    #[error("the invariant CRC is {found:08X}, and the octets give {computed:08X}")]
    Icrc {
        /// Octets of the packet, the first the highest.
        found: u32,
        /// Octets that belong there.
        computed: u32,
    },
    /// Version of the transport header other than 0.
    #[error("version {0} of the transport header: only 0 is defined")]
    Version(u8),
    /// Opcode that is none of SEND, RDMA WRITE and ACKNOWLEDGE on a reliable connection.
    #[error("opcode {0:02X} is no SEND, RDMA WRITE or ACKNOWLEDGE of a reliable connection")]
    Opcode(u8),
    /// End of the packet within its headers or its padding.
    #[error("the packet ends within the headers or the padding of {0:?}")]
    Short(Opcode),
    /// Reserved syndrome.
    #[error("syndrome {0:02X} of an acknowledgement is reserved")]
    Syndrome(u8),
    /// Payload behind an acknowledgement.
    #[error("an acknowledgement has {0} octets of payload")]
    Acknowledgement(usize),
    /// Payload that exceeds the largest MTU.
    #[error("a payload of {0} octets exceeds the largest MTU of {MTU_BYTES_MAX}")]
    Payload(usize),
}

impl<'a> Packet<'a> {
    /// Parses the payload of a datagram that came over `path`, whose ends are as the sender has them.
    ///
    /// # Errors
    /// The octets were changed on their way, or are no packet of a reliable connection.
    pub fn decode(path: &Path, octets: &'a [u8]) -> Result<Self, PacketError> {
        let bytes = octets.len();
        if !(BTH_BYTES + ICRC_BYTES..=PACKET_BYTES_MAX).contains(&bytes) || !bytes.is_multiple_of(4) {
            return Err(PacketError::Length(bytes));
        }
        let (covered, found) = octets.split_at(bytes - ICRC_BYTES);
        let computed = u32::from_be_bytes(icrc(path, covered));
        let found = halftrack_base::fields::u32_at(found, 0);
        if found != computed {
            return Err(PacketError::Icrc { found, computed });
        }
        let (bth, behind) = covered.split_at(BTH_BYTES);
        let (heading, opcode, padding_bytes) = Heading::decode(bth)?;
        let extended_bytes = opcode.extended_bytes();
        if behind.len() < extended_bytes + padding_bytes {
            return Err(PacketError::Short(opcode));
        }
        let (extended, padded) = behind.split_at(extended_bytes);
        let operation = Operation::decode(opcode, extended)?;
        let payload = &padded[..padded.len() - padding_bytes];
        match opcode {
            Opcode::Acknowledge if !padded.is_empty() => Err(PacketError::Acknowledgement(padded.len())),
            _ if payload.len() > MTU_BYTES_MAX => Err(PacketError::Payload(payload.len())),
            _ => Ok(Self { heading, operation, payload }),
        }
    }

    /// Writes the packet for `path` and returns its octets.
    ///
    /// # Errors
    /// The payload is longer than any, or belongs to an acknowledgement.
    pub fn encode(&self, path: &Path, into: &mut PacketBuffer) -> Result<usize, PacketError> {
        let bytes = self.payload.len();
        build(path, (&self.heading, &self.operation), bytes, into, |room| room.copy_from_slice(self.payload))
    }
}

/// Writes a packet whose payload of so many octets `fill` puts in its place; returns the octets of the packet.
pub(crate) fn build(
    path: &Path,
    (heading, operation): (&Heading, &Operation),
    payload_bytes: usize,
    into: &mut PacketBuffer,
    fill: impl FnOnce(&mut [u8]),
) -> Result<usize, PacketError> {
    if payload_bytes > MTU_BYTES_MAX {
        return Err(PacketError::Payload(payload_bytes));
    }
    if matches!(operation, Operation::Acknowledge(_)) && payload_bytes > 0 {
        return Err(PacketError::Acknowledgement(payload_bytes));
    }
    let padding_bytes = payload_bytes.wrapping_neg() & 3;
    heading.encode(operation.opcode(), padding_bytes, into);
    let start = BTH_BYTES + operation.encode(&mut into[BTH_BYTES..]);
    let (end, covered_bytes) = (start + payload_bytes, start + payload_bytes + padding_bytes);
    fill(&mut into[start..end]);
    into[end..covered_bytes].fill(0);
    let (covered, behind) = into.split_at_mut(covered_bytes);
    behind[..ICRC_BYTES].copy_from_slice(&icrc(path, covered));
    Ok(covered_bytes + ICRC_BYTES)
}

//! Base transport header.

use halftrack_base::fields;

use super::{Opcode, PacketError, Psn, QueuePairNumber};

/// Octets of the header.
pub(super) const BTH_BYTES: usize = 12;

/// Key of the default partition, full member.
pub const PARTITION_KEY_DEFAULT: u16 = 0xFFFF;

const SOLICITED: u8 = 0x80;
const MIGRATED: u8 = 0x40;
const ACKNOWLEDGE: u8 = 0x80;

/// Fields of the base transport header that do not follow from operation and payload (section *Base Transport Header*).
///
/// Reserved bits are read as anything and written as zeros.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Heading {
    /// The receiver shall raise an event.
    pub is_solicited: bool,
    /// State of path migration, on where it is not used.
    pub is_migrated: bool,
    /// Key of the partition.
    pub partition_key: u16,
    /// Queue pair of the receiver.
    pub destination: QueuePairNumber,
    /// An acknowledgement is wanted.
    pub is_acknowledge_requested: bool,
    /// Number of the packet, or of the one that is acknowledged.
    pub psn: Psn,
}

impl Heading {
    /// Makes a header in the default partition.
    pub const fn new(destination: QueuePairNumber, psn: Psn) -> Self {
        Self {
            is_solicited: false,
            is_migrated: true,
            partition_key: PARTITION_KEY_DEFAULT,
            destination,
            is_acknowledge_requested: false,
            psn,
        }
    }

    /// Parses the twelve octets; returns opcode and octets of padding too.
    pub(super) fn decode(octets: &[u8]) -> Result<(Self, Opcode, usize), PacketError> {
        let flags = octets[1];
        if flags & 0x0F != 0 {
            return Err(PacketError::Version(flags & 0x0F));
        }
        let opcode = Opcode::from_octet(octets[0])?;
        let heading = Self {
            is_solicited: flags & SOLICITED != 0,
            is_migrated: flags & MIGRATED != 0,
            partition_key: fields::u16_at(octets, 2),
            destination: QueuePairNumber::new(fields::u32_at(octets, 4)),
            is_acknowledge_requested: octets[8] & ACKNOWLEDGE != 0,
            psn: Psn::new(fields::u32_at(octets, 8)),
        };
        Ok((heading, opcode, usize::from(flags >> 4 & 3)))
    }

    pub(super) fn encode(&self, opcode: Opcode, padding_bytes: usize, into: &mut [u8]) {
        let flag = |is_on: bool, bit: u8| if is_on { bit } else { 0 };
        into[0] = opcode.octet();
        into[1] = flag(self.is_solicited, SOLICITED)
            | flag(self.is_migrated, MIGRATED)
            | (padding_bytes as u8) << 4;
        fields::put(into, 2, &self.partition_key.to_be_bytes());
        fields::put(into, 4, &self.destination.get().to_be_bytes());
        fields::put(into, 8, &self.psn.get().to_be_bytes());
        into[8] = flag(self.is_acknowledge_requested, ACKNOWLEDGE);
    }
}

//! Blocks of a logical link: the header, its octets, and the channel-command words of a block.
//!
//! ```text
//!  0  magic "ISFC"    8  sequence number  32  incarnation of the receiver  52  length of the data
//!  4  version        16  confirmed        40  offset in the stream         56  zeros
//!  5  kind, 6 flags  24  incarnation of   48  stream                       60  CRC-32C of all before it
//!  7  zero               the sender                                            and of the data behind it
//! ```

use crc_fast::{CrcAlgorithm, Digest};
use halftrack_base::{LengthError, Octets, SharedOctets, bit_set};
use thiserror::Error;

use crate::payload::Payload;

/// Most octets of data in a block.
pub const BLOCK_BYTES_MAX: u32 = 1 << 20;
/// Octets of a header.
pub const HEADER_BYTES: usize = 64;

/// Most octets that a channel-command word moves; its count has 16 bits.
const CCW_BYTES_MAX: u32 = 0xFFFF;
const MAGIC: [u8; 4] = *b"ISFC";
const VERSION: u8 = 1;
const CRC_OFFSET: usize = 60;

/// Number of a start of a system, greater at each start. Zero is that of a system that is not there yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Incarnation(pub u64);

/// Number of a stream within a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamId(pub u32);

/// Kind of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// First block of each side on a device: who is there. It has no sequence number.
    Hello,
    /// Data of a stream.
    Data,
    /// Blocks that were received, and devices on which some may be lost.
    Report,
    /// Nothing, for a Read of the partner that waits without reason. It has no sequence number.
    Filler,
}

impl Kind {
    const ALL: [Self; 4] = [Self::Hello, Self::Data, Self::Report, Self::Filler];
}

bit_set! {
    /// Flags of a block.
    Flags: u8 {
        /// The receiver is to confirm the block when it has delivered it.
        REPORT_WANTED = 0x80;
    }
}

/// Header of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Header {
    /// Kind.
    pub kind: Kind,
    /// Flags.
    pub flags: Flags,
    /// Number of the block in its direction of the link, from 0.
    pub sequence: u64,
    /// Number up to which the sender has received all blocks of the receiver.
    pub confirmed: u64,
    /// Incarnation of the sender.
    pub sender: Incarnation,
    /// Incarnation of the receiver that the sender has seen.
    pub receiver: Incarnation,
    /// Stream of the data.
    pub stream: StreamId,
    /// Offset of the data in their stream.
    pub offset: u64,
    /// Octets of data.
    pub length_bytes: u32,
}

/// A block.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Block {
    /// Header.
    pub header: Header,
    /// Data.
    pub payload: Payload,
}

/// Why octets are no block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum BlockError {
    /// Fewer or more than the header has.
    #[error(transparent)]
    Length(#[from] LengthError),
    /// Other octets at the beginning.
    #[error("a block begins with ISFC, and not with {0:02X?}")]
    Magic([u8; 4]),
    /// A version that is not there.
    #[error("blocks have version {VERSION}, and here is {0}")]
    Version(u8),
    /// A kind that is not there.
    #[error("a block has no kind {0}")]
    Kind(u8),
    /// A length above the greatest.
    #[error("a block has at most {BLOCK_BYTES_MAX} octets, and here are {0}")]
    TooLong(u32),
    /// Octets other than those that were sent.
    #[error("the CRC of a block is {computed:08X}, and not {found:08X}")]
    Crc {
        /// CRC in the header.
        found: u32,
        /// CRC of the octets.
        computed: u32,
    },
}

impl Header {
    /// Returns the octets of the header of these data.
    pub fn encode(&self, data: &[u8]) -> [u8; HEADER_BYTES] {
        let mut octets = [0; HEADER_BYTES];
        octets[..4].copy_from_slice(&MAGIC);
        octets[4..7].copy_from_slice(&[VERSION, self.kind as u8, self.flags.0]);
        let words = [self.sequence, self.confirmed, self.sender.0, self.receiver.0, self.offset];
        for (place, word) in octets[8..48].chunks_exact_mut(8).zip(words) {
            place.copy_from_slice(&word.to_be_bytes());
        }
        octets[48..52].copy_from_slice(&self.stream.0.to_be_bytes());
        octets[52..56].copy_from_slice(&self.length_bytes.to_be_bytes());
        let crc = crc(&octets, data);
        octets[CRC_OFFSET..].copy_from_slice(&crc.to_be_bytes());
        octets
    }

    /// Decodes a header, and returns the CRC in it.
    ///
    /// # Errors
    /// The octets are no header.
    fn decode(octets: &[u8]) -> Result<(Self, u32), BlockError> {
        let mut octets = Octets::new(octets);
        let magic = octets.array()?;
        let [version, kind, flags, _] = octets.array()?;
        if magic != MAGIC {
            return Err(BlockError::Magic(magic));
        }
        if version != VERSION {
            return Err(BlockError::Version(version));
        }
        let kind = *Kind::ALL.get(usize::from(kind)).ok_or(BlockError::Kind(kind))?;
        let header = Self {
            kind,
            flags: Flags(flags),
            sequence: octets.double()?,
            confirmed: octets.double()?,
            sender: Incarnation(octets.double()?),
            receiver: Incarnation(octets.double()?),
            offset: octets.double()?,
            stream: StreamId(octets.word()?),
            length_bytes: octets.word()?,
        };
        octets.word()?;
        if header.length_bytes > BLOCK_BYTES_MAX {
            return Err(BlockError::TooLong(header.length_bytes));
        }
        Ok((header, octets.word()?))
    }
}

impl Block {
    /// Decodes a block; its data are part of the octets and not copied.
    ///
    /// # Errors
    /// The octets are no block, or not those that were sent.
    pub fn decode(octets: &SharedOctets) -> Result<Self, BlockError> {
        let (header, found) = Header::decode(octets)?;
        let expected = HEADER_BYTES + header.length_bytes as usize;
        if octets.len() != expected {
            return Err(LengthError { expected, got: octets.len() }.into());
        }
        let data = octets.slice(HEADER_BYTES..expected);
        let computed = crc(&octets[..HEADER_BYTES], &data);
        if computed != found {
            return Err(BlockError::Crc { found, computed });
        }
        Ok(Self { header, payload: Payload::Bytes(data) })
    }

    /// Returns the octets of the block in one piece, for a transport that has no list of pieces.
    ///
    /// # Panics
    /// When the octets of the data are not kept.
    pub fn encode(&self) -> Vec<u8> {
        let data: &[u8] = match &self.payload {
            Payload::Bytes(data) => data,
            Payload::Count(0) => &[],
            Payload::Count(_) => panic!("the octets of a block are not kept"),
        };
        [&self.header.encode(data), data].concat()
    }

    /// Returns how many octets a device moves for the block.
    pub const fn device_bytes(&self) -> u32 {
        HEADER_BYTES as u32 + self.header.length_bytes
    }
}

/// Returns the counts of the data-chained channel-command words that move this many octets.
pub fn ccw_counts(bytes: u32) -> impl Iterator<Item = u16> {
    let words = bytes.div_ceil(CCW_BYTES_MAX);
    (0..words).map(move |at| (bytes - at * CCW_BYTES_MAX).min(CCW_BYTES_MAX) as u16)
}

fn crc(header: &[u8], data: &[u8]) -> u32 {
    let mut digest = Digest::new(CrcAlgorithm::Crc32Iscsi);
    digest.update(&header[..CRC_OFFSET]);
    digest.update(data);
    digest.finalize() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(data: &[u8]) -> Block {
        let header = Header {
            kind: Kind::Data,
            flags: Flags::REPORT_WANTED,
            sequence: 1,
            confirmed: 2,
            sender: Incarnation(3),
            receiver: Incarnation(4),
            stream: StreamId(6),
            offset: 5,
            length_bytes: data.len() as u32,
        };
        Block { header, payload: data.to_vec().into() }
    }

    #[test]
    fn octets_are_big_endian() {
        let octets = block(b"abc").encode();
        assert_eq!(octets[..8], *b"ISFC\x01\x01\x80\x00");
        let numbers: Vec<_> = octets[8..48].chunks(8).map(|one| one[7]).collect();
        assert_eq!((numbers, &octets[48..56]), (vec![1, 2, 3, 4, 5], &[0, 0, 0, 6, 0, 0, 0, 3][..]));
        assert_eq!(octets.len(), 67);
    }

    #[test]
    fn a_block_is_itself_after_its_octets_and_shares_them() {
        for data in [&b""[..], b"x", &[7; 70_000]] {
            let octets = SharedOctets::from(block(data).encode());
            let decoded = Block::decode(&octets).unwrap();
            assert_eq!(decoded, block(data));
            let Payload::Bytes(shared) = decoded.payload else { panic!("octets") };
            assert_eq!(shared.as_ptr(), octets[HEADER_BYTES..].as_ptr());
        }
    }

    #[test]
    fn every_changed_octet_is_found() {
        let whole = block(b"data").encode();
        for at in 0..whole.len() {
            let mut octets = whole.clone();
            octets[at] ^= 0x10;
            assert!(Block::decode(&octets.into()).is_err(), "octet {at}");
        }
        for length in 0..whole.len() {
            assert!(Block::decode(&whole[..length].to_vec().into()).is_err(), "{length} octets");
        }
        assert!(Block::decode(&[&whole[..], &[0]].concat().into()).is_err());
    }

    #[test]
    fn a_block_is_moved_by_words_of_at_most_65535_octets() {
        let counts: Vec<_> = ccw_counts(BLOCK_BYTES_MAX + HEADER_BYTES as u32).collect();
        assert_eq!((counts.len(), counts[15], counts[16]), (17, 65_535, 16 + 64));
        assert_eq!(ccw_counts(65_535).collect::<Vec<_>>(), [65_535]);
        assert_eq!(ccw_counts(65_536).collect::<Vec<_>>(), [65_535, 1]);
        assert_eq!(ccw_counts(0).count(), 0);
    }
}

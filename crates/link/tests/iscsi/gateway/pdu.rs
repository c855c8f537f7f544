//! Protocol data units of iSCSI (RFC 7143, 11): a header of 48 octets, additional header segments, data.

use std::io::{self, Read};

use halftrack_base::fields::{put, u32_at, u64_at};
use halftrack_scsi::Lun;

/// Octets of a header.
pub const HEADER_BYTES: usize = 48;
/// Data of a PDU that the gateway takes.
pub const DATA_BYTES_MAX: usize = 256 << 10;
/// Tag that no task has.
pub const NO_TAG: u32 = u32::MAX;
/// The PDU is the last of its sequence.
pub const FINAL: u8 = 0x80;
const IMMEDIATE: u8 = 0x40;
const OPCODE: u8 = 0x3F;
/// Type of the additional header segment with the rest of a long CDB.
const EXTENDED_CDB: u8 = 1;

/// Operation codes of initiators.
pub mod request {
    pub const NOP_OUT: u8 = 0x00;
    pub const COMMAND: u8 = 0x01;
    pub const TASK_MANAGEMENT: u8 = 0x02;
    pub const LOGIN: u8 = 0x03;
    pub const TEXT: u8 = 0x04;
    pub const DATA_OUT: u8 = 0x05;
    pub const LOGOUT: u8 = 0x06;
}

/// Operation codes of targets.
pub mod answer {
    pub const NOP_IN: u8 = 0x20;
    pub const RESPONSE: u8 = 0x21;
    pub const TASK_MANAGEMENT: u8 = 0x22;
    pub const LOGIN: u8 = 0x23;
    pub const TEXT: u8 = 0x24;
    pub const DATA_IN: u8 = 0x25;
    pub const LOGOUT: u8 = 0x26;
    pub const READY_TO_TRANSFER: u8 = 0x31;
    pub const REJECT: u8 = 0x3F;
}

/// A protocol data unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pdu {
    /// Header, whose lengths count only where the PDU is read.
    pub header: [u8; HEADER_BYTES],
    /// Additional header segments.
    pub additional: Vec<u8>,
    /// Data without padding.
    pub data: Vec<u8>,
}

impl Pdu {
    /// Returns an answer with this operation code, flags and tag.
    pub fn new(opcode: u8, flags: u8, tag: u32) -> Self {
        let mut header = [0; HEADER_BYTES];
        (header[0], header[1]) = (opcode, flags);
        put(&mut header, 16, &tag.to_be_bytes());
        Self { header, additional: Vec::new(), data: Vec::new() }
    }

    /// Returns the PDU with a word at an offset of its header.
    #[must_use]
    pub fn with_word(mut self, at: usize, word: u32) -> Self {
        put(&mut self.header, at, &word.to_be_bytes());
        self
    }

    /// Reads a PDU; none at the end of the stream.
    ///
    /// # Errors
    /// The stream fails or ends within a PDU. More data than the gateway takes is [`io::ErrorKind::InvalidData`].
    pub fn read(stream: &mut impl Read) -> io::Result<Option<Self>> {
        let mut header = [0; HEADER_BYTES];
        if stream.read(&mut header[..1])? == 0 {
            return Ok(None);
        }
        stream.read_exact(&mut header[1..])?;
        let data_bytes = (u32_at(&header, 4) & 0x00FF_FFFF) as usize;
        if data_bytes > DATA_BYTES_MAX {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let mut additional = vec![0; usize::from(header[4]) * 4];
        stream.read_exact(&mut additional)?;
        let mut data = vec![0; data_bytes.next_multiple_of(4)];
        stream.read_exact(&mut data)?;
        data.truncate(data_bytes);
        Ok(Some(Self { header, additional, data }))
    }

    /// Returns the octets on the stream.
    pub fn to_octets(&self) -> Vec<u8> {
        let mut octets = self.header.to_vec();
        put(&mut octets, 4, &(self.data.len() as u32).to_be_bytes());
        octets[4] = (self.additional.len() / 4) as u8;
        octets.extend(&self.additional);
        octets.extend(&self.data);
        octets.resize(octets.len().next_multiple_of(4), 0);
        octets
    }

    /// Returns the operation code.
    pub const fn opcode(&self) -> u8 {
        self.header[0] & OPCODE
    }

    /// Returns whether the PDU is for immediate delivery.
    pub const fn is_immediate(&self) -> bool {
        self.header[0] & IMMEDIATE != 0
    }

    /// Returns the flags, behind the operation code.
    pub const fn flags(&self) -> u8 {
        self.header[1]
    }

    /// Returns a word of the header.
    pub fn word(&self, at: usize) -> u32 {
        u32_at(&self.header, at)
    }

    /// Returns the initiator's task tag.
    pub fn tag(&self) -> u32 {
        self.word(16)
    }

    /// Returns the number of the command.
    pub fn command_number(&self) -> u32 {
        self.word(24)
    }

    /// Returns the logical unit number.
    pub fn lun(&self) -> Lun {
        Lun(u64_at(&self.header, 8).to_be_bytes())
    }

    /// Returns the CDB, with the rest of a long one.
    pub fn cdb(&self) -> Vec<u8> {
        let mut cdb = self.header[32..].to_vec();
        let mut rest = self.additional.as_slice();
        while let [high, low, kind, _, following @ ..] = rest {
            let bytes = usize::from(u16::from_be_bytes([*high, *low])).saturating_sub(1);
            if *kind == EXTENDED_CDB {
                cdb.extend(&following[..bytes.min(following.len())]);
            }
            let next = (4 + bytes).next_multiple_of(4).min(rest.len());
            rest = &rest[next..];
        }
        cdb
    }
}

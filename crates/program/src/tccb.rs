//! Transport-command-control block: header (TCAH), device-command words (TCA) and trailer (TCAT).
//!
//! ```text
//! TCAH 16 bytes | TCA: DCWs, up to 240 bytes | TCAT 8 bytes (12 when bidirectional)
//! ```
//!
//! On the link the block is a SCSI command of variable length: format 7F, its additional length in TCAL,
//! its service action in bytes 8-9.

use thiserror::Error;

use crate::dcw::{self, DCW_AREA_MAXIMUM_BYTES, Dcw, DcwListError};
use crate::parse_error::{Fault, ParseError, Structure};
use halftrack_base::fields::{round_up_4, u16_at, u32_at};

const TCAH: Structure = Structure("TCAH");
const TCAT: Structure = Structure("TCAT");

/// Bytes of the header.
pub const TCAH_BYTES: usize = 16;
/// Bytes of the trailer of an operation in one direction.
pub const TCAT_BYTES: usize = 8;
/// Bytes of the trailer of a bidirectional operation.
pub const TCAT_BIDIRECTIONAL_BYTES: usize = 12;
/// Overhead in TCAL besides the transport-command area.
const TCAL_OVERHEAD: usize = 12;
const TCAL_RANGE: std::ops::RangeInclusive<usize> =
    TCAL_OVERHEAD + 8..=TCAL_OVERHEAD + DCW_AREA_MAXIMUM_BYTES;
const FORMAT: u8 = 0x7F;
/// Bytes of the check word that follows the data, or the data of a track.
pub const CHECK_WORD_BYTES: u32 = 4;
/// Transport count that is sent when no data move. Only one public driver shows a value, 4; both 4 and 0
/// are accepted.
pub const TRANSPORT_COUNT_WITHOUT_DATA: u32 = 4;

/// Service that the block requests of the control unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ServiceAction {
    /// 1FFE: execute the DCWs.
    Normal,
    /// 1FFF: interrogate the operation in progress.
    Interrogate,
}

impl ServiceAction {
    /// Returns the code of bytes 8-9.
    pub const fn code(self) -> u16 {
        match self {
            Self::Normal => 0x1FFE,
            Self::Interrogate => 0x1FFF,
        }
    }

    /// Returns the action of a code, or nothing for another code.
    pub const fn from_code(code: u16) -> Option<Self> {
        match code {
            0x1FFE => Some(Self::Normal),
            0x1FFF => Some(Self::Interrogate),
            _ => None,
        }
    }
}

/// The header: transport-command-area header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Tcah {
    /// Byte 7: bytes of the transport-command area and 12; a multiple of 4, 20..=252.
    pub length: u8,
    /// Bytes 8-9.
    pub action: ServiceAction,
    /// Byte 11.
    pub priority: u8,
}

impl Tcah {
    /// Parses the first 16 of `bytes`.
    ///
    /// # Errors
    /// Too few bytes; a format other than 7F; reserved bits on; a length out of range or not in words; an
    /// undefined service action.
    #[inline(always)]
    pub fn parse(bytes: &[u8]) -> Result<Self, ParseError> {
        let fixed: &[u8; TCAH_BYTES] = TCAH.fixed(bytes)?;
        TCAH.check(fixed[0] == FORMAT, "format", 0, fixed[0])?;
        TCAH.zeros("bytes 1-6", 1, &fixed[1..7])?;
        let length = usize::from(fixed[7]);
        TCAH.check(TCAL_RANGE.contains(&length) && length.is_multiple_of(4), "TCAL", 7, fixed[7])?;
        let code = u16_at(fixed, 8);
        let action = ServiceAction::from_code(code).ok_or(TCAH.error(
            "service action",
            8,
            Fault::Value { value: u64::from(code) },
        ))?;
        TCAH.zero("byte 10", 10, fixed[10])?;
        TCAH.zeros("bytes 12-15", 12, &fixed[12..])?;
        Ok(Self { length: fixed[7], action, priority: fixed[11] })
    }

    /// Emits the 16 bytes.
    pub fn emit(&self) -> [u8; TCAH_BYTES] {
        let mut bytes = [0; TCAH_BYTES];
        bytes[0] = FORMAT;
        bytes[7] = self.length;
        bytes[8..10].copy_from_slice(&self.action.code().to_be_bytes());
        bytes[11] = self.priority;
        bytes
    }

    /// Returns the bytes of the transport-command area, from the length.
    pub const fn area_bytes(&self) -> usize {
        (self.length as usize).saturating_sub(TCAL_OVERHEAD)
    }
}

/// The trailer: transport-command-area trailer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Tcat {
    /// Bytes 0-3: zero in storage; on the link the longitudinal redundancy check travels here.
    pub check_word: u32,
    /// Bytes 4-7: bytes on the link, padding and check words included; the write count when bidirectional.
    pub transport_count: u32,
    /// Bytes 8-11, bidirectional operations only: the read count.
    pub read_count: Option<u32>,
}

impl Tcat {
    /// Parses a trailer of exactly 8 or 12 bytes.
    ///
    /// # Errors
    /// Any other length.
    pub fn parse(bytes: &[u8]) -> Result<Self, ParseError> {
        let fixed: &[u8; TCAT_BYTES] = TCAT.fixed(bytes)?;
        let read_count = match bytes.len() {
            TCAT_BYTES => None,
            TCAT_BIDIRECTIONAL_BYTES => Some(u32_at(bytes, 8)),
            found => {
                let fault = Fault::Long { needed: TCAT_BYTES, found };
                return Err(TCAT.error("length", 0, fault));
            }
        };
        Ok(Self { check_word: u32_at(fixed, 0), transport_count: u32_at(fixed, 4), read_count })
    }

    /// Emits 8 or 12 bytes.
    pub fn emit(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(TCAT_BIDIRECTIONAL_BYTES);
        bytes.extend_from_slice(&self.check_word.to_be_bytes());
        bytes.extend_from_slice(&self.transport_count.to_be_bytes());
        if let Some(read_count) = self.read_count {
            bytes.extend_from_slice(&read_count.to_be_bytes());
        }
        bytes
    }
}

/// Returns the transport count of `data_bytes`, inserted check words included: in whole words, and one for the trailing
/// check word.
pub const fn transport_count(data_bytes: u32) -> u32 {
    if data_bytes == 0 {
        TRANSPORT_COUNT_WITHOUT_DATA
    } else {
        round_up_4(data_bytes).saturating_add(CHECK_WORD_BYTES)
    }
}

/// Returns the bytes that the data of one track take on the link when another track follows: in whole words, and one
/// inserted check word.
pub const fn with_check_word(track_bytes: u32) -> u32 {
    round_up_4(track_bytes).saturating_add(CHECK_WORD_BYTES)
}

/// A transport-command-control block.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Tccb {
    /// Service action.
    pub action: ServiceAction,
    /// Priority.
    pub priority: u8,
    /// Device-command words, in order; at least one, at most 240 bytes of them.
    pub dcws: Vec<Dcw>,
    /// Trailer.
    pub tcat: Tcat,
}

/// A TCCB could not be parsed or emitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum TccbError {
    /// The header is wrong.
    #[error(transparent)]
    Header(ParseError),
    /// The block does not have the length in its header.
    #[error("{found} bytes where the header has {needed}")]
    Length {
        /// Bytes of the block by its header.
        needed: usize,
        /// Bytes given.
        found: usize,
    },
    /// The DCW list is wrong.
    #[error(transparent)]
    Dcws(#[from] DcwListError),
}

impl Tccb {
    /// Parses a block that fills `bytes` exactly.
    ///
    /// # Errors
    /// The first of: a wrong header, a wrong length, a wrong DCW list.
    pub fn parse(bytes: &[u8]) -> Result<Self, TccbError> {
        let tcah = Tcah::parse(bytes).map_err(TccbError::Header)?;
        let end = TCAH_BYTES + tcah.area_bytes();
        let wrong = TccbError::Length { needed: end + TCAT_BYTES, found: bytes.len() };
        let area = bytes.get(TCAH_BYTES..end).ok_or(wrong)?;
        let tcat = Tcat::parse(&bytes[end..]).map_err(|_| wrong)?;
        let dcws = dcw::parse_dcws(area)?.into_iter().map(|placed| placed.dcw).collect();
        Ok(Self { action: tcah.action, priority: tcah.priority, dcws, tcat })
    }

    /// Emits the block.
    ///
    /// # Errors
    /// A DCW list that has no DCW or does not fit.
    pub fn emit(&self) -> Result<Vec<u8>, DcwListError> {
        let area = dcw::emit_dcws(self.dcws.iter())?;
        let tcah =
            Tcah { length: (area.len() + TCAL_OVERHEAD) as u8, action: self.action, priority: self.priority };
        let mut bytes = tcah.emit().to_vec();
        bytes.extend_from_slice(&area);
        bytes.extend_from_slice(&self.tcat.emit());
        Ok(bytes)
    }

    /// Returns the bytes of the transport-command area.
    pub fn area_bytes(&self) -> usize {
        self.dcws.iter().map(Dcw::length_bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::PREFIX_READ;
    use proptest::prelude::*;

    fn with_control_bytes(bytes: usize) -> Tccb {
        let dcw = Dcw { command: PREFIX_READ, control_data: vec![0x5A; bytes], data_count: 4096 };
        Tccb {
            action: ServiceAction::Normal,
            priority: 0,
            dcws: vec![dcw],
            tcat: Tcat { transport_count: transport_count(4096), ..Tcat::default() },
        }
    }

    #[test]
    fn a_4k_read_to_the_octet() {
        let bytes = with_control_bytes(64).emit().unwrap();
        assert_eq!(bytes[..16], [0x7F, 0, 0, 0, 0, 0, 0, 84, 0x1F, 0xFE, 0, 0, 0, 0, 0, 0]);
        assert_eq!(bytes[16..24], [0xEA, 0, 0, 64, 0, 0, 0x10, 0]);
        assert_eq!(bytes[24..88], [0x5A; 64]);
        assert_eq!(bytes[88..], [0, 0, 0, 0, 0, 0, 0x10, 0x04]);
    }

    #[test]
    fn the_lengths_are_those_of_a_scsi_command() {
        for control_bytes in [0, 4, 64, 232] {
            let tccb = with_control_bytes(control_bytes);
            let area = tccb.area_bytes();
            let bytes = tccb.emit().unwrap();
            let length = usize::from(bytes[7]);
            assert_eq!(length, 12 + area);
            let additional_words = (area + 4) / 4;
            let cdb = 16 + 4 * additional_words;
            assert_eq!(cdb, 20 + area);
            assert_eq!(length, cdb - 8);
            assert_eq!(bytes.len(), 16 + area + 8);
        }
        assert_eq!(with_control_bytes(232).emit().unwrap().len(), 264);
    }

    #[test]
    fn transport_counts_are_in_words_and_one_more() {
        assert_eq!(transport_count(4096), 4100);
        assert_eq!(transport_count(27_998), 28_004);
        assert_eq!(transport_count(0), 4);
        assert_eq!(transport_count(u32::MAX), u32::MAX);
        assert_eq!(with_check_word(49_152), 49_156);
        assert_eq!(with_check_word(55_998), 56_004);
    }

    #[test]
    fn faults_name_the_field() {
        let octets = with_control_bytes(64).emit().unwrap();
        let header = |offset: usize, value: u8| {
            let mut octets = octets.clone();
            octets[offset] = value;
            match Tccb::parse(&octets).unwrap_err() {
                TccbError::Header(error) => (error.field, error.offset),
                other => panic!("{other}"),
            }
        };
        assert_eq!(header(0, 0x7E), ("format", 0));
        assert_eq!(header(5, 1), ("bytes 1-6", 5));
        assert_eq!(header(7, 16), ("TCAL", 7));
        assert_eq!(header(7, 86), ("TCAL", 7));
        assert_eq!(header(9, 0xFD), ("service action", 8));
        assert_eq!(header(10, 1), ("byte 10", 10));
        assert_eq!(header(14, 1), ("bytes 12-15", 14));
        let mut long = octets.clone();
        long.push(0);
        assert_eq!(Tccb::parse(&long).unwrap_err(), TccbError::Length { needed: 96, found: 97 });
        assert_eq!(Tccb::parse(&octets[..95]).unwrap_err(), TccbError::Length { needed: 96, found: 95 });
        assert_eq!(Tccb::parse(&octets[..80]).unwrap_err(), TccbError::Length { needed: 96, found: 80 });
    }

    proptest! {
        #[test]
        fn blocks_emit_and_parse_back(
            control in prop::collection::vec(any::<u8>(), 0..100),
            command in any::<u8>(), data_count in any::<u32>(), read_count in any::<Option<u32>>(),
        ) {
            let dcw = Dcw { command, control_data: control, data_count };
            let tccb = Tccb {
                action: ServiceAction::Interrogate,
                priority: command,
                dcws: vec![dcw.clone(), dcw],
                tcat: Tcat { check_word: data_count, transport_count: data_count, read_count },
            };
            prop_assert_eq!(Tccb::parse(&tccb.emit().unwrap()).unwrap(), tccb);
        }

        #[test]
        fn any_bytes_parse_or_fail(
            mut bytes in prop::collection::vec(any::<u8>(), 0..280), likely in any::<bool>()
        ) {
            if likely && bytes.len() >= 32 {
                let whole = bytes.len() / 4 * 4;
                bytes.truncate(whole);
                bytes[..16].copy_from_slice(&[0x7F, 0, 0, 0, 0, 0, 0, 0, 0x1F, 0xFE, 0, 0, 0, 0, 0, 0]);
                bytes[7] = (whole - 12).min(252) as u8;
                (bytes[17], bytes[18], bytes[19]) = (0, 0, (whole - 32).min(232) as u8);
            }
            if let Ok(parsed) = Tccb::parse(&bytes) {
                prop_assert_eq!(parsed.emit().unwrap(), bytes);
            }
        }
    }
}

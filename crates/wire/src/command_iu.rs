//! A command-mode information unit as octets (reference section 6.1).
//!
//! ```text
//! SB header 8 | IU header 8 | DIB header 12 | LRC 4 | data, padded to 4 | [CRC 4]
//! ```

use crate::choices::{MAX_IU_BYTES, MAX_IU_DATA_BYTES};
use crate::crc::{crc, padding};
use crate::dib::{DIB_BYTES, Dib};
use crate::error::{EmitError, ParseError};
use crate::iu::{Address, Body, COMMAND_OVERHEAD_BYTES, CommandMode, Iu, IuData};
use crate::iu_header::{DataFlags, IU_HEADER_BYTES, IuHeader};
use crate::iu_parts::IuParts;
use crate::lrc::lrc;
use crate::sb_header::{SB_HEADER_BYTES, SbHeader};

const OVERHEAD: usize = COMMAND_OVERHEAD_BYTES as usize;

/// Where the parts of the overhead stand.
mod field {
    use std::ops::Range;
    pub const IU_HEADER: usize = 8;
    pub const DIB: usize = 16;
    pub const IU_COUNT: usize = 25;
    pub const DATA_COUNT: Range<usize> = 26..28;
    pub const LRC: usize = 28;
}

/// View of the octets of a command-mode IU.
///
/// [`CommandIuView::new`] checks that the overhead is there; no other call panics after that.
#[derive(Debug, Clone, Copy)]
pub struct CommandIuView<'a> {
    overhead: &'a [u8; OVERHEAD],
    rest: &'a [u8],
}

impl<'a> CommandIuView<'a> {
    /// Checks that the 32 octets of overhead are there and no more than an IU's worth in all.
    ///
    /// # Errors
    /// [`ParseError::Length`].
    pub fn new(octets: &'a [u8]) -> Result<CommandIuView<'a>, ParseError> {
        let too_long = octets.len() > MAX_IU_BYTES as usize;
        match octets.split_first_chunk::<OVERHEAD>() {
            Some((overhead, rest)) if !too_long => Ok(CommandIuView { overhead, rest }),
            Some(_) => Err(ParseError::Length { expected: MAX_IU_BYTES as usize, got: octets.len() }),
            None => Err(ParseError::Length { expected: OVERHEAD, got: octets.len() }),
        }
    }

    fn array<const N: usize>(&self, offset: usize) -> [u8; N] {
        std::array::from_fn(|index| self.overhead[offset + index])
    }

    /// Returns the SB header.
    #[must_use]
    pub fn sb_header(&self) -> SbHeader {
        SbHeader::parse(&self.array::<SB_HEADER_BYTES>(0))
    }

    /// Returns whom the IU is for and which operation it belongs to.
    #[must_use]
    pub fn address(&self) -> Address {
        let SbHeader { channel_image, control_unit_image, device } = self.sb_header();
        Address { channel_image, control_unit_image, device, token: self.iu_header().token }
    }

    /// Returns the IU header.
    #[must_use]
    pub fn iu_header(&self) -> IuHeader {
        IuHeader::parse(&self.array::<IU_HEADER_BYTES>(field::IU_HEADER))
    }

    /// Returns the octets of the DIB header.
    #[must_use]
    pub fn dib_octets(&self) -> [u8; DIB_BYTES] {
        self.array(field::DIB)
    }

    /// Returns the DIB header.
    ///
    /// # Errors
    /// As [`Dib::parse`].
    pub fn dib(&self) -> Result<Dib, ParseError> {
        Dib::parse(self.iu_header().iu_type, &self.dib_octets())
    }

    /// Returns the IUs so far in this direction, modulo 256.
    #[must_use]
    pub fn iu_count(&self) -> u8 {
        self.overhead[field::IU_COUNT]
    }

    /// Returns the number of data octets in the IU header.
    #[must_use]
    pub fn data_count(&self) -> u16 {
        u16::from_be_bytes(self.array(field::DATA_COUNT.start))
    }

    /// Checks the LRC.
    ///
    /// # Errors
    /// [`ParseError::Lrc`].
    pub fn check_lrc(&self) -> Result<(), ParseError> {
        let expected = lrc(&self.overhead[..field::LRC]);
        let found = u32::from_be_bytes(self.array(field::LRC));
        if expected == found { Ok(()) } else { Err(ParseError::Lrc { expected, found }) }
    }

    /// Returns the data, after checking its length and CRC.
    ///
    /// # Errors
    /// [`ParseError::Length`] or [`ParseError::Crc`].
    pub fn data(&self) -> Result<&'a [u8], ParseError> {
        let count = usize::from(self.data_count());
        let padded = count + padding(count);
        let has_crc = count > 0 && !self.iu_header().flags.has(DataFlags::NO_CRC);
        let expected = padded + if has_crc { 4 } else { 0 };
        if self.rest.len() != expected {
            return Err(ParseError::Length {
                expected: OVERHEAD + expected,
                got: OVERHEAD + self.rest.len(),
            });
        }
        let (data, check) = self.rest.split_at(padded);
        if let Ok(check) = <[u8; 4]>::try_from(check) {
            let (expected, found) = (crc(data), u32::from_be_bytes(check));
            if expected != found {
                return Err(ParseError::Crc { expected, found });
            }
        }
        Ok(&data[..count])
    }
}

impl Iu {
    /// Reads a command-mode IU and checks LRC, counts and data CRC.
    ///
    /// # Errors
    /// The fault of the octets. Link-control IUs (type 5) are not device-level: [`ParseError::Type`].
    pub fn parse_command_mode(octets: &[u8]) -> Result<Iu, ParseError> {
        let view = CommandIuView::new(octets)?;
        Self::of_command_mode(view.overhead, view.rest.to_vec())
    }

    /// Parses an IU like [`Iu::parse_command_mode`], with the overhead split off; the rest becomes its data.
    ///
    /// # Errors
    /// As [`Iu::parse_command_mode`].
    pub fn of_command_mode(overhead: &[u8; OVERHEAD], mut rest: Vec<u8>) -> Result<Iu, ParseError> {
        let view = CommandIuView { overhead, rest: &rest };
        view.check_lrc()?;
        let dib = view.dib()?;
        let length = view.data()?.len();
        let fields = CommandMode {
            flags: view.iu_header().flags,
            ccw: view.iu_header().ccw,
            iu_count: view.iu_count(),
            dib,
        };
        let address = view.address();
        rest.truncate(length);
        let data = if rest.is_empty() { IuData::None } else { IuData::Bytes(rest) };
        Ok(Iu { address, body: Body::CommandMode(fields), data })
    }

    pub(crate) fn command_mode_parts(&self, fields: &CommandMode) -> Result<IuParts, EmitError> {
        let most = MAX_IU_DATA_BYTES as usize;
        let length = self.data.len() as usize;
        if length > most {
            return Err(EmitError::TooMuchData { most, got: length });
        }
        let header = IuHeader {
            iu_type: fields.dib.iu_type(),
            flags: fields.flags,
            ccw: fields.ccw,
            token: self.address.token,
        };
        let mut overhead = [0; OVERHEAD];
        overhead[..field::IU_HEADER].copy_from_slice(&self.sb_header().emit());
        overhead[field::IU_HEADER..field::DIB].copy_from_slice(&header.emit());
        overhead[field::DIB..field::LRC].copy_from_slice(&fields.dib.emit(fields.iu_count, length as u16));
        let check = lrc(&overhead[..field::LRC]);
        overhead[field::LRC..].copy_from_slice(&check.to_be_bytes());
        let has_check_word = length > 0 && !fields.flags.has(DataFlags::NO_CRC);
        Ok(IuParts::new(&overhead, length, &[0; 3][..padding(length)], has_check_word))
    }

    pub(crate) fn sb_header(&self) -> SbHeader {
        SbHeader {
            channel_image: self.address.channel_image,
            control_unit_image: self.address.control_unit_image,
            device: self.address.device,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::dib::{ChainFlags, CommandDib, ControlDib, ControlFunction, StatusDib, StatusFlags};
    use crate::kind::IuKind;

    const ADDRESS: Address = Address { channel_image: 1, control_unit_image: 2, device: 0x34, token: 0xABCD };

    fn hex(text: &str) -> Vec<u8> {
        let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
        digits
            .chunks(2)
            .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
            .collect()
    }

    fn iu(iu_count: u8, dib: Dib) -> Iu {
        let body = Body::CommandMode(CommandMode { flags: DataFlags::default(), ccw: 2, iu_count, dib });
        Iu { address: ADDRESS, body, data: IuData::None }
    }

    /// The vectors of the reference's section 9.3: the 32 octets after the FC header.
    #[test]
    fn published_vectors() {
        let read = Dib::Command(CommandDib {
            command: 0x86,
            flags: ChainFlags::SLI.with(ChainFlags::CRR),
            count: 4096,
            ..CommandDib::default()
        });
        let status = Dib::Status(StatusDib {
            flags: StatusFlags::RESIDUAL_VALID,
            device_status: 0x0C,
            ..StatusDib::default()
        });
        let accepted = Dib::Control(ControlDib::plain(ControlFunction::StatusAccepted));
        let vectors = [
            (
                iu(2, read),
                "0001000200340000 110000020000abcd 8628100000000000 00020000 971fbbcd",
                IuKind::Command,
            ),
            (
                iu(1, Dib::Control(ControlDib::command_response(16))),
                "0001000200340000 130000020000abcd 1000001000000000 00010000 0334abdd",
                IuKind::CommandResponse,
            ),
            (
                iu(3, status),
                "0001000200340000 120000020000abcd 010c000000000000 00030000 133aabcd",
                IuKind::Status,
            ),
            (
                iu(3, accepted),
                "0001000200340000 130000020000abcd a000000000000000 00030000 b336abcd",
                IuKind::StatusAccepted,
            ),
        ];
        for (iu, octets, kind) in vectors {
            let octets = hex(octets);
            assert_eq!(iu.emit().unwrap(), octets, "{kind:?}");
            assert_eq!(Iu::parse_command_mode(&octets).unwrap(), iu);
            assert_eq!((iu.kind(), iu.payload_bytes()), (kind, 32));
        }
    }

    #[test]
    fn damage_is_found() {
        let mut prefix = iu(1, Dib::CommandData(CommandDib { command: 0xE7, ..CommandDib::default() }));
        prefix.data = IuData::Bytes(vec![7; 63]);
        let sound = prefix.emit().unwrap();
        assert_eq!(sound.len(), 32 + 64 + 4);
        assert_eq!(Iu::parse_command_mode(&sound).unwrap(), prefix);
        for bit in 0..sound.len() * 8 {
            let mut octets = sound.clone();
            octets[bit / 8] ^= 1 << (bit % 8);
            assert!(Iu::parse_command_mode(&octets).is_err(), "bit {bit}");
        }
        assert!(matches!(Iu::parse_command_mode(&sound[..99]), Err(ParseError::Length { .. })));
    }

    #[test]
    fn too_much_data_has_no_octets() {
        let mut data = iu(1, Dib::Data);
        data.data = IuData::Count(MAX_IU_DATA_BYTES + 1);
        assert!(matches!(data.emit(), Err(EmitError::TooMuchData { .. })));
        data.data = IuData::Count(MAX_IU_DATA_BYTES);
        assert_eq!(data.emit().unwrap().len() as u32, MAX_IU_BYTES);
    }

    proptest! {
        #[test]
        fn any_octets_parse_or_fail(octets in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = Iu::parse_command_mode(&octets);
        }

        /// Octets with a right LRC, right length and CRC: what parses is emitted to something that parses alike.
        #[test]
        fn parse_emit_parse(mut octets in proptest::collection::vec(any::<u8>(), 32), data in
            proptest::collection::vec(any::<u8>(), 0..200))
        {
            let padded = data.len() + padding(data.len());
            octets[26..28].copy_from_slice(&(data.len() as u16).to_be_bytes());
            let check = lrc(&octets[..28]);
            octets[28..32].copy_from_slice(&check.to_be_bytes());
            octets.extend_from_slice(&data);
            octets.resize(32 + padded, 0);
            if !data.is_empty() && octets[9] & 4 == 0 {
                let check = crc(&octets[32..]);
                octets.extend_from_slice(&check.to_be_bytes());
            }
            match Iu::parse_command_mode(&octets) {
                Ok(iu) => {
                    let emitted = iu.emit().unwrap();
                    prop_assert_eq!(emitted.len() as u32, iu.payload_bytes());
                    prop_assert_eq!(Iu::parse_command_mode(&emitted).unwrap(), iu);
                }
                Err(error) => prop_assert!(matches!(error, ParseError::Type(_) | ParseError::Function(_))),
            }
        }
    }
}

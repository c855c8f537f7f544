//! Transport-mode information units as octets, and the ABTS/BA_ACC pair (reference sections 1.4, 6.6).

use crate::choices::{LRC_SEED, closing_check_word};
use crate::error::{EmitError, ParseError};
use crate::iu::{Address, Body, Iu, IuData};
use crate::iu_parts::IuParts;
use crate::lrc::lrc;
use crate::sb_header::{SB_HEADER_BYTES, SbHeader};
use crate::start_number::{StartNumber, TRANSPORT_COMMAND_OCTETS};
use crate::transfer_ready::TransferReady;
use crate::transport_response::{RESPONSE_BYTES, TransportResponse};

/// Octets of a transport command before its TCCB: SB header, in whose last octets the number of the start begins, two
/// zeros, length and direction.
pub const COMMAND_PREFIX_BYTES: usize = 12;

/// Most octets of a transport command: prefix, header, 240 octets of DCWs, bidirectional trailer.
pub const COMMAND_MAX_BYTES: usize = COMMAND_PREFIX_BYTES + TCAH_BYTES + 240 + 12;

/// Octets of a BA_ACC.
pub const ABORT_ACCEPT_BYTES: usize = 12;

const ADDITIONAL_LENGTH: usize = 11;
const READ: u8 = 0x02;
const WRITE: u8 = 0x01;
/// Octets of the TCCB's header (TCAH).
const TCAH_BYTES: usize = 16;
/// Octet of the TCAH that holds the TCA length + 12.
const TCAL: usize = 7;
/// BA_ACC octet 0: SEQ_ID is valid.
const SEQ_ID_VALID: u8 = 0x80;

/// Contents of the FC header, and for data the state of the transfer, for a received transport-mode IU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransportPart {
    /// R_CTL 06.
    Command,
    /// R_CTL 05.
    TransferReady,
    /// R_CTL 01.
    Data {
        /// Relative offset of the first frame, octets.
        relative_offset: u32,
        /// Octets of it that are check words at track ends, and padding.
        inserted_bytes: u32,
        /// It is the last of the transfer, so it closes with a check word.
        ends_transfer: bool,
    },
    /// R_CTL 07.
    Response,
    /// R_CTL 81.
    Abort,
    /// R_CTL 84.
    AbortAccept,
}

impl Iu {
    /// Reads a transport-mode IU. `address` is that of the exchange; a transport command has its own.
    ///
    /// # Errors
    /// The fault of the octets.
    pub fn parse_transport_mode(
        part: TransportPart,
        address: Address,
        octets: &[u8],
    ) -> Result<Iu, ParseError> {
        let exact = |expected: usize| match octets.len() == expected {
            true => Ok(()),
            false => Err(ParseError::Length { expected, got: octets.len() }),
        };
        let word = |offset: usize| u32::from_be_bytes(std::array::from_fn(|index| octets[offset + index]));
        let (body, data) = match part {
            TransportPart::Command => {
                let short =
                    ParseError::Length { expected: COMMAND_PREFIX_BYTES + TCAH_BYTES + 8, got: octets.len() };
                let (prefix, tccb) = octets.split_first_chunk().ok_or(short)?;
                return Self::of_transport_command(prefix, tccb.to_vec());
            }
            TransportPart::TransferReady => {
                let TransferReady { relative_offset, burst_bytes } = TransferReady::parse(octets)?;
                (Body::TransferReady { relative_offset, burst_bytes }, IuData::None)
            }
            TransportPart::Data { relative_offset, inserted_bytes, ends_transfer } => {
                let octets = octets.to_vec();
                return Self::of_transport_data(
                    address,
                    relative_offset,
                    inserted_bytes,
                    ends_transfer,
                    octets,
                );
            }
            TransportPart::Response => {
                let short = ParseError::Length { expected: RESPONSE_BYTES, got: octets.len() };
                let (fixed, sense) = octets.split_first_chunk::<RESPONSE_BYTES>().ok_or(short)?;
                let response = TransportResponse::parse(fixed)?;
                exact(RESPONSE_BYTES + TransportResponse::sense_bytes(fixed)?)?;
                (Body::TransportResponse(response), bytes(sense))
            }
            TransportPart::Abort => {
                exact(0)?;
                (Body::Abort, IuData::None)
            }
            TransportPart::AbortAccept => {
                exact(ABORT_ACCEPT_BYTES)?;
                let exchanges = word(4);
                (Body::AbortAccept { ox_id: (exchanges >> 16) as u16, rx_id: exchanges as u16 }, IuData::None)
            }
        };
        Ok(Iu { address, body, data })
    }

    pub(crate) fn command_parts(&self, read: bool, write: bool) -> Result<IuParts, EmitError> {
        let tccb = self.data.octets();
        let shape = CommandShape::of_tccb(&tccb, read && write).ok_or(EmitError::Data(tccb.len()))?;
        let mut prefix = [0; COMMAND_PREFIX_BYTES];
        prefix[..SB_HEADER_BYTES].copy_from_slice(&self.sb_header().emit());
        let number = StartNumber::new(self.address.token).value().to_be_bytes();
        prefix[TRANSPORT_COMMAND_OCTETS].copy_from_slice(&number[1..]);
        let direction = if read { READ } else { 0 } | if write { WRITE } else { 0 };
        prefix[ADDITIONAL_LENGTH] = (shape.tca_bytes as u8 + 4) | direction;
        let (area, trailer) = tccb.split_at(shape.lrc_offset - COMMAND_PREFIX_BYTES);
        // Both halves are whole words, so their checks join by exclusive or.
        let check = lrc(&prefix) ^ lrc(area) ^ LRC_SEED;
        let mut behind = [0; 12];
        behind[..trailer.len()].copy_from_slice(trailer);
        behind[..4].copy_from_slice(&check.to_be_bytes());
        Ok(IuParts::new(&prefix, area.len(), &behind[..trailer.len()], false))
    }
}

/// Returns the payload of a BA_ACC.
pub(crate) fn abort_accept(ox_id: u16, rx_id: u16) -> [u8; ABORT_ACCEPT_BYTES] {
    let ([o0, o1], [r0, r1]) = (ox_id.to_be_bytes(), rx_id.to_be_bytes());
    [SEQ_ID_VALID, 0, 0, 0, o0, o1, r0, r1, 0, 0, 0xFF, 0xFF]
}

/// Where the parts of a transport command stand: they follow from the length of its TCA.
struct CommandShape {
    tca_bytes: usize,
    lrc_offset: usize,
    total: usize,
}

impl CommandShape {
    fn new(tca_bytes: usize, bidirectional: bool) -> CommandShape {
        let lrc_offset = COMMAND_PREFIX_BYTES + TCAH_BYTES + tca_bytes;
        CommandShape { tca_bytes, lrc_offset, total: lrc_offset + if bidirectional { 12 } else { 8 } }
    }

    /// Returns the shape that a TCCB's own length byte gives, when the TCCB has that length.
    fn of_tccb(tccb: &[u8], bidirectional: bool) -> Option<CommandShape> {
        let tca_bytes = usize::from(*tccb.get(TCAL)?).checked_sub(12)?;
        let shape = CommandShape::new(tca_bytes, bidirectional);
        let fits = tca_bytes.is_multiple_of(4) && tca_bytes <= 240;
        (fits && COMMAND_PREFIX_BYTES + tccb.len() == shape.total).then_some(shape)
    }
}

fn bytes(data: &[u8]) -> IuData {
    if data.is_empty() { IuData::None } else { IuData::Bytes(data.to_vec()) }
}

impl Iu {
    /// Reads a transport command whose first octets were split off what follows, which becomes its data.
    ///
    /// # Errors
    /// The fault of the octets.
    pub fn of_transport_command(
        prefix: &[u8; COMMAND_PREFIX_BYTES],
        mut tccb: Vec<u8>,
    ) -> Result<Iu, ParseError> {
        let direction = prefix[ADDITIONAL_LENGTH];
        let (read, write) = (direction & READ != 0, direction & WRITE != 0);
        let additional = usize::from(direction & 0xFC);
        let tca_bytes = additional
            .checked_sub(4)
            .ok_or(ParseError::Field { field: "additional length", value: u32::from(direction) })?;
        let expected = CommandShape::new(tca_bytes, read && write).total;
        let got = COMMAND_PREFIX_BYTES + tccb.len();
        if got != expected {
            return Err(ParseError::Length { expected, got });
        }
        let shape = CommandShape::of_tccb(&tccb, read && write).ok_or(ParseError::Field {
            field: "TCAL",
            value: tccb.get(TCAL).copied().map_or(0, u32::from),
        })?;
        let at = shape.lrc_offset - COMMAND_PREFIX_BYTES;
        let found = u32::from_be_bytes(std::array::from_fn(|index| tccb[at + index]));
        let expected = lrc(prefix) ^ lrc(&tccb[..at]) ^ LRC_SEED;
        if expected != found {
            return Err(ParseError::Lrc { expected, found });
        }
        tccb[at..at + 4].fill(0);
        let header = SbHeader::parse(&std::array::from_fn::<u8, SB_HEADER_BYTES, _>(|index| prefix[index]));
        let SbHeader { channel_image, control_unit_image, device } = header;
        let number = &prefix[TRANSPORT_COMMAND_OCTETS];
        let token = u32::from_be_bytes([0, number[0], number[1], number[2]]);
        Ok(Iu {
            address: Address { channel_image, control_unit_image, device, token },
            body: Body::TransportCommand { read, write },
            data: IuData::Bytes(tccb),
        })
    }

    /// Reads transport data, which become those of the IU; a check word that ends the transfer is taken off.
    ///
    /// # Errors
    /// The fault of the octets.
    pub fn of_transport_data(
        address: Address,
        relative_offset: u32,
        inserted_bytes: u32,
        ends_transfer: bool,
        mut octets: Vec<u8>,
    ) -> Result<Iu, ParseError> {
        let got = octets.len();
        if !got.is_multiple_of(4) || (ends_transfer && got < 4) {
            return Err(ParseError::Length { expected: got.next_multiple_of(4).max(4), got });
        }
        if ends_transfer {
            let (data, check) = octets.split_at(got - 4);
            let found = u32::from_be_bytes(std::array::from_fn(|index| check[index]));
            let expected = closing_check_word(data);
            if expected != found {
                return Err(ParseError::Crc { expected, found });
            }
            octets.truncate(got - 4);
        }
        let data = if octets.is_empty() { IuData::None } else { IuData::Bytes(octets) };
        Ok(Iu { address, body: Body::TransportData { relative_offset, inserted_bytes, ends_transfer }, data })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::kind::IuKind;

    const ADDRESS: Address = Address { channel_image: 1, control_unit_image: 2, device: 0x34, token: 0xABCD };

    /// Returns the worked example of the reference's section 6.6: a 4K read with one 64-octet DCW.
    fn read_command() -> Iu {
        let mut tccb = vec![0x7F, 0, 0, 0, 0, 0, 0, 84, 0x1F, 0xFE, 0, 0, 0, 0, 0, 0];
        tccb.extend_from_slice(&[0xEA, 0, 0, 64, 0, 0, 0x10, 0]);
        tccb.extend((0..64).map(|octet| octet as u8));
        tccb.extend_from_slice(&[0, 0, 0, 0, 0, 0, 0x10, 4]);
        let body = Body::TransportCommand { read: true, write: false };
        Iu { address: ADDRESS, body, data: IuData::Bytes(tccb) }
    }

    #[test]
    fn worked_example() {
        let iu = read_command();
        let octets = iu.emit().unwrap();
        assert_eq!((octets.len(), iu.payload_bytes(), iu.kind()), (108, 108, IuKind::TransportCommand));
        assert_eq!((octets[11], octets[19]), (0x4E, 0x54));
        assert_eq!(&octets[..12], [0, 1, 0, 2, 0, 0x34, 0, 0xAB, 0xCD, 0, 0, 0x4E]);
        assert_eq!(&octets[104..], [0, 0, 0x10, 4]);
        assert_eq!(lrc(&octets[..104]), 0, "the LRC word makes the sum zero");
        assert_eq!(Iu::parse_transport_mode(TransportPart::Command, ADDRESS, &octets), Ok(iu));
    }

    #[test]
    fn damaged_command_is_found() {
        let sound = read_command().emit().unwrap();
        for bit in 0..104 * 8 {
            let mut octets = sound.clone();
            octets[bit / 8] ^= 1 << (bit % 8);
            assert!(Iu::parse_transport_mode(TransportPart::Command, ADDRESS, &octets).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn the_other_parts_round_trip() {
        let data = TransportPart::Data { relative_offset: 0, inserted_bytes: 0, ends_transfer: true };
        let sense = IuData::Bytes(vec![9; 32]);
        let ending = Body::TransportResponse(TransportResponse::ending(0x0C, 0));
        let cases = [
            (
                TransportPart::TransferReady,
                Body::TransferReady { relative_offset: 8, burst_bytes: 99 },
                IuData::None,
                12,
            ),
            (
                data,
                Body::TransportData { relative_offset: 0, inserted_bytes: 0, ends_transfer: true },
                IuData::Bytes(vec![5; 4096]),
                4100,
            ),
            (TransportPart::Response, ending, IuData::None, 64),
            (TransportPart::Response, ending, sense, 96),
            (TransportPart::Abort, Body::Abort, IuData::None, 0),
            (TransportPart::AbortAccept, Body::AbortAccept { ox_id: 1, rx_id: 0xFFFF }, IuData::None, 12),
        ];
        for (part, body, data, bytes) in cases {
            let iu = Iu { address: ADDRESS, body, data };
            let octets = iu.emit().unwrap();
            assert_eq!((octets.len(), iu.payload_bytes()), (bytes, bytes as u32));
            assert_eq!(Iu::parse_transport_mode(part, ADDRESS, &octets), Ok(iu));
        }
    }

    #[test]
    fn data_of_a_wrong_length_has_no_octets() {
        let ready = Body::TransferReady { relative_offset: 0, burst_bytes: 4 };
        let ends = Body::TransportData { relative_offset: 0, inserted_bytes: 0, ends_transfer: true };
        for body in [ready, ends, Body::TransportResponse(TransportResponse::ending(0, 0))] {
            let iu = Iu { address: ADDRESS, body, data: IuData::Count(3) };
            assert_eq!(iu.emit(), Err(EmitError::Data(3)));
        }
    }

    proptest! {
        #[test]
        fn any_octets_parse_or_fail_and_reparse(octets in proptest::collection::vec(any::<u8>(), 0..300), ends: bool) {
            let data = TransportPart::Data { relative_offset: 0, inserted_bytes: 0, ends_transfer: ends };
            let parts = [
                TransportPart::Command, TransportPart::TransferReady, data, TransportPart::Response,
                TransportPart::Abort, TransportPart::AbortAccept,
            ];
            for part in parts {
                if let Ok(iu) = Iu::parse_transport_mode(part, ADDRESS, &octets) {
                    let emitted = iu.emit().unwrap();
                    prop_assert_eq!(Iu::parse_transport_mode(part, ADDRESS, &emitted), Ok(iu));
                }
            }
        }

        #[test]
        fn any_tccb_round_trips(words in 2_usize..61, fill: u8, read: bool, write: bool) {
            let tca = words * 4;
            let mut tccb = vec![fill; 16 + tca + if read && write { 12 } else { 8 }];
            tccb[7] = tca as u8 + 12;
            tccb[16 + tca..20 + tca].fill(0);
            let body = Body::TransportCommand { read, write };
            let iu = Iu { address: ADDRESS, body, data: IuData::Bytes(tccb) };
            let octets = iu.emit().unwrap();
            prop_assert_eq!(Iu::parse_transport_mode(TransportPart::Command, ADDRESS, &octets), Ok(iu));
        }
    }
}

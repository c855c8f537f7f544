//! FC-2 frame between its delimiters: header, payload, CRC (FC-FS; reference section 1).

use crate::crc::{Crc, crc, padding};
use crate::error::{EmitError, ParseError};
use crate::fc_header::{FC_HEADER_BYTES, FcHeader};
use crate::optional_headers::OptionalHeaders;

/// Most octets of a payload.
pub const PAYLOAD_MAX_BYTES: usize = 2112;
/// Octets of the CRC.
pub const FRAME_CRC_BYTES: usize = 4;
/// Most octets of a frame without its delimiters.
pub const FRAME_MAX_BYTES: usize = FC_HEADER_BYTES + PAYLOAD_MAX_BYTES + FRAME_CRC_BYTES;

/// A checked view of the octets of a frame, delimiters left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FcFrame<'a> {
    /// The header.
    pub header: FcHeader,
    /// The octets of the optional headers that DF_CTL announces: see [`FcFrame::optional_headers`].
    pub optional: &'a [u8],
    /// The payload without its fill octets.
    pub payload: &'a [u8],
}

impl<'a> FcFrame<'a> {
    /// Reads a frame and checks its CRC.
    ///
    /// # Errors
    /// A length that no frame has; a wrong CRC; more fill octets than payload; optional headers that are not there.
    pub fn parse(octets: &'a [u8]) -> Result<Self, ParseError> {
        let frame = Self::parse_without_crc_check(octets)?;
        let (checked, found) = octets.split_at(octets.len() - FRAME_CRC_BYTES);
        let found = u32::from_be_bytes([found[0], found[1], found[2], found[3]]);
        let expected = crc(checked);
        if expected == found { Ok(frame) } else { Err(ParseError::Crc { expected, found }) }
    }

    /// Reads a frame whose CRC the caller checks or reports.
    ///
    /// # Errors
    /// A length that no frame has; more fill octets than payload; optional headers that are not there.
    pub fn parse_without_crc_check(octets: &'a [u8]) -> Result<Self, ParseError> {
        let got = octets.len();
        let least = FC_HEADER_BYTES + FRAME_CRC_BYTES;
        if !(least..=FRAME_MAX_BYTES).contains(&got) || !got.is_multiple_of(4) {
            return Err(ParseError::Length { expected: got.clamp(least, FRAME_MAX_BYTES) / 4 * 4, got });
        }
        let header = FcHeader::parse(octets)?;
        let data_field = &octets[FC_HEADER_BYTES..got - FRAME_CRC_BYTES];
        let announced = OptionalHeaders::bytes(header.df_ctl);
        let split = data_field.split_at_checked(announced);
        let (optional, padded) =
            split.ok_or(ParseError::Field { field: "DF_CTL", value: u32::from(header.df_ctl) })?;
        let fill = header.f_ctl.fill();
        let payload = padded.len().checked_sub(fill).map(|length| &padded[..length]);
        let payload = payload.ok_or(ParseError::Field { field: "fill octets", value: fill as u32 })?;
        Ok(Self { header, optional, payload })
    }

    /// Returns the optional headers by name.
    #[must_use]
    pub fn optional_headers(&self) -> OptionalHeaders<'a> {
        OptionalHeaders::split(self.header.df_ctl, self.optional)
    }

    /// Appends the octets of the frame to `into`; the header's count of fill octets is set here.
    ///
    /// # Errors
    /// More payload than a frame has room for.
    pub fn emit(&self, into: &mut Vec<u8>) -> Result<(), EmitError> {
        emit_frame(&self.header, &[self.optional, self.payload], into)
    }
}

/// Appends the octets of a frame whose payload is `parts`, one after the other; optional headers that DF_CTL
/// announces are the first of the parts.
///
/// # Errors
/// More payload than a frame has room for.
pub fn emit_frame(header: &FcHeader, parts: &[&[u8]], into: &mut Vec<u8>) -> Result<(), EmitError> {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    if length > PAYLOAD_MAX_BYTES {
        return Err(EmitError::TooMuchData { most: PAYLOAD_MAX_BYTES, got: length });
    }
    let fill = padding(length);
    let header = FcHeader { f_ctl: header.f_ctl.with_fill(fill), ..*header }.words();
    into.reserve(FC_HEADER_BYTES + length + fill + FRAME_CRC_BYTES);
    for word in header {
        into.extend_from_slice(&word.to_le_bytes());
    }
    // The CRC is made of what is copied, not of the copy: reading back what another processor has had last would
    // wait for it.
    let mut check = Crc::of_words(&header);
    for part in parts.iter().copied().chain([&[0; 3][..fill]]).filter(|part| !part.is_empty()) {
        check.update(part);
        into.extend_from_slice(part);
    }
    into.extend_from_slice(&check.word().to_be_bytes());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fc_header::FrameControl;
    use proptest::prelude::*;

    #[test]
    fn fill_octets_are_added_and_taken_off() {
        let header = FcHeader { f_ctl: FrameControl::END_SEQUENCE, ..FcHeader::default() };
        let mut octets = Vec::new();
        FcFrame { header, optional: &[], payload: &[1, 2, 3, 4, 5] }.emit(&mut octets).unwrap();
        assert_eq!(octets.len(), 24 + 8 + 4);
        let frame = FcFrame::parse(&octets).unwrap();
        assert_eq!((frame.payload, frame.header.f_ctl.fill()), (&[1, 2, 3, 4, 5][..], 3));
    }

    #[test]
    fn what_is_no_frame_is_refused() {
        let mut octets = Vec::new();
        FcFrame { header: FcHeader::default(), optional: &[], payload: &[7; 8] }.emit(&mut octets).unwrap();
        let mut damaged = octets.clone();
        damaged[26] ^= 1;
        assert!(matches!(FcFrame::parse(&damaged), Err(ParseError::Crc { .. })));
        assert!(FcFrame::parse_without_crc_check(&damaged).is_ok());
        assert_eq!(FcFrame::parse(&octets[..34]), Err(ParseError::Length { expected: 32, got: 34 }));
        assert_eq!(FcFrame::parse(&[0; 24]), Err(ParseError::Length { expected: 28, got: 24 }));
        let mut empty = Vec::new();
        let header = FcHeader::default();
        emit_frame(&header, &[], &mut empty).unwrap();
        empty[11] |= 1;
        let fault = ParseError::Field { field: "fill octets", value: 1 };
        assert_eq!(FcFrame::parse_without_crc_check(&empty), Err(fault));
        let long = [0; PAYLOAD_MAX_BYTES + 1];
        assert_eq!(
            emit_frame(&header, &[&long], &mut Vec::new()),
            Err(EmitError::TooMuchData { most: 2112, got: 2113 })
        );
    }

    #[test]
    fn the_payload_stands_behind_the_optional_headers() {
        let header = FcHeader { df_ctl: 0x31, ..FcHeader::default() };
        let optional: Vec<u8> = (0..64).collect();
        let mut octets = Vec::new();
        FcFrame { header, optional: &optional, payload: &[0xAA; 6] }.emit(&mut octets).unwrap();
        let frame = FcFrame::parse(&octets).unwrap();
        assert_eq!((frame.optional, frame.payload), (&optional[..], &[0xAA; 6][..]));
        assert_eq!(frame.optional_headers().device, &optional[48..]);
        let mut short = Vec::new();
        emit_frame(&header, &[&[0; 60]], &mut short).unwrap();
        assert_eq!(FcFrame::parse(&short), Err(ParseError::Field { field: "DF_CTL", value: 0x31 }));
    }

    proptest! {
        #[test]
        fn any_octets_parse_or_fail_and_reparse(octets in prop::collection::vec(any::<u8>(), 0..80)) {
            if let Ok(frame) = FcFrame::parse_without_crc_check(&octets) {
                let mut emitted = Vec::new();
                frame.emit(&mut emitted).unwrap();
                prop_assert_eq!(FcFrame::parse(&emitted).unwrap().payload, frame.payload);
            }
        }

        #[test]
        fn frames_round_trip(payload in prop::collection::vec(any::<u8>(), 0..=PAYLOAD_MAX_BYTES), word: u32) {
            let header = FcHeader { d_id: word >> 8, parameter: word, ..FcHeader::default() };
            let mut octets = Vec::new();
            FcFrame { header, optional: &[], payload: &payload }.emit(&mut octets).unwrap();
            let frame = FcFrame::parse(&octets).unwrap();
            prop_assert_eq!(frame.payload, &payload[..]);
            prop_assert_eq!((frame.header.d_id, frame.header.parameter), (word >> 8, word));
        }
    }
}

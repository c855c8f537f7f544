//! Link-control information units: logical paths between a channel image and a control-unit image (reference
//! sections 6.1 and 6.5).
//!
//! ```text
//! SB header 8 | IU header 8 (type 5) | DIB header 12: 0, function, information 2, CTC counter 2, ... | LRC 4 | [bitmap]
//! ```

use crate::choices;
use crate::command_iu::CommandIuView;
use crate::crc::crc;
use crate::error::ParseError;
use crate::iu::COMMAND_OVERHEAD_BYTES;
use crate::iu_header::{DataFlags, IuHeader};
use crate::lrc::lrc;
use crate::sb_header::SbHeader;

/// IU type of a link-control IU.
pub const LINK_CONTROL_TYPE: u8 = 5;
/// Octets of the bitmap of a test-initialization result: one bit for each of 256 images.
pub const BITMAP_BYTES: usize = 32;

const OVERHEAD: usize = COMMAND_OVERHEAD_BYTES as usize;

/// Codes of the functions (6.5).
mod code {
    pub const TEST_INITIALIZATION_RESULT: u8 = 0x01;
    pub const TEST_INITIALIZATION: u8 = 0x09;
    pub const REJECT: u8 = 0x11;
    pub const BUSY: u8 = 0x21;
    pub const ESTABLISH_PATH: u8 = 0x41;
    pub const REMOVE_PATH: u8 = 0x49;
    pub const PATH_ESTABLISHED: u8 = 0x51;
    pub const PATH_REMOVED: u8 = 0x59;
    pub const ACKNOWLEDGE: u8 = 0x61;
}

/// Optional features of a logical path: the information of ELP and LPE.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct PathFeatures(pub u16);

impl PathFeatures {
    /// Enhanced CRC generation.
    pub const ENHANCED_CRC: PathFeatures = PathFeatures(0x0001);
    /// A channel-to-channel connection.
    pub const CHANNEL_TO_CHANNEL: PathFeatures = PathFeatures(0x0080);

    /// Returns whether all bits of `other` are on.
    #[must_use]
    pub const fn has(self, other: PathFeatures) -> bool {
        self.0 & other.0 == other.0
    }
}

/// Why a logical path is not, or no longer, there: the information of LPR.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RemovedReason {
    /// It answers a request to remove the path.
    Requested,
    /// The sides do not agree on an optional feature.
    FeatureConflict,
    /// No room for another path.
    OutOfResources,
    /// The control unit still initializes.
    InitializationInProgress,
    /// The control unit has no such image.
    NoSuchImage,
    /// A reason without a meaning here, 5 to 15.
    Other(u8),
}

impl RemovedReason {
    /// Returns the four-bit code.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            RemovedReason::Requested => 0,
            RemovedReason::FeatureConflict => 1,
            RemovedReason::OutOfResources => 2,
            RemovedReason::InitializationInProgress => 3,
            RemovedReason::NoSuchImage => 4,
            RemovedReason::Other(code) => code & 0x0F,
        }
    }

    /// Returns the reason with this code, of which four bits count.
    #[must_use]
    pub const fn from_code(code: u8) -> RemovedReason {
        match code & 0x0F {
            0 => RemovedReason::Requested,
            1 => RemovedReason::FeatureConflict,
            2 => RemovedReason::OutOfResources,
            3 => RemovedReason::InitializationInProgress,
            4 => RemovedReason::NoSuchImage,
            other => RemovedReason::Other(other),
        }
    }
}

/// Why an IU was rejected: the information of LRJ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RejectReason {
    /// A device-level IU came over a logical path that is not established.
    PathNotEstablished,
    /// The IU breaks the rules.
    ProtocolError,
    /// A reason without a meaning here.
    Other(u8),
}

impl RejectReason {
    /// Returns the code.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            RejectReason::PathNotEstablished => 0x06,
            RejectReason::ProtocolError => 0x09,
            RejectReason::Other(code) => code,
        }
    }

    /// Returns the reason with this code.
    #[must_use]
    pub const fn from_code(code: u8) -> RejectReason {
        match code {
            0x06 => RejectReason::PathNotEstablished,
            0x09 => RejectReason::ProtocolError,
            other => RejectReason::Other(other),
        }
    }
}

/// Request or answer of a link-control IU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LinkFunction {
    /// ELP: establish a logical path.
    EstablishPath(PathFeatures),
    /// LPE: the logical path is established.
    PathEstablished(PathFeatures),
    /// RLP: remove a logical path.
    RemovePath,
    /// LPR: the logical path is removed, or was not established.
    PathRemoved(RemovedReason),
    /// TIN: test initialization, which requests the established images.
    TestInitialization,
    /// TIR: the established images, bit 0 of octet 0 (the leftmost) for image 0.
    TestInitializationResult([u8; BITMAP_BYTES]),
    /// LRJ: the IU is rejected.
    Reject(RejectReason),
    /// LBY: the link level is busy.
    Busy,
    /// LACK: acknowledged.
    Acknowledge,
}

impl LinkFunction {
    /// Returns the code of the function.
    #[must_use]
    pub const fn code(&self) -> u8 {
        match self {
            LinkFunction::EstablishPath(_) => code::ESTABLISH_PATH,
            LinkFunction::PathEstablished(_) => code::PATH_ESTABLISHED,
            LinkFunction::RemovePath => code::REMOVE_PATH,
            LinkFunction::PathRemoved(_) => code::PATH_REMOVED,
            LinkFunction::TestInitialization => code::TEST_INITIALIZATION,
            LinkFunction::TestInitializationResult(_) => code::TEST_INITIALIZATION_RESULT,
            LinkFunction::Reject(_) => code::REJECT,
            LinkFunction::Busy => code::BUSY,
            LinkFunction::Acknowledge => code::ACKNOWLEDGE,
        }
    }

    /// Returns true for the requests ELP, RLP and TIN; the others are answers.
    #[must_use]
    pub const fn is_request(&self) -> bool {
        matches!(
            self,
            LinkFunction::EstablishPath(_) | LinkFunction::RemovePath | LinkFunction::TestInitialization
        )
    }

    const fn information(&self) -> u16 {
        match self {
            LinkFunction::EstablishPath(features) | LinkFunction::PathEstablished(features) => features.0,
            LinkFunction::PathRemoved(reason) => (reason.code() as u16) << 8,
            LinkFunction::Reject(reason) => (reason.code() as u16) << 8,
            LinkFunction::RemovePath
            | LinkFunction::TestInitialization
            | LinkFunction::TestInitializationResult(_)
            | LinkFunction::Busy
            | LinkFunction::Acknowledge => 0,
        }
    }

    fn parse(code: u8, information: u16, data: &[u8]) -> Result<LinkFunction, ParseError> {
        let high = (information >> 8) as u8;
        let function = match code {
            code::ESTABLISH_PATH => LinkFunction::EstablishPath(PathFeatures(information)),
            code::PATH_ESTABLISHED => LinkFunction::PathEstablished(PathFeatures(information)),
            code::REMOVE_PATH => LinkFunction::RemovePath,
            code::PATH_REMOVED => LinkFunction::PathRemoved(RemovedReason::from_code(high)),
            code::TEST_INITIALIZATION => LinkFunction::TestInitialization,
            code::TEST_INITIALIZATION_RESULT => {
                let bitmap = <[u8; BITMAP_BYTES]>::try_from(data);
                let expected = OVERHEAD + BITMAP_BYTES;
                let wrong = ParseError::Length { expected, got: OVERHEAD + data.len() };
                return bitmap.map(LinkFunction::TestInitializationResult).map_err(|_| wrong);
            }
            code::REJECT => LinkFunction::Reject(RejectReason::from_code(high)),
            code::BUSY => LinkFunction::Busy,
            code::ACKNOWLEDGE => LinkFunction::Acknowledge,
            other => return Err(ParseError::Function(other)),
        };
        match data.len() {
            0 => Ok(function),
            more => Err(ParseError::Length { expected: OVERHEAD, got: OVERHEAD + more }),
        }
    }
}

/// A link-control IU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LinkControl {
    /// Channel-image id.
    pub channel_image: u8,
    /// Control-unit-image id.
    pub control_unit_image: u8,
    /// Request or answer.
    pub function: LinkFunction,
    /// Counter of a channel-to-channel connection; 0 otherwise.
    pub ctc_counter: u16,
}

impl LinkControl {
    /// Returns a function about the path between two images.
    #[must_use]
    pub const fn new(channel_image: u8, control_unit_image: u8, function: LinkFunction) -> LinkControl {
        LinkControl { channel_image, control_unit_image, function, ctc_counter: 0 }
    }

    /// Returns true when `octets`, the first frame's payload of an SB sequence, are of a link-control IU; it has then still to
    /// be parsed.
    #[must_use]
    pub fn is_link_control(octets: &[u8]) -> bool {
        octets.get(8).is_some_and(|identifier| identifier & 0x07 == LINK_CONTROL_TYPE)
    }

    /// Reads a link-control IU and checks its LRC, counts and data CRC.
    ///
    /// # Errors
    /// The fault of the octets; [`ParseError::Type`] for a device-level IU.
    pub fn parse(octets: &[u8]) -> Result<LinkControl, ParseError> {
        let view = CommandIuView::new(octets)?;
        view.check_lrc()?;
        let header = view.iu_header();
        if header.iu_type != LINK_CONTROL_TYPE {
            return Err(ParseError::Type(header.iu_type));
        }
        let dib = view.dib_octets();
        let half = |at: usize| u16::from_be_bytes([dib[at], dib[at + 1]]);
        let function = LinkFunction::parse(dib[1], half(2), view.data()?)?;
        let SbHeader { channel_image, control_unit_image, .. } = view.sb_header();
        Ok(LinkControl { channel_image, control_unit_image, function, ctc_counter: half(4) })
    }

    /// Returns the octets of the IU, without FC-2 framing.
    #[must_use]
    pub fn emit(&self) -> Vec<u8> {
        let images = SbHeader {
            channel_image: self.channel_image,
            control_unit_image: self.control_unit_image,
            device: 0,
        };
        let header =
            IuHeader { iu_type: LINK_CONTROL_TYPE, flags: DataFlags::default(), ccw: 0, token: 0 }.emit();
        let data: &[u8] = match &self.function {
            LinkFunction::TestInitializationResult(bitmap) => bitmap,
            _ => &[],
        };
        let mut octets = Vec::with_capacity(OVERHEAD + data.len() + 4);
        octets.extend_from_slice(&images.emit());
        octets.push(LINK_CONTROL_TYPE | if choices::LINK_ADDRESS_SPECIFIC { 0x10 } else { 0 });
        octets.extend_from_slice(&header[1..]);
        octets.extend_from_slice(&[0, self.function.code()]);
        octets.extend_from_slice(&self.function.information().to_be_bytes());
        octets.extend_from_slice(&self.ctc_counter.to_be_bytes());
        octets.extend_from_slice(&[0, 0, 0, choices::FIRST_IU_COUNT, 0, data.len() as u8]);
        octets.extend_from_slice(&lrc(&octets).to_be_bytes());
        octets.extend_from_slice(data);
        if !data.is_empty() {
            octets.extend_from_slice(&crc(data).to_be_bytes());
        }
        octets
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn every_function() -> [LinkFunction; 9] {
        let mut bitmap = [0; BITMAP_BYTES];
        bitmap[0] = 0x80;
        [
            LinkFunction::EstablishPath(PathFeatures::ENHANCED_CRC),
            LinkFunction::PathEstablished(PathFeatures::CHANNEL_TO_CHANNEL),
            LinkFunction::RemovePath,
            LinkFunction::PathRemoved(RemovedReason::NoSuchImage),
            LinkFunction::TestInitialization,
            LinkFunction::TestInitializationResult(bitmap),
            LinkFunction::Reject(RejectReason::PathNotEstablished),
            LinkFunction::Busy,
            LinkFunction::Acknowledge,
        ]
    }

    /// The ELP of the reference's section 9.3.
    #[test]
    fn the_published_elp() {
        let octets = [
            0, 1, 0, 2, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0x41, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 5, 0x41,
            0, 3,
        ];
        let elp = LinkControl::new(1, 2, LinkFunction::EstablishPath(PathFeatures::ENHANCED_CRC));
        assert_eq!(elp.emit(), octets);
        assert_eq!(LinkControl::parse(&octets), Ok(elp));
        assert!(LinkControl::is_link_control(&octets) && !LinkControl::is_link_control(&[0; 8]));
    }

    #[test]
    fn every_function_round_trips_and_damage_is_found() {
        for function in every_function() {
            let iu = LinkControl::new(3, 4, function);
            let octets = iu.emit();
            assert_eq!(LinkControl::parse(&octets), Ok(iu));
            for bit in 0..octets.len() * 8 {
                let mut damaged = octets.clone();
                damaged[bit / 8] ^= 1 << (bit % 8);
                assert!(LinkControl::parse(&damaged).is_err(), "{function:?}, bit {bit}");
            }
        }
    }

    #[test]
    fn reasons_are_their_codes() {
        for code in 0..16 {
            assert_eq!(RemovedReason::from_code(code).code(), code);
        }
        assert_eq!([6, 9].map(RejectReason::from_code).map(RejectReason::code), [6, 9]);
        assert_eq!(RejectReason::from_code(0x7F), RejectReason::Other(0x7F));
    }

    #[test]
    fn device_level_ius_are_refused() {
        let mut octets = LinkControl::new(0, 0, LinkFunction::Busy).emit();
        octets[8] = 1;
        octets[28] = 1;
        assert_eq!(LinkControl::parse(&octets), Err(ParseError::Type(1)));
    }

    proptest! {
        #[test]
        fn any_overhead_with_a_right_lrc_parses_or_fails_and_reparses(
            mut octets in proptest::collection::vec(any::<u8>(), 28), bitmap: bool, code in 0_usize..9,
        ) {
            octets[8] = octets[8] & 0xF8 | LINK_CONTROL_TYPE;
            octets[17] = every_function()[code].code();
            octets[9] |= 4;
            octets[26..28].copy_from_slice(&[0, if bitmap { 32 } else { 0 }]);
            octets.extend_from_slice(&lrc(&octets).to_be_bytes());
            octets.extend_from_slice(if bitmap { &[0x5A; 32] } else { &[] });
            match LinkControl::parse(&octets) {
                Ok(iu) => prop_assert_eq!(LinkControl::parse(&iu.emit()), Ok(iu)),
                Err(error) => {
                    let is_length = matches!(error, ParseError::Length { .. });
                    prop_assert!(is_length, "{}", error);
                }
            }
        }

        #[test]
        fn any_octets_parse_or_fail(octets in proptest::collection::vec(any::<u8>(), 0..80)) {
            let _ = LinkControl::parse(&octets);
        }
    }
}

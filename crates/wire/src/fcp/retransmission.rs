//! SRR: the request to send a part of an exchange again, in an exchange of its own (FCP-4; FCP reference section 2.2).

use halftrack_base::Octets;

use crate::els::LsReject;
use crate::error::ParseError;
use crate::fc_header::{FrameControl, fc_type, routing};
use crate::heading::Heading;

/// Octets of the request.
pub const REQUEST_BYTES: usize = 16;

/// Code of the request.
const SRR: u8 = 0x14;
const ACCEPT: u8 = 0x02;
const REJECT: u8 = 0x01;

/// Category of the information unit that is wanted again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FcpCategory {
    /// FCP_DATA to the initiator.
    Data,
    /// FCP_XFER_RDY.
    TransferReady,
    /// FCP_RSP.
    Response,
}

impl FcpCategory {
    const fn r_ctl(self) -> u8 {
        match self {
            Self::Data => routing::DATA,
            Self::TransferReady => routing::DATA_DESCRIPTOR,
            Self::Response => routing::STATUS,
        }
    }

    fn of_r_ctl(r_ctl: u8) -> Result<Self, ParseError> {
        match r_ctl {
            routing::DATA => Ok(Self::Data),
            routing::DATA_DESCRIPTOR => Ok(Self::TransferReady),
            routing::STATUS => Ok(Self::Response),
            _ => Err(ParseError::Field { field: "category wanted", value: u32::from(r_ctl) }),
        }
    }
}

/// SRR.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Retransmission {
    /// Originator's id of the exchange.
    pub ox_id: u16,
    /// Responder's id of the exchange.
    pub rx_id: u16,
    /// Where data or transfer-ready are to begin.
    pub relative_offset: u32,
    /// Information unit that is wanted.
    pub category: FcpCategory,
}

impl Retransmission {
    /// Reads a request.
    ///
    /// # Errors
    /// Other than 16 octets, another code, an unknown category.
    pub fn parse(octets: &[u8]) -> Result<Self, ParseError> {
        let mut reader = Octets::new(octets);
        let [code, ..] = reader.array::<4>()?;
        if code != SRR {
            return Err(ParseError::Field { field: "service code", value: u32::from(code) });
        }
        let (ox_id, rx_id, relative_offset) = (reader.half()?, reader.half()?, reader.word()?);
        let [r_ctl, ..] = reader.array::<4>()?;
        if octets.len() != REQUEST_BYTES {
            return Err(ParseError::Length { expected: REQUEST_BYTES, got: octets.len() });
        }
        Ok(Self { ox_id, rx_id, relative_offset, category: FcpCategory::of_r_ctl(r_ctl)? })
    }

    /// Returns the 16 octets.
    #[must_use]
    pub fn emit(&self) -> [u8; REQUEST_BYTES] {
        let mut octets = [0; REQUEST_BYTES];
        octets[0] = SRR;
        octets[4..6].copy_from_slice(&self.ox_id.to_be_bytes());
        octets[6..8].copy_from_slice(&self.rx_id.to_be_bytes());
        octets[8..12].copy_from_slice(&self.relative_offset.to_be_bytes());
        octets[12] = self.category.r_ctl();
        octets
    }

    /// Returns the heading of the request's frame.
    #[must_use]
    pub const fn heading() -> Heading {
        let f_ctl = FrameControl::FIRST_SEQUENCE.with(FrameControl::INITIATIVE);
        Heading { r_ctl: routing::FC4_REQUEST, fc_type: fc_type::FCP, f_ctl, parameter: 0 }
    }

    /// Returns the heading of the answer's frame.
    #[must_use]
    pub const fn answer_heading() -> Heading {
        let last = FrameControl::RESPONDER.with(FrameControl::LAST_SEQUENCE);
        let f_ctl = last.with(FrameControl::INITIATIVE);
        Heading { r_ctl: routing::FC4_REPLY, fc_type: fc_type::FCP, f_ctl, parameter: 0 }
    }

    /// Reads the answer to a request.
    ///
    /// # Errors
    /// Octets that are neither an accept nor a reject.
    pub fn parse_answer(octets: &[u8]) -> Result<Result<(), LsReject>, ParseError> {
        let mut reader = Octets::new(octets);
        let [code, ..] = reader.array::<4>()?;
        let (answer, expected) = match code {
            ACCEPT => (Ok(()), 4),
            REJECT => (Err(LsReject::parse(&mut reader)?), 8),
            _ => return Err(ParseError::Field { field: "service code", value: u32::from(code) }),
        };
        if octets.len() == expected {
            Ok(answer)
        } else {
            Err(ParseError::Length { expected, got: octets.len() })
        }
    }

    /// Returns the octets of an answer.
    #[must_use]
    pub fn emit_answer(answer: Result<(), LsReject>) -> Vec<u8> {
        match answer {
            Ok(()) => vec![ACCEPT, 0, 0, 0],
            Err(reject) => {
                let mut octets = vec![REJECT, 0, 0, 0];
                reject.emit(&mut octets);
                octets
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::els::RejectExplanation;

    /// The request of the FCP reference, section 6.5: data from 2048 on.
    #[test]
    fn worked_request() {
        let octets = [0x14, 0, 0, 0, 0x12, 0x37, 0, 0x58, 0, 0, 8, 0, 1, 0, 0, 0];
        let category = FcpCategory::Data;
        let request = Retransmission { ox_id: 0x1237, rx_id: 0x58, relative_offset: 2048, category };
        assert_eq!(Retransmission::parse(&octets), Ok(request));
        assert_eq!(request.emit(), octets);
    }

    #[test]
    fn headings_are_those_of_the_standard() {
        let [request, answer] = [Retransmission::heading(), Retransmission::answer_heading()];
        assert_eq!((request.r_ctl, request.fc_type, request.frame_control(true).0), (0x32, 8, 0x29_0000));
        assert_eq!((answer.r_ctl, answer.fc_type, answer.frame_control(true).0), (0x33, 8, 0x99_0000));
    }

    #[test]
    fn requests_round_trip_and_need_every_octet() {
        for category in [FcpCategory::Data, FcpCategory::TransferReady, FcpCategory::Response] {
            let request = Retransmission { ox_id: 1, rx_id: 0xFFFF, relative_offset: u32::MAX, category };
            let octets = request.emit();
            assert_eq!(Retransmission::parse(&octets), Ok(request));
            for length in 0..REQUEST_BYTES {
                assert!(Retransmission::parse(&octets[..length]).is_err(), "{length}");
            }
            assert!(Retransmission::parse(&[&octets[..], &[0; 4]].concat()).is_err());
        }
        let mut other = [0; REQUEST_BYTES];
        assert!(Retransmission::parse(&other).is_err(), "code 0");
        other[0] = SRR;
        assert!(Retransmission::parse(&other).is_err(), "category 0");
    }

    #[test]
    fn answers_round_trip() {
        let reject = LsReject {
            reason: RejectExplanation::UnableToPerform,
            explanation: LsReject::CANNOT_SUPPLY,
            vendor: 0,
        };
        assert_eq!(Retransmission::emit_answer(Err(reject)), [1, 0, 0, 0, 0, 9, 0x2A, 0]);
        for answer in [Ok(()), Err(reject)] {
            let octets = Retransmission::emit_answer(answer);
            assert_eq!(Retransmission::parse_answer(&octets), Ok(answer));
            assert!(Retransmission::parse_answer(&octets[..octets.len() - 1]).is_err());
        }
        assert!(Retransmission::parse_answer(&[3, 0, 0, 0]).is_err());
    }
}

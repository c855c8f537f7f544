//! Information units of an FCP exchange, and the headings of their frames (FCP-4; FCP reference section 1.1).

use super::command::FcpCommand;
use super::response::FcpResponse;
use crate::error::ParseError;
use crate::fc_header::{FcHeader, FrameControl, fc_type, routing};
use crate::heading::{FromSide, Heading, responder};
use crate::iu_parts::IuParts;
use crate::transfer_ready::TransferReady;
use crate::transport_iu::{ABORT_ACCEPT_BYTES, abort_accept};

/// Octets of a BA_RJT.
pub(super) const ABORT_REJECT_BYTES: usize = 4;

/// BA_RJT: why an exchange is not aborted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AbortReject {
    /// Reason.
    pub reason: u8,
    /// Explanation.
    pub explanation: u8,
}

impl AbortReject {
    /// No exchange has these ids.
    pub const NO_SUCH_EXCHANGE: Self = Self { reason: 0x03, explanation: 0x03 };
}

/// Information unit, or basic link service, of an FCP exchange. The initiator is the channel of [`FromSide`], the target the
/// control unit.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum FcpIu {
    /// FCP_CMND.
    Command(FcpCommand),
    /// FCP_XFER_RDY.
    TransferReady(TransferReady),
    /// FCP_DATA of one sequence.
    Data {
        /// Where in the transfer it begins, octets.
        relative_offset: u32,
        /// The data.
        data: Vec<u8>,
    },
    /// FCP_RSP.
    Response(FcpResponse),
    /// FCP_CONF.
    Confirmation,
    /// ABTS of the exchange.
    Abort,
    /// BA_ACC.
    AbortAccept {
        /// Originator's id of the exchange.
        ox_id: u16,
        /// Responder's id of the exchange.
        rx_id: u16,
    },
    /// BA_RJT.
    AbortReject(AbortReject),
}

impl FcpIu {
    /// Reads the octets of a sequence whose first frame has this header.
    ///
    /// # Errors
    /// The fault of the octets, or a category that FCP does not have.
    pub fn parse(header: &FcHeader, octets: &[u8]) -> Result<Self, ParseError> {
        let exact = |expected: usize| match octets.len() {
            got if got == expected => Ok(()),
            got => Err(ParseError::Length { expected, got }),
        };
        match (header.fc_type, header.r_ctl) {
            (fc_type::FCP, routing::COMMAND) => FcpCommand::parse(octets).map(Self::Command),
            (fc_type::FCP, routing::DATA_DESCRIPTOR) => TransferReady::parse(octets).map(Self::TransferReady),
            (fc_type::FCP, routing::DATA) if octets.is_empty() => {
                Err(ParseError::Length { expected: 1, got: 0 })
            }
            (fc_type::FCP, routing::DATA) if !header.f_ctl.has(FrameControl::RELATIVE_OFFSET) => {
                Err(ParseError::Field { field: "F_CTL of data", value: header.f_ctl.0 })
            }
            (fc_type::FCP, routing::DATA) => {
                Ok(Self::Data { relative_offset: header.parameter, data: octets.to_vec() })
            }
            (fc_type::FCP, routing::STATUS) => FcpResponse::parse(octets).map(Self::Response),
            (fc_type::FCP, routing::SOLICITED_CONTROL) => exact(0).map(|()| Self::Confirmation),
            (fc_type::BASIC_LINK_SERVICE, routing::ABTS) => exact(0).map(|()| Self::Abort),
            (fc_type::BASIC_LINK_SERVICE, routing::BA_ACC) => {
                exact(ABORT_ACCEPT_BYTES)?;
                let half = |at: usize| u16::from_be_bytes([octets[at], octets[at + 1]]);
                Ok(Self::AbortAccept { ox_id: half(4), rx_id: half(6) })
            }
            (fc_type::BASIC_LINK_SERVICE, routing::BA_RJT) => {
                exact(ABORT_REJECT_BYTES)?;
                let [_, reason, explanation, _] = std::array::from_fn(|index| octets[index]);
                Ok(Self::AbortReject(AbortReject { reason, explanation }))
            }
            (_, other) => Err(ParseError::Field { field: "category", value: u32::from(other) }),
        }
    }

    /// Returns R_CTL, TYPE, F_CTL and parameter of its frames.
    #[must_use]
    pub const fn heading(&self, from: FromSide) -> Heading {
        let side = responder(from);
        let passing = side.with(FrameControl::INITIATIVE);
        let (r_ctl, f_ctl) = match self {
            Self::Command(_) => (routing::COMMAND, passing.with(FrameControl::FIRST_SEQUENCE)),
            Self::TransferReady(_) => (routing::DATA_DESCRIPTOR, passing),
            Self::Data { .. } => {
                let f_ctl = match from {
                    FromSide::Channel => passing,
                    // The response follows.
                    FromSide::ControlUnit => side,
                };
                (routing::DATA, f_ctl.with(FrameControl::RELATIVE_OFFSET))
            }
            Self::Response(FcpResponse { requests_confirmation: true, .. }) => (routing::STATUS, passing),
            Self::Response(_) => (routing::STATUS, side.with(FrameControl::LAST_SEQUENCE)),
            Self::Confirmation => (routing::SOLICITED_CONTROL, side.with(FrameControl::LAST_SEQUENCE)),
            Self::Abort => (routing::ABTS, passing),
            Self::AbortAccept { .. } => (routing::BA_ACC, passing.with(FrameControl::LAST_SEQUENCE)),
            Self::AbortReject(_) => (routing::BA_RJT, passing.with(FrameControl::LAST_SEQUENCE)),
        };
        let fc_type = match self {
            Self::Abort | Self::AbortAccept { .. } | Self::AbortReject(_) => fc_type::BASIC_LINK_SERVICE,
            _ => fc_type::FCP,
        };
        let parameter = if let Self::Data { relative_offset, .. } = self { *relative_offset } else { 0 };
        Heading { r_ctl, fc_type, f_ctl, parameter }
    }

    /// Returns the octets as they go out: those before the data, and the data. Sense counts as data here.
    #[must_use]
    pub fn into_parts(self) -> (IuParts, Vec<u8>) {
        let head = |octets: &[u8], data_bytes: usize| IuParts::new(octets, data_bytes, &[], false);
        let without_data = |octets: &[u8]| (head(octets, 0), Vec::new());
        match self {
            Self::Command(command) => without_data(&command.emit()[..command.payload_bytes()]),
            Self::TransferReady(ready) => without_data(&ready.emit()),
            Self::Data { data, .. } => (head(&[], data.len()), data),
            Self::Response(response) => {
                let (octets, bytes) = response.emit_head();
                (head(&octets[..bytes], response.sense.len()), response.sense)
            }
            Self::Confirmation | Self::Abort => without_data(&[]),
            Self::AbortAccept { ox_id, rx_id } => without_data(&abort_accept(ox_id, rx_id)),
            Self::AbortReject(reject) => without_data(&[0, reject.reason, reject.explanation, 0]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fcp::command::{Cdb, DataDirection};
    use crate::fcp::lun::Lun;
    use crate::fcp::response::{ResponseCode, ScsiStatus};

    fn units() -> Vec<(FcpIu, FromSide, (u8, u8, u32))> {
        use FromSide::{Channel, ControlUnit};
        let cdb = Cdb::new(&[0x28]).expect("a short block");
        let read = FcpCommand::simple(Lun::default(), cdb, DataDirection::In, 512);
        let check = FcpResponse {
            requests_confirmation: true,
            status: ScsiStatus::CHECK_CONDITION,
            sense: vec![0x70; 18],
            ..FcpResponse::default()
        };
        let data = FcpIu::Data { relative_offset: 2048, data: vec![5; 1023] };
        vec![
            (FcpIu::Command(read), Channel, (0x06, 0x08, 0x29_0000)),
            (FcpIu::TransferReady(TransferReady::default()), ControlUnit, (0x05, 0x08, 0x89_0000)),
            (data.clone(), Channel, (0x01, 0x08, 0x09_0008)),
            (data, ControlUnit, (0x01, 0x08, 0x88_0008)),
            (FcpIu::Response(FcpResponse::of_code(ResponseCode::Failed)), ControlUnit, (7, 0x08, 0x98_0000)),
            (FcpIu::Response(FcpResponse::default()), ControlUnit, (0x07, 0x08, 0x98_0000)),
            (FcpIu::Response(check), ControlUnit, (0x07, 0x08, 0x89_0000)),
            (FcpIu::Confirmation, Channel, (0x03, 0x08, 0x18_0000)),
            (FcpIu::Abort, Channel, (0x81, 0x00, 0x09_0000)),
            (FcpIu::AbortAccept { ox_id: 0x1237, rx_id: 0x58 }, ControlUnit, (0x84, 0x00, 0x99_0000)),
            (FcpIu::AbortReject(AbortReject::NO_SUCH_EXCHANGE), ControlUnit, (0x85, 0x00, 0x99_0000)),
        ]
    }

    /// The table of the FCP reference, section 1.1, and the headings of basic link services in 2.2.
    #[test]
    fn headings_are_those_of_the_standard() {
        for (iu, from, (r_ctl, fc_type, f_ctl)) in units() {
            let heading = iu.heading(from);
            let last = heading.frame_control(true).0;
            assert_eq!((heading.r_ctl, heading.fc_type, last), (r_ctl, fc_type, f_ctl), "{iu:?}");
        }
        let data = FcpIu::Data { relative_offset: 2048, data: vec![5; 2048] };
        assert_eq!(data.heading(FromSide::ControlUnit).frame_control(false).0, 0x80_0008);
        assert_eq!(data.heading(FromSide::Channel).frame_parameter(1024), 3072);
    }

    #[test]
    fn what_goes_out_is_read_back() {
        for (iu, from, _) in units() {
            let heading = iu.heading(from);
            let (parts, data) = iu.clone().into_parts();
            let octets = [parts.before(), &data[..parts.data_bytes as usize], parts.behind()].concat();
            let Heading { r_ctl, fc_type, f_ctl, parameter } = heading;
            let header = FcHeader { r_ctl, fc_type, f_ctl, parameter, ..FcHeader::default() };
            assert_eq!(FcpIu::parse(&header, &octets), Ok(iu.clone()));
            if !octets.is_empty() && !matches!(iu, FcpIu::Data { .. }) {
                assert!(FcpIu::parse(&header, &octets[1..]).is_err(), "{iu:?}");
            }
            let alien = FcHeader { fc_type: fc_type::SB_CHANNEL, ..header };
            assert!(FcpIu::parse(&alien, &octets).is_err(), "{iu:?}");
        }
    }

    #[test]
    fn data_without_offset_or_octets_are_refused() {
        let header = FcHeader { r_ctl: routing::DATA, fc_type: fc_type::FCP, ..FcHeader::default() };
        assert!(matches!(FcpIu::parse(&header, &[1]), Err(ParseError::Field { .. })));
        let header = FcHeader { f_ctl: FrameControl::RELATIVE_OFFSET, ..header };
        assert!(FcpIu::parse(&header, &[1]).is_ok());
        assert_eq!(FcpIu::parse(&header, &[]), Err(ParseError::Length { expected: 1, got: 0 }));
    }
}

//! The LS_RJTs that ports and switches of this product send (FC-LS; reference section 5.2).

use halftrack_wire::els::{LsReject, RejectExplanation};

const fn reject(reason: RejectExplanation, explanation: u8) -> LsReject {
    LsReject { reason, explanation, vendor: 0 }
}

/// Explanation: invalid port name.
const INVALID_PORT_NAME: u8 = 0x0D;
/// Explanation: error in the options of the service parameters.
const SERVICE_PARAMETERS: u8 = 0x01;

/// Explanation: invalid address.
const INVALID_ADDRESS: u8 = 0x1F;

/// A code that is no link service.
pub(crate) const UNKNOWN_COMMAND: LsReject =
    reject(RejectExplanation::NotSupported, LsReject::REQUEST_NOT_SUPPORTED);
/// A link service that does not belong here.
pub(crate) const NOT_SUPPORTED: LsReject = UNKNOWN_COMMAND;
/// Octets that do not match their code.
pub(crate) const MALFORMED: LsReject = LsReject::new(RejectExplanation::ProtocolError);
/// A port name that may not log in: not on the host list, not among the peers, or taken.
pub(crate) const INVALID_NAME: LsReject = reject(RejectExplanation::LogicalError, INVALID_PORT_NAME);
/// No class 3, or buffers that are too small.
pub(crate) const PARAMETERS: LsReject = reject(RejectExplanation::LogicalError, SERVICE_PARAMETERS);
/// A login before FLOGI: it is out of order. FC-LS has no explanation for that; our choice is the bare reason.
pub(crate) const NOT_IN_FABRIC: LsReject = LsReject::new(RejectExplanation::LogicalError);
/// The sender has no login.
pub(crate) const LOGIN_REQUIRED: LsReject =
    reject(RejectExplanation::UnableToPerform, LsReject::LOGIN_REQUIRED);
/// No room for another login.
pub(crate) const NO_ROOM: LsReject =
    reject(RejectExplanation::UnableToPerform, LsReject::INSUFFICIENT_RESOURCES);
/// An address without a port, or that the zoning hides.
pub(crate) const NO_SUCH_PORT: LsReject = reject(RejectExplanation::LogicalError, INVALID_ADDRESS);
/// Ids of an exchange that is not open.
pub(crate) const NO_SUCH_EXCHANGE: LsReject =
    reject(RejectExplanation::LogicalError, LsReject::NO_SUCH_EXCHANGE);

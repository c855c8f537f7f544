//! LS_RJT: why a request was rejected (reference section 5.2).

use crate::error::ParseError;
use halftrack_base::Octets;

/// Reason of an LS_RJT.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RejectExplanation {
    /// The code of the request is invalid.
    InvalidCommand,
    /// The request makes no sense.
    LogicalError,
    /// Not now.
    Busy,
    /// The request breaks the rules.
    ProtocolError,
    /// It cannot be done.
    UnableToPerform,
    /// The request is not supported.
    NotSupported,
    /// A reason without a name here.
    Other(u8),
}

impl RejectExplanation {
    const NAMED: [(Self, u8); 6] = [
        (Self::InvalidCommand, 0x01),
        (Self::LogicalError, 0x03),
        (Self::Busy, 0x05),
        (Self::ProtocolError, 0x07),
        (Self::UnableToPerform, 0x09),
        (Self::NotSupported, 0x0B),
    ];

    /// Returns the code.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Other(code) => code,
            named => Self::NAMED.iter().find(|entry| entry.0 == named).map_or(0, |entry| entry.1),
        }
    }

    /// Returns the reason with this code.
    #[must_use]
    pub fn from_code(code: u8) -> Self {
        Self::NAMED.iter().find(|entry| entry.1 == code).map_or(Self::Other(code), |entry| entry.0)
    }
}

/// LS_RJT.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LsReject {
    /// Reason.
    pub reason: RejectExplanation,
    /// Explanation: the constants of this type.
    pub explanation: u8,
    /// Vendor's own code.
    pub vendor: u8,
}

impl LsReject {
    /// Explanation: none.
    pub const NO_EXPLANATION: u8 = 0x00;
    /// Explanation: no exchange has these ids.
    pub const NO_SUCH_EXCHANGE: u8 = 0x17;
    /// Explanation: the sender is not logged in.
    pub const LOGIN_REQUIRED: u8 = 0x1E;
    /// Explanation: no resources for the login.
    pub const INSUFFICIENT_RESOURCES: u8 = 0x29;
    /// Explanation: what is requested cannot be supplied.
    pub const CANNOT_SUPPLY: u8 = 0x2A;
    /// Explanation: the request is not supported.
    pub const REQUEST_NOT_SUPPORTED: u8 = 0x2C;

    /// Creates a rejection without explanation.
    #[must_use]
    pub const fn new(reason: RejectExplanation) -> Self {
        Self { reason, explanation: Self::NO_EXPLANATION, vendor: 0 }
    }

    pub(crate) fn parse(octets: &mut Octets<'_>) -> Result<Self, ParseError> {
        let [_, reason, explanation, vendor] = octets.array()?;
        Ok(Self { reason: RejectExplanation::from_code(reason), explanation, vendor })
    }

    pub(crate) fn emit(&self, into: &mut Vec<u8>) {
        into.extend_from_slice(&[0, self.reason.code(), self.explanation, self.vendor]);
    }
}

//! Connection layer control: the rendezvous inside the TCP connection (RFC 7609, appendix A.2).

mod decline;
mod endpoint;
mod header;
mod proposal;

pub use decline::{Decline, Diagnosis};
pub use endpoint::Endpoint;
pub use header::{HEADER_BYTES, Kind, announced_bytes};
pub use proposal::{Ipv4Subnet, Ipv6Prefix, PREFIXES_MAX, Proposal, SmcD};

use super::MessageError;
use header::Header;

/// Variant of SMC that a message is of, or proposes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Variant {
    /// Over RoCE.
    #[default]
    SmcR,
    /// Over the internal network of one machine.
    SmcD,
    /// Neither.
    Neither,
    /// Both.
    Both,
}

/// Message of connection layer control.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Clc {
    /// Client proposes SMC.
    Proposal(Proposal),
    /// Server accepts.
    Accept(Endpoint),
    /// Client confirms.
    Confirm(Endpoint),
    /// Either end goes back to TCP.
    Decline(Decline),
}

impl Clc {
    /// Returns the octets.
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Self::Proposal(proposal) => proposal.encode(),
            Self::Accept(endpoint) => endpoint.encode(Kind::Accept).to_vec(),
            Self::Confirm(endpoint) => endpoint.encode(Kind::Confirm).to_vec(),
            Self::Decline(decline) => decline.encode().to_vec(),
        }
    }

    /// Parses a message of exactly these octets.
    ///
    /// # Errors
    /// Eye catcher, type, version or length is another.
    pub fn decode(octets: &[u8]) -> Result<Self, MessageError> {
        let (header, body) = Header::split(octets)?;
        match header.kind {
            Kind::Proposal => Proposal::decode(&header, body).map(Self::Proposal),
            Kind::Accept => Endpoint::decode(&header, body).map(Self::Accept),
            Kind::Confirm => Endpoint::decode(&header, body).map(Self::Confirm),
            Kind::Decline => Decline::decode(&header, body).map(Self::Decline),
        }
    }
}

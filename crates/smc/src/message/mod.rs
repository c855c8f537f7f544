//! Messages of SMC-R (RFC 7609, section 4 and appendix A): parsed from octets, and written as octets.
//!
//! Reserved bits are read as anything and written as zeros: a receiver that refused them would lose the fall-back to TCP.

mod address;
pub mod clc;
pub mod llc;

mod cdc;
mod tcp_option;
#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) use tests::vectors;

use halftrack_base::LengthError;
use thiserror::Error;

pub use address::{AlertToken, Bits24, Gid, LinkNumber, Mac, Mtu, PeerId, RemoteToken, Rkey};
pub use cdc::{CDC_TYPE, Cdc, CloseFlags, Cursor, ProducerFlags};
pub use tcp_option::{TCP_OPTION, has_tcp_option};

/// "SMCR" in EBCDIC: begins and ends each message of CLC.
pub const EYE_CATCHER: [u8; 4] = [0xE2, 0xD4, 0xC3, 0xD9];
/// "SMCD" in EBCDIC: begins and ends messages of SMC-D, which shares the proposal.
pub const EYE_CATCHER_SMC_D: [u8; 4] = [0xE2, 0xD4, 0xC3, 0xC4];
/// Octets of a message of LLC, and of one of CDC.
pub const LINK_MESSAGE_BYTES: usize = 44;

/// Octets of a message on a link.
pub type LinkMessage = [u8; LINK_MESSAGE_BYTES];

/// Why octets are no message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum MessageError {
    /// Fewer or more than the message has.
    #[error(transparent)]
    Length(#[from] LengthError),
    /// First or last octets of a CLC message that are no eye catcher.
    #[error("a message of CLC begins and ends with E2D4C3D9, not with {0:08X}")]
    EyeCatcher(u32),
    /// Type that the protocol does not have here.
    #[error("type {0:02X} is no message of the protocol here")]
    Type(u8),
    /// Version below the first.
    #[error("version {0} is no version of SMC")]
    Version(u8),
    /// More IPv6 prefixes than a proposal has.
    #[error("{0} IPv6 prefixes where a proposal has at most 8")]
    Prefixes(u8),
}

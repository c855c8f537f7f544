//! Link layer control: messages of a link group, on its links (RFC 7609, appendix A.3).

mod links;
mod rkeys;
mod test_link;

use halftrack_base::LengthError;

pub use links::{
    AddLink, AddLinkContinuation, ConfirmLink, DeleteLink, DeleteReason, RequestAddLink, RkeyPair,
};
pub use rkeys::{ConfirmRkey, ConfirmRkeyContinuation, DeleteRkey, LinkToken, RKEYS_OF_DELETE};
pub use test_link::TestLink;

use super::{LINK_MESSAGE_BYTES, LinkMessage, MessageError};

/// Flag of a response.
const RESPONSE: u8 = 0x80;

/// Message of link layer control.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Llc {
    /// Makes sure that a link carries messages.
    ConfirmLink(ConfirmLink),
    /// Adds a link.
    AddLink(AddLink),
    /// Wants another link.
    RequestAddLink(RequestAddLink),
    /// Keys of buffers for the link to be added.
    AddLinkContinuation(AddLinkContinuation),
    /// Takes a link, or all, out of the group.
    DeleteLink(DeleteLink),
    /// Adds a buffer.
    ConfirmRkey(ConfirmRkey),
    /// Keys of the buffer on more links.
    ConfirmRkeyContinuation(ConfirmRkeyContinuation),
    /// Takes buffers away.
    DeleteRkey(DeleteRkey),
    /// Makes sure that a link is alive.
    TestLink(TestLink),
}

/// Type of a message.
#[repr(u8)]
enum Kind {
    ConfirmLink = 1,
    AddLink = 2,
    AddLinkContinuation = 3,
    DeleteLink = 4,
    RequestAddLink = 5,
    ConfirmRkey = 6,
    TestLink = 7,
    ConfirmRkeyContinuation = 8,
    DeleteRkey = 9,
}

/// Makes sure that the length in the header is that of the message.
pub(super) fn check_length(octets: &LinkMessage) -> Result<(), MessageError> {
    let got = usize::from(octets[1]);
    if got == LINK_MESSAGE_BYTES {
        Ok(())
    } else {
        Err(LengthError { expected: LINK_MESSAGE_BYTES, got }.into())
    }
}

/// Starts a message with its header.
fn begin(kind: Kind, is_response: bool, flags: u8) -> LinkMessage {
    let mut octets = [0; LINK_MESSAGE_BYTES];
    octets[0] = kind as u8;
    octets[1] = LINK_MESSAGE_BYTES as u8;
    octets[3] = flags | if is_response { RESPONSE } else { 0 };
    octets
}

/// Returns `bit` where it is on.
const fn flag(is_on: bool, bit: u8) -> u8 {
    if is_on { bit } else { 0 }
}

impl Llc {
    /// Returns the octets.
    pub fn encode(&self) -> LinkMessage {
        match self {
            Self::ConfirmLink(message) => message.encode(),
            Self::AddLink(message) => message.encode(),
            Self::AddLinkContinuation(message) => message.encode(),
            Self::DeleteLink(message) => message.encode(),
            Self::RequestAddLink(message) => message.encode(),
            Self::ConfirmRkey(message) => message.encode(),
            Self::ConfirmRkeyContinuation(message) => message.encode(),
            Self::DeleteRkey(message) => message.encode(),
            Self::TestLink(message) => message.encode(),
        }
    }

    /// Parses a message.
    ///
    /// # Errors
    /// The type is none of RFC 7609, or the length another.
    pub fn decode(octets: &LinkMessage) -> Result<Self, MessageError> {
        check_length(octets)?;
        let is_response = octets[3] & RESPONSE != 0;
        Ok(match octets[0] {
            1 => Self::ConfirmLink(ConfirmLink::decode(octets, is_response)),
            2 => Self::AddLink(AddLink::decode(octets, is_response)),
            3 => Self::AddLinkContinuation(AddLinkContinuation::decode(octets, is_response)),
            4 => Self::DeleteLink(DeleteLink::decode(octets, is_response)),
            5 => Self::RequestAddLink(RequestAddLink { is_response }),
            6 => Self::ConfirmRkey(ConfirmRkey::decode(octets, is_response)),
            7 => Self::TestLink(TestLink::decode(octets, is_response)),
            8 => Self::ConfirmRkeyContinuation(ConfirmRkeyContinuation::decode(octets, is_response)),
            9 => Self::DeleteRkey(DeleteRkey::decode(octets, is_response)),
            other => return Err(MessageError::Type(other)),
        })
    }
}

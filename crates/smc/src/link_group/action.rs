//! Actions that a group requires of its caller, in their order.

use super::buffers::BufferId;
use super::link::{LinkEnd, LinkId, PortNumber};
use crate::message::clc::Diagnosis;
use crate::message::llc::DeleteReason;
use crate::message::{AlertToken, LinkMessage, Mtu};

/// Action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Connects a queue pair that waited: from now on it sends and receives.
    Connect {
        /// Link.
        link: LinkId,
        /// Own port.
        port: PortNumber,
        /// Own end.
        own: LinkEnd,
        /// End of the peer.
        peer: LinkEnd,
        /// Largest packet of both.
        mtu: Mtu,
    },
    /// Sends a message on a link, behind those before.
    Send {
        /// Link.
        link: LinkId,
        /// Message.
        message: LinkMessage,
    },
    /// Stops a queue pair: nothing of the peer takes effect any more. Messages that it had received were handed before.
    Stop(LinkId),
    /// Goes on with a connection over another link.
    Move {
        /// Connection.
        connection: AlertToken,
        /// Link.
        to: LinkId,
    },
    /// Ends a connection abnormally, without a message.
    Reset(AlertToken),
    /// A buffer has its keys at the peer: connections may use it.
    Confirmed(BufferId),
    /// The peer refused a buffer, which is gone.
    Refused(BufferId),
    /// The peer has dropped its keys of a buffer, which is gone.
    Deleted(BufferId),
    /// The group is ended. Messages before this may still be sent; nothing of the peer takes effect.
    Ended(End),
}

/// Why a group ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum End {
    /// No link is left.
    NoLink,
    /// CONFIRM LINK of the first link, or its response, did not come.
    NoConfirmLink,
    /// The peer insists on eye catchers in elements.
    EyeCatchers,
    /// The peer violated the protocol.
    Violation,
    /// The peer ended the group.
    Peer(DeleteReason),
    /// The caller ended the group.
    Own(DeleteReason),
}

impl End {
    /// Returns the reason by which a rendezvous that waits for the first link is declined.
    pub const fn diagnosis(self) -> Diagnosis {
        match self {
            Self::NoConfirmLink => Diagnosis::CONFIRM_LINK_TIMEOUT,
            Self::EyeCatchers => Diagnosis::EYE_CATCHER,
            Self::NoLink => Diagnosis::LINK_READY,
            Self::Violation | Self::Peer(_) | Self::Own(_) => Diagnosis::INTERNAL,
        }
    }
}

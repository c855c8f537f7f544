//! Flows of link layer control: one at a time.

use halftrack_base::Time;

use super::buffers::BufferId;
use super::link::{LinkEnd, LinkId, PortNumber};
use crate::message::LinkNumber;
use crate::message::llc::DeleteReason;

/// Request of this end without a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Flow {
    pub(super) step: Step,
    /// Link of request and response.
    pub(super) carrier: LinkId,
    pub(super) deadline: Time,
}

/// Message that is expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// CONFIRM LINK on the first link: a server expects the response, a client the request.
    FirstLink,
    /// Response to ADD LINK.
    AddLink(Offer),
    /// Response to ADD LINK CONTINUATION.
    Keys(Exchange),
    /// Response to ADD LINK CONTINUATION for a link that is lost: it has no effect.
    LostKeys,
    /// Response to CONFIRM LINK on a new link.
    NewLink,
    /// Response to DELETE LINK.
    DeleteLink(Deletion),
    /// Responses to CONFIRM RKEY and its continuations.
    ConfirmRkey(Confirmation),
    /// Response to DELETE RKEY.
    DeleteRkey(Vec<BufferId>),
}

/// Keys of a buffer on their way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Confirmation {
    pub(super) buffer: BufferId,
    /// Links whose keys the messages have.
    pub(super) links: Vec<LinkId>,
    /// Responses that are outstanding.
    pub(super) responses: usize,
    pub(super) is_refused: bool,
    /// The peer refused for the moment only.
    pub(super) is_put_off: bool,
}

/// Own end of a link that was offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Offer {
    pub(super) port: PortNumber,
    pub(super) own: LinkEnd,
    pub(super) number: LinkNumber,
}

/// Exchange of the keys for a new link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Exchange {
    /// New link.
    pub(super) link: LinkId,
    pub(super) number: LinkNumber,
    /// Own buffers whose keys are left.
    pub(super) left: Vec<BufferId>,
    /// Keys of the peer that are left, once it gave their number.
    pub(super) peer_left: Option<u8>,
}

/// Part of a client in the addition of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Joining {
    pub(super) exchange: Exchange,
    pub(super) carrier: LinkId,
    pub(super) deadline: Time,
}

/// Link that the peer shall delete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Deletion {
    pub(super) number: LinkNumber,
    pub(super) reason: DeleteReason,
}

impl Exchange {
    /// Returns whether both ends have all keys.
    pub(super) fn is_complete(&self) -> bool {
        self.left.is_empty() && self.peer_left == Some(0)
    }
}

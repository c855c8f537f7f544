//! Messages that confirm, add and delete links.

use std::fmt;

use halftrack_base::fields;

use super::{Kind, begin, flag};
use crate::message::{Bits24, Gid, LinkMessage, LinkNumber, Mac, Mtu, RemoteToken, Rkey};

/// Flags of CONFIRM LINK: elements have no eye catchers.
const NO_EYE_CATCHERS: u8 = 0x03;
/// Flag of a response of ADD LINK that rejects.
const REJECTED: u8 = 0x40;
/// Flags of DELETE LINK.
const ALL_LINKS: u8 = 0x40;
const ORDERLY: u8 = 0x20;

/// CONFIRM LINK.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ConfirmLink {
    /// Response, or request.
    pub is_response: bool,
    /// Elements have no eye catchers: the data begin at their first octet.
    pub has_no_eye_catchers: bool,
    /// Port of the sender.
    pub mac: Mac,
    /// Port of the sender.
    pub gid: Gid,
    /// Queue pair of the sender.
    pub queue_pair: Bits24,
    /// Number of the link, the server's choice.
    pub link: LinkNumber,
    /// Name of the link for operators.
    pub user_id: u32,
    /// Most links that the sender has in a group.
    pub max_links: u8,
}

/// ADD LINK.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AddLink {
    /// Response, or request.
    pub is_response: bool,
    /// Reason of a response that rejects, four bits: 1, no alternate path.
    pub rejection: Option<u8>,
    /// Port of the sender.
    pub mac: Mac,
    /// Port of the sender.
    pub gid: Gid,
    /// Queue pair of the sender.
    pub queue_pair: Bits24,
    /// Number of the new link.
    pub link: LinkNumber,
    /// Largest packet.
    pub mtu: Mtu,
    /// Number of the first packet.
    pub psn: Bits24,
}

/// Keys of one buffer: on the link that carries the message, and on the new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct RkeyPair {
    /// Key on this link.
    pub here: Rkey,
    /// Place on the new link.
    pub there: RemoteToken,
}

/// ADD LINK CONTINUATION.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AddLinkContinuation {
    /// Response, or request.
    pub is_response: bool,
    /// New link.
    pub link: LinkNumber,
    /// Buffers of the sender that are left, those in this message included. At most two of them are in it.
    pub left: u8,
    /// Buffers.
    pub pairs: [RkeyPair; 2],
}

/// REQUEST ADD LINK: the client wants another link. Its body is read as anything and written as zeros.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RequestAddLink {
    /// Response, or request.
    pub is_response: bool,
}

/// Reason of a DELETE LINK.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct DeleteReason(pub u32);

/// DELETE LINK.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DeleteLink {
    /// Response, or request.
    pub is_response: bool,
    /// All links, and the group with them.
    pub is_all: bool,
    /// After connections have moved.
    pub is_orderly: bool,
    /// Link.
    pub link: LinkNumber,
    /// Reason.
    pub reason: DeleteReason,
}

impl DeleteReason {
    /// The path is lost.
    pub const LOST_PATH: Self = Self(0x0001_0000);
    /// An operator.
    pub const OPERATOR: Self = Self(0x0002_0000);
    /// The program has no use for it.
    pub const PROGRAM: Self = Self(0x0003_0000);
    /// The protocol was violated.
    pub const PROTOCOL: Self = Self(0x0004_0000);
    /// An asymmetric link that is no longer needed.
    pub const ASYMMETRIC: Self = Self(0x0005_0000);
    /// The responder has no such link.
    pub const UNKNOWN_LINK: Self = Self(0x0010_0000);
    /// The responder has no such group.
    pub const UNKNOWN_GROUP: Self = Self(0x0020_0000);
}

impl fmt::Debug for DeleteReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeleteReason({:08X})", self.0)
    }
}

impl ConfirmLink {
    pub(super) fn encode(&self) -> LinkMessage {
        let flags = flag(self.has_no_eye_catchers, NO_EYE_CATCHERS);
        let mut octets = begin(Kind::ConfirmLink, self.is_response, flags);
        fields::put(&mut octets, 4, &self.mac.0);
        fields::put(&mut octets, 10, &self.gid.0);
        fields::put(&mut octets, 26, &self.queue_pair.octets());
        octets[29] = self.link.0;
        fields::put(&mut octets, 30, &self.user_id.to_be_bytes());
        octets[34] = self.max_links;
        octets
    }

    pub(super) fn decode(octets: &LinkMessage, is_response: bool) -> Self {
        Self {
            is_response,
            has_no_eye_catchers: octets[3] & NO_EYE_CATCHERS == NO_EYE_CATCHERS,
            mac: Mac(fields::array_at(octets, 4)),
            gid: Gid(fields::array_at(octets, 10)),
            queue_pair: Bits24::from_octets(fields::array_at(octets, 26)),
            link: LinkNumber(octets[29]),
            user_id: fields::u32_at(octets, 30),
            max_links: octets[34],
        }
    }
}

impl AddLink {
    pub(super) fn encode(&self) -> LinkMessage {
        let flags = flag(self.rejection.is_some(), REJECTED);
        let mut octets = begin(Kind::AddLink, self.is_response, flags);
        octets[2] = self.rejection.unwrap_or_default() & 0x0F;
        fields::put(&mut octets, 4, &self.mac.0);
        fields::put(&mut octets, 12, &self.gid.0);
        fields::put(&mut octets, 28, &self.queue_pair.octets());
        octets[31] = self.link.0;
        octets[32] = self.mtu.0 & 0x0F;
        fields::put(&mut octets, 33, &self.psn.octets());
        octets
    }

    pub(super) fn decode(octets: &LinkMessage, is_response: bool) -> Self {
        Self {
            is_response,
            rejection: (octets[3] & REJECTED != 0).then_some(octets[2] & 0x0F),
            mac: Mac(fields::array_at(octets, 4)),
            gid: Gid(fields::array_at(octets, 12)),
            queue_pair: Bits24::from_octets(fields::array_at(octets, 28)),
            link: LinkNumber(octets[31]),
            mtu: Mtu(octets[32] & 0x0F),
            psn: Bits24::from_octets(fields::array_at(octets, 33)),
        }
    }
}

impl AddLinkContinuation {
    pub(super) fn encode(&self) -> LinkMessage {
        let mut octets = begin(Kind::AddLinkContinuation, self.is_response, 0);
        octets[4] = self.link.0;
        octets[5] = self.left;
        for (index, pair) in self.pairs.iter().enumerate() {
            let at = 8 + 16 * index;
            fields::put(&mut octets, at, &pair.here.0.to_be_bytes());
            fields::put(&mut octets, at + 4, &pair.there.rkey.0.to_be_bytes());
            fields::put(&mut octets, at + 8, &pair.there.address.to_be_bytes());
        }
        octets
    }

    pub(super) fn decode(octets: &LinkMessage, is_response: bool) -> Self {
        let pair = |index: usize| {
            let at = 8 + 16 * index;
            let rkey = Rkey(fields::u32_at(octets, at + 4));
            let there = RemoteToken { rkey, address: fields::u64_at(octets, at + 8) };
            RkeyPair { here: Rkey(fields::u32_at(octets, at)), there }
        };
        Self { is_response, link: LinkNumber(octets[4]), left: octets[5], pairs: [pair(0), pair(1)] }
    }
}

impl RequestAddLink {
    pub(super) fn encode(self) -> LinkMessage {
        begin(Kind::RequestAddLink, self.is_response, 0)
    }
}

impl DeleteLink {
    pub(super) fn encode(&self) -> LinkMessage {
        let flags = flag(self.is_all, ALL_LINKS) | flag(self.is_orderly, ORDERLY);
        let mut octets = begin(Kind::DeleteLink, self.is_response, flags);
        octets[4] = self.link.0;
        fields::put(&mut octets, 5, &self.reason.0.to_be_bytes());
        octets
    }

    pub(super) fn decode(octets: &LinkMessage, is_response: bool) -> Self {
        Self {
            is_response,
            is_all: octets[3] & ALL_LINKS != 0,
            is_orderly: octets[3] & ORDERLY != 0,
            link: LinkNumber(octets[4]),
            reason: DeleteReason(fields::u32_at(octets, 5)),
        }
    }
}

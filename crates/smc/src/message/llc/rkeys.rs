//! Messages that add buffers to a group and take them away.

use halftrack_base::fields;

use super::{Kind, begin, flag};
use crate::message::{LinkMessage, LinkNumber, RemoteToken, Rkey};

/// Flags of responses.
const NEGATIVE: u8 = 0x20;
const RETRY: u8 = 0x10;
/// Octets of a link and the place of a buffer on it.
const LINK_TOKEN_BYTES: usize = 13;
/// Most keys of a DELETE RKEY.
pub const RKEYS_OF_DELETE: usize = 8;

/// Place of a buffer on a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct LinkToken {
    /// Link.
    pub link: LinkNumber,
    /// Place.
    pub token: RemoteToken,
}

/// CONFIRM RKEY.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ConfirmRkey {
    /// Response, or request.
    pub is_response: bool,
    /// Negative response.
    pub is_negative: bool,
    /// Negative response to a request that may be repeated with the links of the moment.
    pub is_retry: bool,
    /// Links of the group beside the one that carries the message. At most two are in it; others follow.
    pub others: u8,
    /// Place on the link that carries the message.
    pub here: RemoteToken,
    /// Places on other links.
    pub entries: [LinkToken; 2],
}

/// CONFIRM RKEY CONTINUATION.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ConfirmRkeyContinuation {
    /// Response, or request.
    pub is_response: bool,
    /// Negative response.
    pub is_negative: bool,
    /// Links that are left, those in this message included. At most three are in it.
    pub left: u8,
    /// Places on links.
    pub entries: [LinkToken; 3],
}

/// DELETE RKEY.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DeleteRkey {
    /// Response, or request.
    pub is_response: bool,
    /// Negative response.
    pub is_negative: bool,
    /// Keys in the message, at most [`RKEYS_OF_DELETE`].
    pub count: u8,
    /// Keys that the responder does not have: bit 0, the leftmost, is the first.
    pub error_mask: u8,
    /// Keys on the link that carries the message.
    pub rkeys: [Rkey; RKEYS_OF_DELETE],
}

impl LinkToken {
    fn put(&self, octets: &mut LinkMessage, at: usize) {
        octets[at] = self.link.0;
        put_token(self.token, octets, at + 1);
    }

    fn at(octets: &LinkMessage, at: usize) -> Self {
        Self { link: LinkNumber(octets[at]), token: token_at(octets, at + 1) }
    }
}

fn put_token(token: RemoteToken, octets: &mut LinkMessage, at: usize) {
    fields::put(octets, at, &token.rkey.0.to_be_bytes());
    fields::put(octets, at + 4, &token.address.to_be_bytes());
}

fn token_at(octets: &LinkMessage, at: usize) -> RemoteToken {
    RemoteToken { rkey: Rkey(fields::u32_at(octets, at)), address: fields::u64_at(octets, at + 4) }
}

impl ConfirmRkey {
    pub(super) fn encode(&self) -> LinkMessage {
        let flags = flag(self.is_negative, NEGATIVE) | flag(self.is_retry, RETRY);
        let mut octets = begin(Kind::ConfirmRkey, self.is_response, flags);
        octets[4] = self.others;
        put_token(self.here, &mut octets, 5);
        for (index, entry) in self.entries.iter().enumerate() {
            entry.put(&mut octets, 17 + LINK_TOKEN_BYTES * index);
        }
        octets
    }

    pub(super) fn decode(octets: &LinkMessage, is_response: bool) -> Self {
        Self {
            is_response,
            is_negative: octets[3] & NEGATIVE != 0,
            is_retry: octets[3] & RETRY != 0,
            others: octets[4],
            here: token_at(octets, 5),
            entries: std::array::from_fn(|index| LinkToken::at(octets, 17 + LINK_TOKEN_BYTES * index)),
        }
    }
}

impl ConfirmRkeyContinuation {
    pub(super) fn encode(&self) -> LinkMessage {
        let flags = flag(self.is_negative, NEGATIVE);
        let mut octets = begin(Kind::ConfirmRkeyContinuation, self.is_response, flags);
        octets[4] = self.left;
        for (index, entry) in self.entries.iter().enumerate() {
            entry.put(&mut octets, 5 + LINK_TOKEN_BYTES * index);
        }
        octets
    }

    pub(super) fn decode(octets: &LinkMessage, is_response: bool) -> Self {
        Self {
            is_response,
            is_negative: octets[3] & NEGATIVE != 0,
            left: octets[4],
            entries: std::array::from_fn(|index| LinkToken::at(octets, 5 + LINK_TOKEN_BYTES * index)),
        }
    }
}

impl DeleteRkey {
    pub(super) fn encode(&self) -> LinkMessage {
        let flags = flag(self.is_negative, NEGATIVE);
        let mut octets = begin(Kind::DeleteRkey, self.is_response, flags);
        octets[4] = self.count;
        octets[5] = self.error_mask;
        for (index, rkey) in self.rkeys.iter().enumerate() {
            fields::put(&mut octets, 8 + 4 * index, &rkey.0.to_be_bytes());
        }
        octets
    }

    pub(super) fn decode(octets: &LinkMessage, is_response: bool) -> Self {
        Self {
            is_response,
            is_negative: octets[3] & NEGATIVE != 0,
            count: octets[4],
            error_mask: octets[5],
            rkeys: std::array::from_fn(|index| Rkey(fields::u32_at(octets, 8 + 4 * index))),
        }
    }
}

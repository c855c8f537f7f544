//! Test of a link that carried nothing for a while.

use halftrack_base::fields;

use super::{Kind, begin};
use crate::message::LinkMessage;

/// TEST LINK.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TestLink {
    /// Response, or request.
    pub is_response: bool,
    /// Data of the requester, which the response has too.
    pub user_data: [u8; 16],
}

impl TestLink {
    pub(super) fn encode(&self) -> LinkMessage {
        let mut octets = begin(Kind::TestLink, self.is_response, 0);
        fields::put(&mut octets, 4, &self.user_data);
        octets
    }

    pub(super) fn decode(octets: &LinkMessage, is_response: bool) -> Self {
        Self { is_response, user_data: fields::array_at(octets, 4) }
    }
}

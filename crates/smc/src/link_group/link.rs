//! One link of a group.

use halftrack_base::{Span, Time};

use crate::message::{Bits24, Gid, LinkNumber, Mac, Mtu};

/// Own ports that a group uses.
pub const PORTS_MAX: usize = 2;
/// Links that a group keeps; the protocol allows eight.
pub const LINKS_KEPT: usize = 2;
/// Most links of a group: one more than it keeps, while a symmetric link takes the place of an asymmetric one.
pub const LINKS_MAX: usize = LINKS_KEPT + 1;

/// Time without a message after which a link is tested, as Linux has it.
pub const IDLE_BEFORE_TEST: Span = Span::from_s(30);
/// Longest wait for a response of link layer control, as Linux has it. The first CONFIRM LINK has a longer one.
pub const RESPONSE_WAIT: Span = Span::from_s(2);

/// Number of a link at this end. It is never used again, unlike [`LinkNumber`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct LinkId(pub u32);

/// Own port of a group: its place among those of [`Settings`](super::Settings).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PortNumber {
    /// First.
    First,
    /// Second.
    Second,
}

/// Port of a RoCE adapter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Port {
    /// MAC address.
    pub mac: Mac,
    /// Global identifier.
    pub gid: Gid,
}

/// Queue pair that waits for its peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct QueuePairEnd {
    /// Number.
    pub number: Bits24,
    /// Number of the first packet that it sends.
    pub psn: Bits24,
    /// Largest packet.
    pub mtu: Mtu,
}

/// One end of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct LinkEnd {
    /// Port.
    pub port: Port,
    /// Queue pair.
    pub queue_pair: QueuePairEnd,
}

/// State of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LinkState {
    /// Queue pairs of both ends are connected, and CONFIRM LINK is outstanding.
    Confirming,
    /// Connections use it.
    Active,
}

/// TEST LINK without a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Test {
    pub(super) user_data: [u8; 16],
    pub(super) deadline: Time,
}

/// Link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Number at this end.
    pub id: LinkId,
    /// Number of the server's choice; `None` at a client before CONFIRM LINK of the first link.
    pub number: Option<LinkNumber>,
    /// State.
    pub state: LinkState,
    /// Own port.
    pub port: PortNumber,
    /// Own end.
    pub own: LinkEnd,
    /// End of the peer.
    pub peer: LinkEnd,
    /// Instant of the last message.
    pub(super) last_message: Time,
    pub(super) test: Option<Test>,
}

impl PortNumber {
    /// Both.
    pub const ALL: [Self; PORTS_MAX] = [Self::First, Self::Second];

    /// Returns the place in arrays of ports.
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl Link {
    /// Returns whether connections use the link.
    pub fn is_active(&self) -> bool {
        self.state == LinkState::Active
    }

    /// Returns whether another link has neither port in common with this one.
    pub fn is_symmetric_to(&self, other: &Self) -> bool {
        self.own.port != other.own.port && self.peer.port != other.peer.port
    }

    /// Returns the instant at which a test is due, or the answer to it.
    pub(super) fn test_due(&self) -> Option<Time> {
        let idle_end = self.last_message.saturating_add(IDLE_BEFORE_TEST);
        let is_tested = self.is_active();
        is_tested.then(|| self.test.map_or(idle_end, |test| test.deadline))
    }
}

/// Returns the largest packet that both ends take; `None` where an end has a code that InfiniBand reserves.
pub fn agreed_mtu(own: Mtu, peer: Mtu) -> Option<Mtu> {
    let _ = (own.payload_bytes()?, peer.payload_bytes()?);
    Some(own.min(peer))
}

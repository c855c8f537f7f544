//! Plan of a network: hosts, ports, and conversations between them.

use halftrack_base::Span;

use crate::transport::Transport;

/// Chunk of a stream, bytes: small against any window.
const CHUNK_BYTES: u32 = 2048;

/// Network at the start of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NetworkPlan {
    /// Processors of each host.
    pub hosts: Vec<u32>,
    /// Ports.
    pub ports: Vec<PortPlan>,
    /// Functions that an update of firmware can take away.
    pub functions: u32,
    /// Conversations.
    pub conversations: Vec<ConversationPlan>,
}

/// Port of an adapter, which all its functions share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortPlan {
    /// Octets a second in each direction.
    pub bytes_per_s: u64,
}

/// Exchanges of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Traffic {
    /// A request, and its response.
    Exchange {
        /// Length of the request, bytes.
        request_bytes: u32,
        /// Length of the response, bytes.
        response_bytes: u32,
    },
    /// Data one way, and the word that all of them are there.
    Stream {
        /// Length of the data, bytes.
        bytes: u32,
    },
}

impl Traffic {
    /// Returns true for data one way.
    pub(crate) const fn is_stream(self) -> bool {
        matches!(self, Self::Stream { .. })
    }

    /// Returns the octets that a side sends.
    pub(crate) const fn bytes_of(self, side: usize) -> u32 {
        match (self, side) {
            (Self::Exchange { request_bytes, .. }, 0) => request_bytes,
            (Self::Exchange { response_bytes, .. }, _) => response_bytes,
            (Self::Stream { bytes }, 0) => bytes,
            (Self::Stream { .. }, _) => 0,
        }
    }

    /// Returns the octets that go at a time.
    pub(crate) const fn chunk_bytes(self) -> u32 {
        if self.is_stream() { CHUNK_BYTES } else { u32::MAX }
    }
}

/// Connections that do the same between the same partitions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationPlan {
    /// Hosts: client and server.
    pub hosts: [u32; 2],
    /// Exchanges of each connection, one behind the other.
    pub traffic: Traffic,
    /// Connections, at least one.
    pub connections: u32,
    /// When the client connects, from the start of the run.
    pub begins: Span,
    /// Paths, at least one: a connection takes the first that has a way, and keeps it as long as it stands.
    pub paths: Vec<PathPlan>,
    /// Time from the loss of a connection until its client connects again; `None` where it does not.
    pub reconnect: Option<Span>,
}

/// Path of connections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathPlan {
    /// Times of its messages.
    pub transport: Transport,
    /// Time from the first message until a connection stands.
    pub setup: Span,
    /// Ways that connections may take, at least one: those at the front first, in turn.
    pub routes: Vec<RoutePlan>,
    /// Routes at the front over which connections are spread when they are made.
    pub spread: u32,
    /// Time from the loss of a function until a connection goes on over another one.
    pub failover: Span,
}

/// Way between two ports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoutePlan {
    /// Ends: client and server.
    pub ends: [RouteEnd; 2],
    /// Time of an octet from port to port.
    pub distance: Span,
}

/// End of a way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RouteEnd {
    /// Index of its port.
    pub port: u32,
    /// Index of its function; `None` for a port that nothing takes away.
    pub function: Option<u32>,
}

//! Fibre Channel Endpoint Security of a site: its key server, and what an encrypted frame costs.

use halftrack_base::Span;
use halftrack_fabric::endpoint_security::Connection;
use halftrack_wire::FrameProtection;

use crate::configuration::Configuration;
use crate::disturbance::DisturbanceKind;
use crate::logical_control_unit::Path;

/// Endpoint security of a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndpointSecurity {
    /// The key server; `None` where the site has none.
    pub key_server: Option<KeyServer>,
    /// Octets that encryption adds to a frame.
    pub frames: FrameProtection,
    /// Most octets of payload in an encrypted frame.
    pub payload_bytes: u32,
    /// Time of a frame in the engine of each adapter.
    pub engine_latency: Span,
}

/// The server that holds the keys that nodes share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyServer {
    /// Nodes reach it when the run begins, unless an event takes it away at once.
    pub is_reachable: bool,
    /// Time for which a key is good; `None` for ever.
    pub key_lifetime: Option<Span>,
}

impl Configuration {
    /// Returns true when nodes reach a key server at the start of a run.
    #[must_use]
    pub fn has_keys_at_start(&self) -> bool {
        let server = self.endpoint_security.and_then(|security| security.key_server);
        let is_lost_at_once = self
            .disturbances
            .iter()
            .any(|one| one.at.is_zero() && matches!(one.kind, DisturbanceKind::KeyServerLost));
        server.is_some_and(|server| server.is_reachable) && !is_lost_at_once
    }

    /// Returns the connection over `path` at the start of a run.
    #[must_use]
    pub fn connection_at_start(&self, path: &Path) -> Connection {
        path.security.with_key(self.has_keys_at_start())
    }
}

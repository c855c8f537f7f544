//! Connections between channels and host-adapter ports under endpoint security.

use serde::{Deserialize, Serialize};

use crate::zero::is_zero;

/// State of the connection between a channel and a host-adapter port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConnectionState {
    /// Its frames are encrypted.
    Encrypted,
    /// Each end has authenticated the other; frames are in clear text.
    Authenticated,
    /// Frames are in clear text, and no end is authenticated.
    Clear,
    /// It is refused: one of the ends sends no clear text.
    Refused,
    /// Its link is down.
    Down,
}

impl ConnectionState {
    /// All states.
    pub const ALL: [Self; 5] = [Self::Encrypted, Self::Authenticated, Self::Clear, Self::Refused, Self::Down];

    /// Returns the word for it in reports.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Encrypted => "encrypted",
            Self::Authenticated => "authenticated",
            Self::Clear => "clear",
            Self::Refused => "refused",
            Self::Down => "down",
        }
    }
}

/// Connections of a channel by state, at the end of an interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ConnectionCounts {
    /// Connections whose frames are encrypted.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub encrypted: u32,
    /// Connections with authentication alone.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub authenticated: u32,
    /// Connections in clear text.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub clear: u32,
    /// Connections that are refused.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub refused: u32,
    /// Connections whose link is down.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub down: u32,
}

impl ConnectionCounts {
    /// Returns the number of connections in `state`.
    #[must_use]
    pub const fn of(&self, state: ConnectionState) -> u32 {
        match state {
            ConnectionState::Encrypted => self.encrypted,
            ConnectionState::Authenticated => self.authenticated,
            ConnectionState::Clear => self.clear,
            ConnectionState::Refused => self.refused,
            ConnectionState::Down => self.down,
        }
    }

    /// Counts `more` connections in `state`.
    pub const fn add(&mut self, state: ConnectionState, more: u32) {
        let count = match state {
            ConnectionState::Encrypted => &mut self.encrypted,
            ConnectionState::Authenticated => &mut self.authenticated,
            ConnectionState::Clear => &mut self.clear,
            ConnectionState::Refused => &mut self.refused,
            ConnectionState::Down => &mut self.down,
        };
        *count += more;
    }
}

/// Change of the state of a connection in a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConnectionChange {
    /// When, from the start of the run, warm-up included.
    pub at_ps: u64,
    /// Name of the channel.
    pub channel: String,
    /// Name of the host-adapter port.
    pub port: String,
    /// State before.
    pub before: ConnectionState,
    /// State from then on.
    pub after: ConnectionState,
}

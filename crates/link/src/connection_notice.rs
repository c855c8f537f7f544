//! Events of the connection of a port, of a control unit or of a director, that are reported to the operator.

use std::fmt;
use std::io;

use crate::fibre::Closing;

/// Event of the connection of a port.
#[derive(Debug)]
pub enum ConnectionNotice<'a> {
    /// A connection came about.
    Connected(&'a str),
    /// An attempt to connect failed; it is reported once until another reason or success.
    NotConnected(&'a io::Error),
    /// The two ends have no clock in common: the age of frames is not checked.
    NoCommonClock(&'a str),
    /// A second connection came while the port had one.
    TurnedAway(&'a str),
    /// The connection was closed.
    Closed {
        /// Where the other end was.
        peer: &'a str,
        /// Why.
        why: &'a Closing,
    },
}

impl ConnectionNotice<'_> {
    /// Returns one word for programs.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Connected(_) => "connected",
            Self::NotConnected(_) => "not-connected",
            Self::NoCommonClock(_) => "no-common-clock",
            Self::TurnedAway(_) => "turned-away",
            Self::Closed { .. } => "closed",
        }
    }
}

impl fmt::Display for ConnectionNotice<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connected(peer) => write!(formatter, "connection with {peer}"),
            Self::NotConnected(error) => write!(formatter, "no connection: {error}; trying again"),
            Self::NoCommonClock(peer) => {
                write!(formatter, "no clock in common with {peer}: the age of frames is not checked")
            }
            Self::TurnedAway(peer) => {
                write!(formatter, "connection from {peer} closed: the port has its fibre already")
            }
            Self::Closed { peer, why } => write!(formatter, "connection with {peer} closed: {why}"),
        }
    }
}

//! What happens at the ports of a control unit that somebody may want to read.

use std::fmt;
use std::io;

use halftrack_engine::SimTime;
use halftrack_fabric::{LogoutCause, Refusal};
use halftrack_subsystem::{LogicalPath, RemovalCause};
use halftrack_wire::WorldWideName;

use crate::fibre::Closing;

/// Something that happened at a port.
#[derive(Debug)]
pub struct Notice<'a> {
    /// When.
    pub at: SimTime,
    /// Interface id of the port.
    pub port: &'a str,
    /// What.
    pub what: Happening<'a>,
}

/// What happened.
#[derive(Debug)]
pub enum Happening<'a> {
    /// A connection came about.
    Connected(&'a str),
    /// An attempt to connect failed; it is told once until another reason or success.
    NotConnected(&'a io::Error),
    /// A second connection came while the port had one.
    TurnedAway(&'a str),
    /// The connection was closed.
    Closed {
        /// Where the other end was.
        peer: &'a str,
        /// Why.
        why: &'a Closing,
    },
    /// The port has an address.
    Attached {
        /// The address.
        address: u32,
        /// In a fabric, not point to point.
        fabric: bool,
    },
    /// A host logged in.
    LoggedIn {
        /// Address.
        peer: u32,
        /// Port name.
        name: WorldWideName,
        /// It takes transport mode.
        transport: bool,
    },
    /// The login of a host is over.
    LoggedOut {
        /// Address.
        peer: u32,
        /// Port name.
        name: WorldWideName,
        /// Why.
        why: LogoutCause,
    },
    /// A login did not come about.
    Refused {
        /// Port name.
        name: WorldWideName,
        /// Why.
        why: Refusal,
    },
    /// A logical path is there.
    PathEstablished(LogicalPath),
    /// A logical path is gone.
    PathRemoved(LogicalPath, RemovalCause),
    /// The files of a volume failed under a command, whatever port it came over.
    VolumeFailed(String),
}

impl fmt::Display for Notice<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.what {
            Happening::VolumeFailed(text) => write!(formatter, "volume {text}"),
            what => write!(formatter, "port {}: {what}", self.port),
        }
    }
}

impl fmt::Display for Happening<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connected(peer) => write!(formatter, "connection with {peer}"),
            Self::NotConnected(error) => write!(formatter, "no connection: {error}; trying again"),
            Self::TurnedAway(peer) => {
                write!(formatter, "connection from {peer} closed: the port has its fibre already")
            }
            Self::Closed { peer, why } => write!(formatter, "connection with {peer} closed: {why}"),
            Self::Attached { address, fabric: true } => {
                write!(formatter, "logged in to the fabric as {address:06X}")
            }
            Self::Attached { address, fabric: false } => {
                write!(formatter, "point to point as {address:06X}")
            }
            Self::LoggedIn { peer, name, transport } => {
                let modes = if *transport { "command and transport mode" } else { "command mode" };
                write!(formatter, "host {name} logged in as {peer:06X}, {modes}")
            }
            Self::LoggedOut { peer, name, why } => {
                write!(formatter, "host {name} at {peer:06X} is no longer logged in: {why}")
            }
            Self::Refused { name, why } => write!(formatter, "no login with {name}: {why}"),
            Self::PathEstablished(path) => write!(formatter, "logical path {} established", Path(path)),
            Self::PathRemoved(path, why) => write!(formatter, "logical path {} removed: {why}", Path(path)),
            Self::VolumeFailed(text) => formatter.write_str(text),
        }
    }
}

/// A logical path as it reads best.
struct Path<'a>(&'a LogicalPath);

impl fmt::Display for Path<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LogicalPath { peer, channel_image, control_unit_image } = self.0;
        write!(formatter, "{peer:06X} image {channel_image:02X} to CUADD {control_unit_image:02X}")
    }
}

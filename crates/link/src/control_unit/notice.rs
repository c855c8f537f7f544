//! Events at the ports of a control unit that are reported to the operator.

use std::fmt;

use halftrack_base::Time;
use halftrack_fabric::{LogoutCause, Refusal};
use halftrack_subsystem::{LogicalPath, RemovalCause};
use halftrack_wire::WorldWideName;
use halftrack_wire::els::LinkIncident;
use halftrack_wire::synchronous::GreetingRefusal;

use crate::connection_notice::ConnectionNotice;

/// Something that happened at a port.
#[derive(Debug)]
pub struct Notice<'a> {
    /// When.
    pub at: Time,
    /// Interface id of the port.
    pub port: &'a str,
    /// Event.
    pub kind: NoticeKind<'a>,
}

/// Event at a port.
#[derive(Debug)]
pub enum NoticeKind<'a> {
    /// Of its connection.
    Connection(ConnectionNotice<'a>),
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
    /// A host logged in over FCP.
    FcpLoggedIn {
        /// Address.
        peer: u32,
        /// Port name.
        name: WorldWideName,
        /// Lost information units are sent again.
        retry: bool,
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
    /// The link of the port had an incident.
    Incident(LinkIncident),
    /// A host that connected to an adapter for synchronous I/O has so many functions.
    FunctionsInUse(WorldWideName, u8),
    /// The functions of a host are free: it has left.
    FunctionsFree(WorldWideName),
    /// A host was not let in.
    FunctionsRefused(WorldWideName, GreetingRefusal),
    /// The files of a volume failed under a command, whatever port it came over.
    VolumeFailed(String),
}

impl fmt::Display for Notice<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            NoticeKind::VolumeFailed(text) => write!(formatter, "volume {text}"),
            NoticeKind::FunctionsInUse(..)
            | NoticeKind::FunctionsFree(_)
            | NoticeKind::FunctionsRefused(..) => {
                write!(formatter, "zHyperLink {}: {}", self.port, self.kind)
            }
            kind => write!(formatter, "port {}: {kind}", self.port),
        }
    }
}

impl fmt::Display for NoticeKind<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connection(notice) => notice.fmt(formatter),
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
            Self::FcpLoggedIn { peer, name, retry } => {
                let retry = if *retry { ", with retry" } else { "" };
                write!(formatter, "host {name} logged in as {peer:06X}, FCP{retry}")
            }
            Self::LoggedOut { peer, name, why } => {
                write!(formatter, "host {name} at {peer:06X} is no longer logged in: {why}")
            }
            Self::Refused { name, why } => write!(formatter, "no login with {name}: {why}"),
            Self::PathEstablished(path) => write!(formatter, "logical path {} established", Path(path)),
            Self::PathRemoved(path, why) => write!(formatter, "logical path {} removed: {why}", Path(path)),
            Self::Incident(incident) => write!(formatter, "link incident: {}", incident.code.words()),
            Self::FunctionsInUse(host, functions) => {
                write!(formatter, "host {host} has {functions} functions")
            }
            Self::FunctionsFree(host) => write!(formatter, "host {host} is gone, its functions are free"),
            Self::FunctionsRefused(host, why) => write!(formatter, "host {host} is refused: {why}"),
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

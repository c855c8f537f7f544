//! Events at the ports of a director that are reported to the operator.

use std::fmt;

use halftrack_base::Time;
use halftrack_fabric::{DiscardReason, SwitchEvent};
use halftrack_wire::els::LinkIncident;

use crate::connection_notice::ConnectionNotice;

/// Something that happened at a port.
#[derive(Debug)]
pub struct Notice<'a> {
    /// When.
    pub at: Time,
    /// Link address of the port.
    pub area: u8,
    /// Event.
    pub kind: NoticeKind<'a>,
}

/// Event at a port.
#[derive(Debug)]
pub enum NoticeKind<'a> {
    /// Of its connection.
    Connection(ConnectionNotice<'a>),
    /// A login, a refusal or an inter-switch link.
    Fabric(SwitchEvent),
    /// Received frames were discarded since the last such notice.
    Discarded {
        /// Why.
        why: DiscardReason,
        /// How many.
        frames: u64,
    },
}

impl NoticeKind<'_> {
    /// Returns the link incident, if it is one.
    #[must_use]
    pub const fn incident(&self) -> Option<&LinkIncident> {
        match self {
            Self::Fabric(SwitchEvent::IncidentNoted { incident, .. }) => Some(incident),
            Self::Fabric(_) | Self::Connection(_) | Self::Discarded { .. } => None,
        }
    }

    /// Returns one word for programs.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Connection(notice) => notice.word(),
            Self::Discarded { .. } => "discarded",
            Self::Fabric(event) => match event {
                SwitchEvent::LoggedIn { .. } => "logged-in",
                SwitchEvent::LoggedOut { .. } => "logged-out",
                SwitchEvent::VirtualLoggedIn { .. } => "virtual-logged-in",
                SwitchEvent::VirtualLoggedOut { .. } => "virtual-logged-out",
                SwitchEvent::ProbeAnswered { .. } => "probe-answered",
                SwitchEvent::Abandoned { .. } => "abandoned",
                SwitchEvent::NotDrained { .. } => "not-drained",
                SwitchEvent::IncidentNoted { .. } => "incident",
                SwitchEvent::Reached { .. } => "reached",
                SwitchEvent::Lost { .. } => "lost",
                SwitchEvent::Refused { .. } => "refused",
                SwitchEvent::LinkCredit { .. } => "link-credit",
                SwitchEvent::LinkedTo { .. } => "linked",
                SwitchEvent::Unlinked { .. } => "unlinked",
                SwitchEvent::LinkRefused { .. } => "link-refused",
            },
        }
    }
}

impl fmt::Display for Notice<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "port {:02X}: {}", self.area, self.kind)
    }
}

impl fmt::Display for NoticeKind<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connection(notice) => notice.fmt(formatter),
            Self::Discarded { why, frames } => write!(formatter, "{frames} frames discarded: {why}"),
            Self::Fabric(event) => fabric_words(event, formatter),
        }
    }
}

fn fabric_words(event: &SwitchEvent, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
    match event {
        SwitchEvent::LoggedIn { address, name, credit, .. } => {
            write!(formatter, "{name} logged in as {address:06X}, {credit} buffer credits")
        }
        SwitchEvent::LoggedOut { address, name, .. } => {
            write!(formatter, "{name} at {address:06X} left the fabric")
        }
        SwitchEvent::VirtualLoggedIn { address, name, .. } => {
            write!(formatter, "{name} logged in as {address:06X}, a virtual port")
        }
        SwitchEvent::VirtualLoggedOut { address, name, .. } => {
            write!(formatter, "{name} at {address:06X}, a virtual port, left the fabric")
        }
        SwitchEvent::Abandoned { .. } => formatter.write_str("the other end has lost the inter-switch link"),
        SwitchEvent::NotDrained { .. } => formatter.write_str("old routes did not become empty in time"),
        SwitchEvent::Reached { domain, name, hops, links, .. } => {
            let s = if *links == 1 { "" } else { "s" };
            write!(formatter, "switch {name}, domain {domain:02X}, is {hops} links away over {links} link{s}")
        }
        SwitchEvent::Lost { domain, .. } => write!(formatter, "domain {domain:02X} is out of reach"),
        SwitchEvent::ProbeAnswered { .. } => formatter.write_str("who is logged in has answered a probe"),
        SwitchEvent::IncidentNoted { incident, .. } => {
            write!(formatter, "link incident: {}", incident.code.words())
        }
        SwitchEvent::Refused { name, why, .. } => write!(formatter, "{name} refused: {why}"),
        SwitchEvent::LinkCredit { credit, .. } => {
            write!(formatter, "inter-switch link with {credit} buffer credits")
        }
        SwitchEvent::LinkedTo { domain, name, .. } => {
            write!(formatter, "linked to switch {name}, domain {domain:02X}")
        }
        SwitchEvent::Unlinked { domain, .. } => {
            write!(formatter, "no longer linked to domain {domain:02X}")
        }
        SwitchEvent::LinkRefused { why, .. } => write!(formatter, "no inter-switch link: {why}"),
    }
}

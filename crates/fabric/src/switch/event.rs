//! Events that a switch reports to its owner.

use halftrack_wire::WorldWideName;
use halftrack_wire::els::LinkIncident;
use halftrack_wire::switch_link::SwitchReject;
use thiserror::Error;

/// Event for the owner of a switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SwitchEvent {
    /// A port logged in to the fabric.
    LoggedIn {
        /// The switch's port.
        port: usize,
        /// Address given.
        address: u32,
        /// Port name.
        name: WorldWideName,
        /// Its receive buffers.
        credit: u16,
    },
    /// A port left the fabric.
    LoggedOut {
        /// The switch's port.
        port: usize,
        /// Address that it had.
        address: u32,
        /// Port name.
        name: WorldWideName,
    },
    /// A virtual port logged in over the link of a port that is logged in.
    VirtualLoggedIn {
        /// The switch's port.
        port: usize,
        /// Address given.
        address: u32,
        /// Port name.
        name: WorldWideName,
    },
    /// A virtual port left the fabric.
    VirtualLoggedOut {
        /// The switch's port.
        port: usize,
        /// Address that it had.
        address: u32,
        /// Port name.
        name: WorldWideName,
    },
    /// The port that is logged in has answered a probe.
    ProbeAnswered {
        /// The switch's port.
        port: usize,
    },
    /// The link of a port had an incident, which was reported to the ports that registered for it.
    IncidentNoted {
        /// The switch's port.
        port: usize,
        /// Record of the incident.
        incident: LinkIncident,
    },
    /// A port was not let in, or not to another port.
    Refused {
        /// The switch's port.
        port: usize,
        /// Name of the requesting port, when it has one.
        name: WorldWideName,
        /// Why.
        why: SwitchRefusal,
    },
    /// The other end of an inter-switch link has so many receive buffers.
    LinkCredit {
        /// The switch's port.
        port: usize,
        /// Receive buffers.
        credit: u16,
    },
    /// An inter-switch link carries frames.
    LinkedTo {
        /// The switch's port.
        port: usize,
        /// Domain at the other end.
        domain: u8,
        /// Name of the switch there.
        name: WorldWideName,
    },
    /// An inter-switch link carries none any more.
    Unlinked {
        /// The switch's port.
        port: usize,
        /// Domain that was at the other end.
        domain: u8,
    },
    /// The switch at the other end has lost the inter-switch link: nothing more is to be taken from it.
    Abandoned {
        /// The switch's port.
        port: usize,
    },
    /// A switch behind others can be reached, or over other links than before.
    Reached {
        /// The switch's port of the first of the links.
        port: usize,
        /// Its domain.
        domain: u8,
        /// Its name.
        name: WorldWideName,
        /// Inter-switch links on the way.
        hops: u8,
        /// Inter-switch links of this switch that lead there.
        links: usize,
    },
    /// A switch behind others cannot be reached any more.
    Lost {
        /// The switch's port of the first of the links that led there.
        port: usize,
        /// Its domain.
        domain: u8,
    },
    /// The old routes to a domain over this inter-switch link did not become empty in time: what waits there for them is
    /// to be dropped, since new routes are used now.
    NotDrained {
        /// The switch's port.
        port: usize,
        /// The domain.
        domain: u8,
    },
    /// An inter-switch link was not made; reported once until the reason changes.
    LinkRefused {
        /// The switch's port.
        port: usize,
        /// Why.
        why: LinkRefusal,
    },
}

/// Why a port was not let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SwitchRefusal {
    /// The port name is at another port of the fabric.
    #[error("a port of this name is in the fabric already")]
    NameTaken,
    /// The name is not one of those that may log in at this port.
    #[error("its name may not log in here")]
    NotAdmitted,
    /// No class 3, or buffers smaller than the smallest frame.
    #[error("its class-3 parameters leave no room for frames")]
    Parameters,
    /// PLOGI before FLOGI.
    #[error("PLOGI before FLOGI")]
    NotInFabric,
    /// FDISC before FLOGI.
    #[error("FDISC before FLOGI")]
    VirtualNotInFabric,
    /// As many virtual ports are logged in at the port, or ports in the fabric, as the switch has room for.
    #[error("too many ports are logged in")]
    NoRoom,
    /// FLOGI on a port for inter-switch links.
    #[error("this port is for an inter-switch link")]
    NotAnFPort,
    /// PLOGI to an address without a port.
    #[error("login to {0:06x}, where no port is")]
    NobodyThere(u32),
    /// PLOGI to a port that is in no common zone.
    #[error("login to {0:06x}, which is in no common zone")]
    NotZoned(u32),
}

/// Why there is no inter-switch link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum LinkRefusal {
    /// The other end, or a switch behind it, has a domain that another switch has.
    #[error("domain {domain:#04x} of switch {switch} is taken by switch {holder}")]
    DomainTaken {
        /// The domain.
        domain: u8,
        /// The switch that has it too.
        switch: WorldWideName,
        /// The switch of the fabric that has it.
        holder: WorldWideName,
    },
    /// The other end is a domain that no switch may be.
    #[error("domain {0:#04x} is not between 01 and EF")]
    DomainRange(u8),
    /// The configuration names another switch.
    #[error("switch {0} is not the one that belongs there")]
    OtherSwitch(WorldWideName),
    /// Frames smaller than the smallest receive size, or no buffers.
    #[error("its link parameters leave no room for frames")]
    Parameters,
    /// SW_RJT.
    #[error("refused with SW_RJT, reason {:#04x}, explanation {:#04x}", .0.reason, .0.explanation)]
    Rejected(SwitchReject),
    /// No answer to any of the tries.
    #[error("no answer")]
    NoAnswer,
    /// An answer that the switch cannot interpret.
    #[error("an answer that makes no sense")]
    BadAnswer,
}

/// Destination of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It goes out through this port.
    Forward(usize),
    /// It waits until [`Switch::is_draining`](super::Switch::is_draining) is over for this domain, as frames that were sent
    /// before it may be on their way over an old route; then [`Switch::route_held`](super::Switch::route_held) has its way.
    Hold(u8),
    /// It was for the switch.
    Handled,
    /// It is discarded; class 3 has no notification of that.
    Discard(DiscardReason),
}

/// Why a switch discards a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Error)]
pub enum DiscardReason {
    /// The switch has no such port, or its link is down.
    #[error("its port is down")]
    PortDown,
    /// The sender did not log in to the fabric.
    #[error("its sender is not logged in to the fabric")]
    NotLoggedIn,
    /// S_ID is not the address of the sender.
    #[error("S_ID is not its sender's")]
    Source,
    /// Nobody has the D_ID.
    #[error("no port has the D_ID")]
    Destination,
    /// No zone has both.
    #[error("no zone has its sender and its receiver")]
    Zoning,
    /// No inter-switch link leads to the domain.
    #[error("no inter-switch link leads there")]
    NoRoute,
    /// Its way leads back to the switch that it came from, as routes are about to change.
    #[error("its way leads back where it came from")]
    Loop,
    /// It would pass more inter-switch links than a frame may.
    #[error("it would pass more than seven inter-switch links")]
    HopLimit,
    /// For the switch, but nothing that it understands, or an answer that it does not wait for.
    #[error("unknown to the switch")]
    NotUnderstood,
    /// The link that it was for, or from, failed, or the login there is over.
    #[error("the link or the login at one of its ends is gone")]
    EndGone,
    /// It waited for a route that is no longer used.
    #[error("its route changed and was not free in time")]
    Rerouted,
    /// It was on its way for longer than a frame may live.
    #[error("it was on its way for longer than a frame may live")]
    Lived,
    /// It waited for longer than a frame may.
    #[error("it waited too long")]
    TooOld,
    /// There was no room for it.
    #[error("the buffer was full")]
    NoRoom,
}

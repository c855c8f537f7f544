//! The other ports that a port logs in to, or that log in to it.

use halftrack_base::Time;
use halftrack_wire::WorldWideName;
use halftrack_wire::els::{NodeDescriptor, SbLogin};

use super::event::Refusal;
use super::link_place::LinkPlace;
use crate::incident::IncidentReports;

/// How far the login of a peer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Not logged in, without a request. A channel tries again at the time given.
    Out(Option<Time>),
    /// Its address is requested from the name server.
    Finding,
    /// PLOGI is on its way.
    LoggingIn,
    /// Logged in (PLOGI); a channel requests its identity (RNID), then transport mode (PRLI).
    Agreeing,
    /// All is agreed and reported.
    LoggedIn,
}

/// A peer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Peer {
    /// Port name; that of a peer known by its place is learned from its login.
    pub name: WorldWideName,
    /// Port of a director at which it is, when it is known by that.
    pub place: Option<LinkPlace>,
    /// Address, as far as it is known.
    pub address: u32,
    /// How far the login is.
    pub stage: Stage,
    /// Most payload octets of a frame between the two.
    pub frame_payload_bytes: u32,
    /// Node descriptor of the peer.
    pub node: Option<NodeDescriptor>,
    /// Result of PRLI.
    pub transport: Option<SbLogin>,
    /// Link incidents that it receives.
    pub reports: IncidentReports,
    /// The last refusal that was reported; a login forgets it.
    pub refusal: Option<Refusal>,
}

impl Peer {
    /// Creates a peer that is not logged in.
    pub(crate) fn new(name: WorldWideName) -> Self {
        Self {
            name,
            place: None,
            address: 0,
            stage: Stage::Out(None),
            frame_payload_bytes: 0,
            node: None,
            transport: None,
            reports: IncidentReports::default(),
            refusal: None,
        }
    }

    /// Creates a peer at a port of a director, which is not logged in.
    pub(crate) fn at(place: LinkPlace) -> Self {
        Self { place: Some(place), ..Self::new(WorldWideName(0)) }
    }

    /// Returns whether PLOGI was accepted.
    pub(crate) fn has_login(&self) -> bool {
        matches!(self.stage, Stage::Agreeing | Stage::LoggedIn)
    }
}

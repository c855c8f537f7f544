//! Logical control units, and the paths that lead to them.

use halftrack_fabric::endpoint_security::Terms;

use crate::cpc::Subsystem;
use crate::fcp::Luns;

/// A logical control unit: one image of one control unit.
#[derive(Debug, Clone, PartialEq)]
pub struct Lcu {
    /// LCU number: its lowest control-unit number in the decks.
    pub number: u16,
    /// Index of its control unit among the distinct control-unit names of `ports`, by name.
    pub control_unit: u32,
    /// Control-unit image (CUADD).
    pub image: u8,
    /// Aliases defined in the deck.
    pub aliases: u32,
    /// Paths, one group for each channel subsystem that reaches it, by (CPC, CSS).
    pub path_groups: Vec<PathGroup>,
    /// Its devices are SCSI logical units, reached by FCP.
    pub luns: Option<Luns>,
}

/// The paths from one channel subsystem to one logical control unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathGroup {
    /// Index of the CPC.
    pub cpc: u8,
    /// Channel subsystem.
    pub css: u8,
    /// LCU number on this CPC: the lowest control-unit number in its deck.
    pub number: u16,
    /// Up to eight paths in deck order; position is the bit in path masks (0 is the mask's 0x80).
    pub paths: Vec<Path>,
}

impl PathGroup {
    /// Returns the channel subsystem that they lead from.
    #[must_use]
    pub const fn subsystem(&self) -> Subsystem {
        Subsystem { cpc: self.cpc, css: self.css }
    }
}

/// One path: channel, links, port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    /// Index of the channel.
    pub channel: u32,
    /// Index of the host-adapter port.
    pub port: u32,
    /// Links from channel to port, in order.
    pub outbound: Vec<u32>,
    /// Links from port to channel, in order.
    pub inbound: Vec<u32>,
    /// Other ways that are as short, over other inter-switch links; exchanges take all of them in turn.
    pub alternatives: Vec<RoutePair>,
    /// Terms of its ends for endpoint security.
    pub security: Terms,
}

/// One way between a channel and a host-adapter port, there and back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoutePair {
    /// Links from channel to port, in order.
    pub outbound: Vec<u32>,
    /// Links from port to channel, in order.
    pub inbound: Vec<u32>,
}

impl Path {
    /// Returns every way of it as a path that has no other.
    pub fn ways(&self) -> impl Iterator<Item = Self> {
        let first = RoutePair { outbound: self.outbound.clone(), inbound: self.inbound.clone() };
        [first].into_iter().chain(self.alternatives.iter().cloned()).map(|RoutePair { outbound, inbound }| {
            Self {
                channel: self.channel,
                port: self.port,
                outbound,
                inbound,
                alternatives: Vec::new(),
                security: self.security,
            }
        })
    }
}

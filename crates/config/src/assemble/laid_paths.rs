//! Paths laid along routes: their links, their ends, and fibres that are too long for them.

use std::collections::BTreeSet;

use crate::assemble::channels::Channels;
use crate::assemble::endpoint_security::terms;
use crate::assemble::fabric::Fabric;
use crate::assemble::inputs::Inputs;
use crate::assemble::links::Links;
use crate::assemble::ports::Ports;
use crate::assemble::reach;
use crate::assemble::routes::Route;
use crate::logical_control_unit::{Path, RoutePair};

/// The parts of a study that paths are laid over.
#[derive(Clone, Copy)]
pub struct Ground<'m, 'a> {
    /// Channels.
    pub channels: &'m Channels<'a>,
    /// Fibres.
    pub fabric: &'m Fabric<'a>,
    /// Host-adapter ports.
    pub ports: &'m Ports<'a>,
}

/// Links that paths are laid over, and the fibres that were reported as too long.
pub struct LaidPaths<'l> {
    links: &'l mut Links,
    far: BTreeSet<usize>,
}

impl<'l> LaidPaths<'l> {
    /// Makes paths over `links` before any.
    pub fn new(links: &'l mut Links) -> Self {
        Self { links, far: BTreeSet::new() }
    }

    /// Lays the path of `channel` to the port with this index, along `route` there. A fibre that is too long is reported once.
    pub fn lay(
        &mut self,
        inputs: &Inputs<'_>,
        ground: Ground<'_, '_>,
        (channel, port): (u32, u32),
        route: &Route,
    ) -> Path {
        let Ground { channels, fabric, ports } = ground;
        let ways = || std::iter::once(&route.hops).chain(&route.others);
        for way in ways() {
            reach::check(inputs, fabric, channels.plug(channel), way, &mut self.far);
        }
        let RoutePair { outbound, inbound } = self.links.route(&route.hops);
        let alternatives = route.others.iter().map(|hops| self.links.route(hops)).collect();
        let security = terms(fabric, channels, channel, ports.endpoint(port), ways());
        Path { channel, port, outbound, inbound, alternatives, security }
    }
}

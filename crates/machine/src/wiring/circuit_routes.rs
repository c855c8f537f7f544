//! The ports that each circuit holds: those of its channel and host adapter, and every director port between.

use std::collections::BTreeMap;

use halftrack_config::{Configuration, SwitchPort};

use crate::wiring::lanes::Lanes;
use crate::wiring::path_wire::PathWire;
use crate::wiring::route::Hop;

/// Routes of circuits over the ports of one switch, which stands for all directors: their ports have different numbers.
#[derive(Debug, Default)]
pub(crate) struct CircuitRoutes {
    /// By path; empty for a path that is no circuit. The channel's own port is the first, where it is held.
    routes: Vec<Box<[u32]>>,
    /// By channel-to-channel device; empty for one of FICON.
    devices: Vec<Box<[u32]>>,
    /// A whole path is one.
    any: bool,
    /// How many ports there are.
    pub ports: usize,
}

impl CircuitRoutes {
    /// Lays the routes of all `paths`, and of devices between channels.
    pub(crate) fn new(
        configuration: &Configuration,
        paths: &[PathWire],
        lanes: &Lanes,
        hops: &[Hop],
    ) -> Self {
        let channels = configuration.channels.len() as u32;
        let first_director_port = channels + configuration.ports.len() as u32;
        let mut director_ports: BTreeMap<SwitchPort, u32> = BTreeMap::new();
        let mut over = |hops: &[Hop]| -> Vec<u32> {
            let ends = hops.iter().flat_map(|hop| configuration.links[hop.link as usize].switch_ports);
            let number = |port| {
                let next = first_director_port + director_ports.len() as u32;
                *director_ports.entry(port).or_insert(next)
            };
            ends.flatten().map(number).collect()
        };
        let mut routes = Vec::with_capacity(paths.len());
        for path in paths {
            let mut route = Vec::new();
            if path.has_circuit() {
                // A bridge has its channel's port to itself: the circuit begins behind it.
                let own = (!path.is_bridged).then_some(path.channel);
                route.extend(own.into_iter().chain([channels + path.port]));
                route.extend(over(&hops[path.outbound.range()][usize::from(path.is_bridged)..]));
            }
            routes.push(route.into_boxed_slice());
        }
        let mut devices = Vec::new();
        for (device, lane) in lanes.devices.iter().zip(lanes.lanes.chunks(2).map(|both| &both[0])) {
            let route = if device.is_circuit {
                [&lane.channels[..], &over(&hops[lane.route.range()])].concat()
            } else {
                Vec::new()
            };
            devices.push(route.into_boxed_slice());
        }
        let any = paths.iter().any(|path| path.is_circuit);
        Self { routes, devices, any, ports: first_director_port as usize + director_ports.len() }
    }

    /// Returns true when no path is a circuit.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        !self.any
    }

    /// Returns the ports of the circuit over `path`.
    pub(crate) fn of(&self, path: u32) -> &[u32] {
        &self.routes[path as usize]
    }

    /// Returns the ports of the circuit of channel-to-channel device `device`.
    pub(crate) fn of_device(&self, device: u32) -> &[u32] {
        &self.devices[device as usize]
    }
}

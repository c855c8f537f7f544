//! Host-adapter ports of the plant's boxes.

use std::collections::{BTreeMap, BTreeSet};

use halftrack_catalog as catalog;
use halftrack_fabric::endpoint_security::{Endpoint, Policy};
use halftrack_input::Located;

use crate::assemble::inputs::Inputs;
use crate::assemble::{enclosures, endpoint_security, hardware};
use crate::configuration::ControlUnitPort;
use crate::place::AdapterPort;
use crate::plant::{HostAdapterPort, PortProtocol, SpeedSetting};
use crate::share::Share;

/// Every host-adapter port, and the catalog entry of its box.
pub struct Ports<'a> {
    ports: Vec<ControlUnitPort>,
    shares: Vec<Share>,
    at: BTreeMap<AdapterPort, u32>,
    kinds: BTreeMap<AdapterPort, (&'a catalog::ControlUnit, &'a HostAdapterPort)>,
    boxes: Vec<String>,
    /// By port: its end of endpoint security, and the place of its policy.
    security: Vec<(Endpoint, Option<&'a Located<Policy>>)>,
}

impl<'a> Ports<'a> {
    /// Creates the ports of every box whose kind the catalog has, by (control unit, port).
    pub fn new(inputs: &Inputs<'a>) -> Self {
        let mut found = BTreeMap::new();
        let mut kinds = BTreeMap::new();
        let mut kinds_by_box = BTreeMap::new();
        for control_unit in &inputs.plant.control_units {
            let Some(kind) = inputs.find(&inputs.catalog.control_units, &control_unit.kind) else { continue };
            kinds_by_box.insert(control_unit.name.value.clone(), kind);
            let mut hardware = hardware::control_unit(&control_unit.kind.value, kind);
            hardware.cache_tracks = control_unit.cache_tracks.unwrap_or(hardware.cache_tracks);
            for port in &control_unit.ports {
                let address = port.address(control_unit);
                kinds.insert(address.clone(), (kind, port));
                let plain = ControlUnitPort {
                    name: address.to_string(),
                    control_unit: control_unit.name.value.clone(),
                    hardware: hardware.clone(),
                    share: None,
                };
                let policy = port.endpoint_security.as_ref().or(control_unit.endpoint_security.as_ref());
                let security = (endpoint_security::of_port(inputs, control_unit, port), policy);
                found.insert(address, (plain, security));
            }
        }
        let at = found.keys().zip(0..).map(|(address, index)| (address.clone(), index)).collect();
        let (mut ports, security): (Vec<_>, Vec<_>) = found.into_values().unzip();
        let kind_of = |port: &ControlUnitPort| kinds_by_box.get(&port.control_unit).copied();
        let shares = enclosures::shares(&mut ports, kind_of);
        let names: BTreeSet<_> = ports.iter().map(|port| port.control_unit.clone()).collect();
        Self { ports, shares, at, kinds, boxes: names.into_iter().collect(), security }
    }

    /// Returns the index of the port at `address`.
    pub fn index(&self, address: &AdapterPort) -> Option<u32> {
        self.at.get(address).copied()
    }

    /// Returns the catalog entry of the box that the port at `address` belongs to.
    pub fn kind(&self, address: &AdapterPort) -> Option<&'a catalog::ControlUnit> {
        self.kinds.get(address).map(|(kind, _)| *kind)
    }

    /// Returns the speed setting of the port at `address`.
    pub fn setting(&self, address: &AdapterPort) -> Option<&'a SpeedSetting> {
        self.kinds.get(address).map(|(_, port)| &port.speed)
    }

    /// Returns true for a port that serves FCP.
    pub fn is_fcp(&self, address: &AdapterPort) -> bool {
        self.kinds.get(address).is_some_and(|(_, port)| port.protocol == PortProtocol::Fcp)
    }

    /// Returns port number `index`.
    pub fn port(&self, index: u32) -> &ControlUnitPort {
        &self.ports[index as usize]
    }

    /// Returns the end of endpoint security that port number `index` is.
    pub fn endpoint(&self, index: u32) -> Endpoint {
        self.security[index as usize].0
    }

    /// Returns the policy of port number `index`, its own or that of its box.
    pub fn policy(&self, index: u32) -> Option<&'a Located<Policy>> {
        self.security[index as usize].1
    }

    /// Returns the index of the box that port number `index` belongs to, among the distinct names of boxes.
    pub fn box_of(&self, index: u32) -> u32 {
        let name = &self.port(index).control_unit;
        self.boxes.partition_point(|one| one < name) as u32
    }

    /// Returns tracks that the cache of box `index` holds.
    pub fn cache_tracks(&self, index: u32) -> u32 {
        let name = self.box_name(index);
        let port = self.ports.iter().find(|port| port.control_unit == name);
        port.map_or(0, |port| port.hardware.cache_tracks)
    }

    /// Returns the distinct names of boxes with ports.
    pub fn box_names(&self) -> &[String] {
        &self.boxes
    }

    /// Returns the name of box `index`.
    pub fn box_name(&self, index: u32) -> &str {
        &self.boxes[index as usize]
    }

    /// Returns the ports, by (control unit, port), and what they share.
    pub fn into_ports(self) -> (Vec<ControlUnitPort>, Vec<Share>) {
        (self.ports, self.shares)
    }
}

//! Host-adapter ports of the plant's boxes.

use std::collections::{BTreeMap, BTreeSet};

use halftrack_catalog as catalog;

use crate::assemble::inputs::Inputs;
use crate::assemble::{enclosures, hardware};
use crate::configuration::ControlUnitPort;
use crate::place::AdapterPort;
use crate::plant::SpeedSetting;
use crate::share::Share;

/// Every host-adapter port, and the catalog entry of its box.
pub struct Ports<'a> {
    ports: Vec<ControlUnitPort>,
    shares: Vec<Share>,
    at: BTreeMap<AdapterPort, u32>,
    kinds: BTreeMap<AdapterPort, (&'a catalog::ControlUnit, &'a SpeedSetting)>,
    boxes: Vec<String>,
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
                kinds.insert(address.clone(), (kind, &port.speed));
                let port = ControlUnitPort {
                    name: address.to_string(),
                    control_unit: control_unit.name.value.clone(),
                    hardware: hardware.clone(),
                    share: None,
                };
                found.insert(address, port);
            }
        }
        let at = found.keys().zip(0..).map(|(address, index)| (address.clone(), index)).collect();
        let mut ports: Vec<_> = found.into_values().collect();
        let kind_of = |port: &ControlUnitPort| kinds_by_box.get(&port.control_unit).copied();
        let shares = enclosures::shares(&mut ports, kind_of);
        let names: BTreeSet<_> = ports.iter().map(|port| port.control_unit.clone()).collect();
        Self { ports, shares, at, kinds, boxes: names.into_iter().collect() }
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
        self.kinds.get(address).map(|(_, setting)| *setting)
    }

    /// Returns port number `index`.
    pub fn port(&self, index: u32) -> &ControlUnitPort {
        &self.ports[index as usize]
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

    /// Returns the number of ports.
    pub fn len(&self) -> usize {
        self.ports.len()
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

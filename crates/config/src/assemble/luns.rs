//! SCSI logical units: the sets of the plant's boxes, as the devices of what stands for a logical control unit in each
//! partition with a stream on them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use halftrack_input::messages::study as numbers;
use halftrack_input::{Located, nearest_or_all};

use crate::assemble::channels::Channels;
use crate::assemble::fabric::{End, Fabric};
use crate::assemble::fcp_subchannels::FcpSubchannel;
use crate::assemble::initiators::Initiators;
use crate::assemble::inputs::Inputs;
use crate::assemble::laid_paths::{Ground, LaidPaths};
use crate::assemble::links::Links;
use crate::assemble::ports::Ports;
use crate::assemble::routes::route_to;
use crate::configuration::Device;
use crate::cpc::Lpar;
use crate::fcp::{self, Initiator};
use crate::logical_control_unit::{Lcu, Path, PathGroup};
use crate::place::AdapterPort;
use crate::plant::{ControlUnit, Luns, PortProtocol};
use crate::synchronous::Directions;

/// Most paths of a multipath device: those of a path group.
const PATHS_MAX: usize = 8;
/// Device type of a logical unit in reports.
const DEVICE_TYPE: &str = "SCSI";

/// The parts of a study that logical units are found in.
pub struct Sources<'m, 'a> {
    /// All input.
    pub inputs: &'m Inputs<'a>,
    /// Partitions.
    pub lpars: &'m [Lpar],
    /// Channels.
    pub channels: &'m Channels<'a>,
    /// Fibres.
    pub fabric: &'m Fabric<'a>,
    /// Host-adapter ports.
    pub ports: &'m Ports<'a>,
}

impl<'m, 'a> Sources<'m, 'a> {
    /// Creates the view of these parts.
    pub fn new(
        inputs: &'m Inputs<'a>,
        lpars: &'m [Lpar],
        channels: &'m Channels<'a>,
        fabric: &'m Fabric<'a>,
        ports: &'m Ports<'a>,
    ) -> Self {
        Self { inputs, lpars, channels, fabric, ports }
    }
}

/// Place of a set among those in use.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// Index of what stands for its logical control unit.
    lcu: usize,
    /// Index of its first device.
    first: u32,
    /// Number of its devices.
    count: u32,
}

/// Logical units of all sets with streams, by set and partition.
#[derive(Debug, Default)]
pub struct LogicalUnits {
    lcus: Vec<Lcu>,
    devices: Vec<Device>,
    /// By channel.
    initiators: BTreeMap<u32, Vec<Initiator>>,
    /// By name of the set and partition; none where the set has no path.
    at: BTreeMap<(String, u32), Option<Place>>,
}

impl LogicalUnits {
    /// Finds the logical units that the streams of the workload use. They stand behind so many logical control units and
    /// devices of others.
    pub fn new(sources: &Sources<'_, '_>, links: &mut Links, (lcus, devices): (usize, usize)) -> Self {
        let (mut units, mut initiators) = (Self::default(), Initiators::default());
        let mut laid = LaidPaths::new(links);
        sources.check_port_names();
        for ((name, lpar), named) in used(sources) {
            let sets = sources.inputs.plant.control_units.iter().flat_map(|unit| {
                let own = unit.luns.iter().filter(|luns| luns.name.value == name);
                own.map(move |luns| (unit, luns))
            });
            for set in sets {
                let lcu = sources.lcu(&mut laid, set, (lpar, &named), &mut initiators);
                let place = lcu.map(|lcu| {
                    let first = (devices + units.devices.len()) as u32;
                    let own = units.lcus.len();
                    units.devices.extend(devices_of(set.1, (lcus + own) as u32));
                    units.lcus.push(lcu);
                    Place { lcu: own, first, count: set.1.range.value.count() }
                });
                units.at.insert((name.clone(), lpar), place);
            }
        }
        units.initiators = initiators.named(sources);
        units
    }

    /// Returns the devices of a set as a partition sees it. `Some(None)` when the set has no path, which has been reported;
    /// `None` when there is no such set.
    pub fn devices(&self, name: &str, lpar: u32) -> Option<Option<impl Iterator<Item = u32> + use<>>> {
        let place = self.at.get(&(name.to_owned(), lpar))?;
        Some(place.map(|Place { first, count, .. }| first..first + count))
    }

    /// Returns the paths of a set from a partition; none where it has been reported.
    pub fn paths(&self, name: &str, lpar: u32) -> &[Path] {
        let place = self.at.get(&(name.to_owned(), lpar)).copied().flatten();
        let group = place.and_then(|place| self.lcus[place.lcu].path_groups.first());
        group.map_or(&[], |group| &group.paths)
    }

    /// Returns the initiators of each channel that has some.
    pub fn initiators(&self) -> &BTreeMap<u32, Vec<Initiator>> {
        &self.initiators
    }

    /// Returns what stands for logical control units.
    pub fn lcus(&self) -> &[Lcu] {
        &self.lcus
    }

    /// Returns the logical units themselves.
    pub fn into_devices(self) -> Vec<Device> {
        self.devices
    }
}

/// Returns the sets that streams use, each with the partition, and where the first stream names it.
fn used(sources: &Sources<'_, '_>) -> BTreeMap<(String, u32), Range<usize>> {
    let mut found = BTreeMap::new();
    for stream in &sources.inputs.workload.streams {
        let lpar = sources.lpars.iter().position(|lpar| lpar.name == stream.lpar.value);
        let Some(lpar) = lpar else { continue };
        for name in &stream.luns {
            found.entry((name.value.clone(), lpar as u32)).or_insert_with(|| name.span.clone());
        }
    }
    found
}

/// Returns the logical units of a set as devices of the logical control unit `lcu`.
fn devices_of(luns: &Luns, lcu: u32) -> impl Iterator<Item = Device> {
    let range = luns.range.value;
    (range.first..=range.last).map(move |number| Device {
        subchannel_set: 0,
        number,
        unit_address: (number - range.first) as u8,
        lcu,
        device_type: DEVICE_TYPE.to_owned(),
        volser: String::new(),
        storage_group: String::new(),
        cylinders: 0,
        zhpf: true,
        zhyperlink: Directions::default(),
    })
}

impl Sources<'_, '_> {
    /// Returns a set as a logical control unit of partition `lpar`; `None` when no path leads there, which is reported.
    fn lcu(
        &self,
        laid: &mut LaidPaths<'_>,
        (unit, luns): (&ControlUnit, &Luns),
        (index, named): (u32, &Range<usize>),
        initiators: &mut Initiators,
    ) -> Option<Lcu> {
        let lpar = &self.lpars[index as usize];
        let inputs = self.inputs.of(lpar.cpc);
        let targets = self.targets(unit, luns);
        let ground = Ground { channels: self.channels, fabric: self.fabric, ports: self.ports };
        let (mut paths, mut subchannels, mut reaches) = (Vec::new(), Vec::new(), false);
        for subchannel in self.subchannels(luns, lpar, named)? {
            let FcpSubchannel { number, channel } = subchannel;
            for target in &targets {
                let Some(route) = route_to(self.fabric, &End::Channel(self.channels.plug(channel)), target)
                else {
                    continue;
                };
                reaches = true;
                let Some(port) = self.ports.index(&route.port) else { continue };
                paths.push(laid.lay(&inputs, ground, (channel, port), &route));
                subchannels.push(number);
                initiators.add(index, subchannel, named);
            }
        }
        // A box of a kind that the catalog lacks has been reported.
        if !reaches && targets.iter().all(|port| self.ports.index(port).is_some()) {
            self.report_no_path(luns, lpar);
        }
        let first = *subchannels.first()?;
        if paths.len() > PATHS_MAX {
            let message = format!(
                "{} has {} paths from {}; a multipath device has at most {PATHS_MAX}",
                luns.name.value,
                paths.len(),
                lpar.name
            );
            let fix = "name fewer `ports`, or fewer FCP subchannels";
            inputs.report(inputs.in_plant(numbers::TOO_MANY_PATHS, &luns.name.span, message).fix(fix));
        }
        let group = PathGroup { cpc: lpar.cpc, css: lpar.css, number: first, paths };
        Some(Lcu {
            number: first,
            control_unit: self.ports.box_of(group.paths.first()?.port),
            image: 0,
            aliases: luns.range.value.count() * u32::from(luns.queue_depth - 1),
            path_groups: vec![group],
            luns: Some(fcp::Luns {
                name: luns.name.value.clone(),
                lpar: index,
                queue_depth: luns.queue_depth,
                subchannels,
            }),
        })
    }

    /// Returns the ports of a box that present a set.
    fn targets(&self, unit: &ControlUnit, luns: &Luns) -> Vec<AdapterPort> {
        let inputs = self.inputs;
        let is_fcp = |id: &str| {
            unit.ports.iter().any(|port| port.id.value == id && port.protocol == PortProtocol::Fcp)
        };
        for port in luns.ports.iter().filter(|port| !is_fcp(&port.value)) {
            let message = format!("{} has no FCP port {}", unit.name.value, port.value);
            let fix = "name a `[[control_unit.port]]` of the box with `protocol = \"fcp\"`";
            inputs.report(inputs.in_plant(numbers::OTHER_PROTOCOL, &port.span, message).fix(fix));
        }
        let is_named = |id: &str| luns.ports.is_empty() || luns.ports.iter().any(|port| port.value == id);
        let ports = unit.ports.iter();
        let chosen = ports.filter(|port| port.protocol == PortProtocol::Fcp && is_named(&port.id.value));
        let chosen: BTreeSet<_> = chosen.map(|port| port.address(unit)).collect();
        chosen.into_iter().collect()
    }

    fn report_no_path(&self, luns: &Luns, lpar: &Lpar) {
        let message =
            format!("no FCP channel of {} reaches a port that presents {}", lpar.name, luns.name.value);
        let fix =
            "name FCP devices that the partition may use, and cable their channels to FCP ports of the box";
        self.inputs.report(self.inputs.in_plant(numbers::NO_PATH, &luns.name.span, message).fix(fix));
    }
}

/// Reports a stream's set of logical units that no box has.
pub fn report_unknown(inputs: &Inputs<'_>, stream: &str, name: &Located<String>) {
    let names =
        inputs.plant.control_units.iter().flat_map(|unit| &unit.luns).map(|luns| luns.name.value.as_str());
    let message = format!("stream {stream} uses logical units {}, which no box has", name.value);
    inputs.report(
        inputs.in_workload(numbers::NO_DEVICE, &name.span, message).fix(nearest_or_all(&name.value, names)),
    );
}

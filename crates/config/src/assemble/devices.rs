//! Base devices: the decks' disks, with the volumes that the plant puts on them.

use std::collections::BTreeMap;
use std::ops::Range;

use halftrack_deck::model::DeviceRange as Statement;
use halftrack_input::Located;
use halftrack_input::messages::study as numbers;

use crate::assemble::inputs::Inputs;
use crate::assemble::logical_control_units::{LogicalControlUnits, is_alias, is_disk};
use crate::assemble::ports::Ports;
use crate::configuration::Device;
use crate::logical_control_unit::PathGroup;
use crate::plant::{ControlUnit, VolserPattern, VolumeRange, Volumes};
use crate::synchronous::Directions;

/// Catalog id of the device model when the plant gives none.
const DEFAULT_MODEL: &str = "3390-9";

/// Definition of one device number in the deck of a machine.
#[derive(Clone, Copy)]
pub struct DeviceDefinition<'a> {
    /// Its IODEVICE statement.
    pub statement: &'a Statement,
    /// Index of the base device, if it is one whose control unit has paths.
    pub base: Option<u32>,
}

/// A device number of a machine: its index, the subchannel set, the number.
type Numbered = (u8, u8, u16);

/// The base devices and what the decks' device numbers mean.
pub struct Devices<'a> {
    devices: Vec<Device>,
    /// Definitions under a number; several where partitions share one.
    seen: BTreeMap<Numbered, Vec<DeviceDefinition<'a>>>,
    /// IODEVICE statements of each base device, by machine.
    statements: Vec<BTreeMap<u8, &'a Statement>>,
}

/// A base device, its statement in the deck and its box in the plant.
struct Found<'a> {
    device: Device,
    statement: &'a Statement,
    /// Its machine.
    machine: u8,
    control_unit: &'a ControlUnit,
}

/// The volumes of one box of the plant.
struct BoxVolumes<'a> {
    control_unit: &'a ControlUnit,
    zhpf: bool,
    /// Whether each of its ranges held a device.
    used: Vec<bool>,
}

impl<'a> Devices<'a> {
    /// Creates the base devices of every logical control unit, by (subchannel set, number). A unit address with one
    /// number in several machines is one device.
    pub fn new(inputs: &Inputs<'a>, lcus: &LogicalControlUnits, ports: &Ports<'_>) -> Self {
        let mut boxes = box_volumes(inputs);
        let mut seen = BTreeMap::<Numbered, Vec<DeviceDefinition<'a>>>::new();
        let mut found = Vec::new();
        let mut unplaced = Vec::new();
        for (inputs, statement) in statements_of(inputs) {
            let machine = inputs.machine;
            let lcu = lcu_of(&inputs, lcus, statement);
            let set = subchannel_set(&inputs, lcus, lcu, statement);
            for nth in 0..statement.count {
                let Some(number) = statement.number.value.checked_add(nth) else { break };
                seen.entry((machine, set, number))
                    .or_default()
                    .push(DeviceDefinition { statement, base: None });
                let base = is_disk(&statement.unit.value) && !is_alias(&statement.unit.value);
                if !base {
                    continue;
                }
                let Some(lcu) = lcu else {
                    unplaced.push((set, number));
                    continue;
                };
                let name = ports.box_name(lcus.lcu(lcu).control_unit);
                let Some(volumes) = boxes.get_mut(name) else { continue };
                let unit_address = statement.unit_address.wrapping_add(nth as u8);
                let device = volumes.device(&inputs, (set, number), unit_address, lcu);
                let control_unit = volumes.control_unit;
                found.extend(device.map(|device| Found { device, statement, machine, control_unit }));
            }
        }
        found.sort_by_key(|Found { device, .. }| {
            (device.subchannel_set, device.number, device.lcu, device.unit_address)
        });
        report_unused(inputs, &boxes, &unplaced);
        report_serials(inputs, &found);
        let mut devices = Vec::<Device>::new();
        let mut statements = Vec::<BTreeMap<u8, &'a Statement>>::new();
        for Found { device, statement, machine, .. } in found {
            let is_known = devices.last() == Some(&device)
                && statements.last().is_some_and(|known| !known.contains_key(&machine));
            let here = seen.get_mut(&(machine, device.subchannel_set, device.number)).into_iter().flatten();
            if !is_known {
                devices.push(device);
                statements.push(BTreeMap::new());
            }
            let index = devices.len() as u32 - 1;
            here.filter(|one| std::ptr::eq(one.statement, statement)).for_each(|one| one.base = Some(index));
            statements.last_mut().into_iter().for_each(|known| known.extend([(machine, statement)]));
        }
        Self { devices, seen, statements }
    }

    /// Returns the definitions of device `number` of `subchannel_set` in the deck of `machine`.
    pub fn seen(&self, machine: u8, subchannel_set: u8, number: u16) -> &[DeviceDefinition<'a>] {
        self.seen.get(&(machine, subchannel_set, number)).map_or(&[], Vec::as_slice)
    }

    /// Returns the base device `index`.
    pub fn device(&self, index: u32) -> &Device {
        &self.devices[index as usize]
    }

    /// Returns the IODEVICE statement of base device `index` in the deck of `machine`.
    pub fn statement(&self, machine: u8, index: u32) -> Option<&'a Statement> {
        self.statements[index as usize].get(&machine).copied()
    }

    /// Returns how many there are.
    pub fn len(&self) -> usize {
        self.devices.len()
    }

    /// Returns the base devices, by (subchannel set, number).
    pub fn into_devices(self) -> Vec<Device> {
        self.devices
    }
}

/// Returns the IODEVICE statements of every deck, each with the inputs as its machine sees them.
fn statements_of<'a>(inputs: &Inputs<'a>) -> Vec<(Inputs<'a>, &'a Statement)> {
    let of_machine = |inputs: Inputs<'a>| {
        let statements = inputs.deck.devices.iter();
        statements.map(|statement| (inputs.clone(), statement)).collect::<Vec<_>>()
    };
    inputs.each().flat_map(of_machine).collect()
}

/// Returns the logical control unit of a statement's devices; control units that mean two of them are reported.
fn lcu_of(inputs: &Inputs<'_>, lcus: &LogicalControlUnits, statement: &Statement) -> Option<u32> {
    let mut found: Option<(u32, &Located<u16>)> = None;
    for number in &statement.control_units {
        let Some(lcu) = lcus.index(inputs.machine, number.value) else { continue };
        match found {
            Some((first, by)) if first != lcu => {
                let message = format!(
                    "control units {:04X} and {:04X} of device {:04X} are two logical control units of the plant",
                    by.value, number.value, statement.number.value
                );
                let error = inputs
                    .in_deck(numbers::TWO_CONTROL_UNITS, &number.span, message)
                    .fix("let the paths of both lead to one box, and give both one CUADD");
                inputs.report(error);
            }
            Some(_) => {}
            None => found = Some((lcu, number)),
        }
    }
    found.map(|(lcu, _)| lcu)
}

/// Returns the subchannel set in the lowest channel subsystem that reaches the devices.
fn subchannel_set(
    inputs: &Inputs<'_>,
    lcus: &LogicalControlUnits,
    lcu: Option<u32>,
    statement: &Statement,
) -> u8 {
    let own = |group: &&PathGroup| group.cpc == inputs.machine;
    let lowest = lcu.and_then(|lcu| lcus.lcu(lcu).path_groups.iter().find(own).map(|group| group.css));
    let lowest = lowest.or_else(|| inputs.deck.partitions.iter().map(|partition| partition.css).min());
    statement.subchannel_set.of(lowest.unwrap_or(0))
}

fn box_volumes<'a>(inputs: &Inputs<'a>) -> BTreeMap<&'a str, BoxVolumes<'a>> {
    let mut found = BTreeMap::new();
    for control_unit in &inputs.plant.control_units {
        for volumes in
            std::iter::once(&control_unit.volumes).chain(control_unit.ranges.iter().map(|one| &one.volumes))
        {
            if let Some(model) = &volumes.model {
                inputs.find(&inputs.catalog.volumes, model);
            }
        }
        let kind = inputs.catalog.control_units.get(&control_unit.kind.value);
        let zhpf = kind.is_some_and(|kind| kind.transport.is_some());
        let used = vec![false; control_unit.ranges.len()];
        found.insert(control_unit.name.value.as_str(), BoxVolumes { control_unit, zhpf, used });
    }
    found
}

impl BoxVolumes<'_> {
    /// Returns the base device (subchannel set, number); nothing when its model is not in the catalog.
    fn device(
        &mut self,
        inputs: &Inputs<'_>,
        (subchannel_set, number): (u8, u16),
        unit_address: u8,
        lcu: u32,
    ) -> Option<Device> {
        let ranges = &self.control_unit.ranges;
        let at = ranges.iter().position(|range| range.devices.value.contains(subchannel_set, number));
        if let Some(at) = at {
            self.used[at] = true;
        }
        let none = Volumes::default();
        let own = at.map_or(&none, |at| &ranges[at].volumes);
        let common = &self.control_unit.volumes;
        let id = own.model.as_ref().or(common.model.as_ref()).map_or(DEFAULT_MODEL, |model| &model.value);
        let model = inputs.catalog.volumes.get(id)?;
        let pattern = own.volser.as_ref().or(common.volser.as_ref());
        let group = own.storage_group.as_ref().or(common.storage_group.as_ref());
        Some(Device {
            subchannel_set,
            number,
            unit_address,
            lcu,
            device_type: model.device_type.clone(),
            volser: pattern.map_or_else(|| VolserPattern::default().serial(number), |one| one.serial(number)),
            storage_group: group.cloned().unwrap_or_default(),
            cylinders: model.cylinders.value,
            zhpf: self.zhpf && own.zhpf.or(common.zhpf).unwrap_or(true),
            zhyperlink: at.map_or(Directions::ALL, |at| ranges[at].zhyperlink),
        })
    }
}

/// Reports ranges of volumes that hold no device of their box, nor one of `unplaced`, whose paths have been reported.
fn report_unused(inputs: &Inputs<'_>, boxes: &BTreeMap<&str, BoxVolumes<'_>>, unplaced: &[(u8, u16)]) {
    for volumes in boxes.values() {
        let ranges: &[VolumeRange] = &volumes.control_unit.ranges;
        for (range, _) in ranges.iter().zip(&volumes.used).filter(|(_, used)| !**used) {
            if unplaced.iter().any(|(set, number)| range.devices.value.contains(*set, *number)) {
                continue;
            }
            let name = &volumes.control_unit.name.value;
            let message = format!("{name} has no base device among {}", range.devices.value);
            let mut error = inputs
                .in_plant(numbers::NO_VOLUME, &range.devices.span, message)
                .fix("correct the range, or remove it if an earlier one holds its devices");
            error.others.extend(
                inputs
                    .deck
                    .devices
                    .first()
                    .map(|first| inputs.deck_label(&first.span, "devices of the deck")),
            );
            inputs.report(error);
        }
    }
}

/// Reports the first volume serial of each device statement that an earlier device has.
fn report_serials(inputs: &Inputs<'_>, found: &[Found<'_>]) {
    let mut serials = BTreeMap::<&str, &Found<'_>>::new();
    let mut reported: Vec<(u8, &Range<usize>)> = Vec::new();
    for one in found {
        let device = &one.device;
        let Some(first) = serials.get(device.volser.as_str()) else {
            serials.insert(&device.volser, one);
            continue;
        };
        // One volume may be defined once for each channel subsystem and machine: same unit address of the same control unit.
        let same = (first.device.lcu, first.device.unit_address) == (device.lcu, device.unit_address);
        if same || reported.contains(&(one.machine, &one.statement.span)) {
            continue;
        }
        reported.push((one.machine, &one.statement.span));
        let message = format!(
            "volume serial {} of device {:04X} is that of device {:04X} already",
            device.volser, device.number, first.device.number
        );
        let error = inputs
            .of(one.machine)
            .in_deck(numbers::VOLSER_TWICE, &one.statement.number.span, message)
            .other(inputs.of(first.machine).deck_label(&first.statement.number.span, "the other device"))
            .other(inputs.plant.label(&one.control_unit.name.span, "the box whose `volser` makes it"));
        inputs.report(error.fix("give the boxes or ranges different `volser` patterns"));
    }
}

//! zHyperLinks between deck, plant and catalog, and the streams that use them.

use std::collections::{BTreeMap, BTreeSet};

use halftrack_base::Span;
use halftrack_catalog as catalog;
use halftrack_catalog::ZHYPERLINK;
use halftrack_deck::model::{Adapter, Function};
use halftrack_input::messages::study as numbers;
use halftrack_input::{Located, Severity, nearest_or_all};
use halftrack_program::ProgramShape;

use crate::assemble::hardware::{bytes_per_s, duration};
use crate::assemble::inputs::Inputs;
use crate::assemble::ports::Ports;
use crate::assemble::streams::Machine;
use crate::cpc::Lpar;
use crate::plant::ZHyperLink;
use crate::synchronous::{Directions, SynchronousIo, SynchronousLink, SynchronousRequest, SynchronousStream};
use crate::workload_file::{ALL_PPM, Stream};

/// TYPE= of the functions of zHyperLink.
const HYL: &str = "HYL";

/// A port of an adapter: index of the machine, PCHID, port.
type Port = (u8, u16, u8);

/// Returns synchronous I/O of the plant. Cables that cannot be there are reported, and with a warning those that no
/// partition has a function for, and functions without a cable.
pub fn synchronous(inputs: &Inputs<'_>, lpars: &[Lpar], ports: &Ports<'_>) -> SynchronousIo {
    let plant = inputs.plant;
    let of_lpar = |lpar: &Lpar| {
        let named = plant.lpars.iter().find(|one| one.name.value == lpar.name);
        named.map_or((Directions::default(), false), |one| (one.zhyperlink, one.guest))
    };
    let of_box = |name: &String| {
        let named = plant.control_units.iter().find(|one| one.name.value == *name);
        named.map_or(Directions::default(), |one| one.zhyperlink)
    };
    let mut found = SynchronousIo {
        lpars: lpars.iter().map(|lpar| of_lpar(lpar).0).collect(),
        guests: (0..).zip(lpars).filter(|(_, lpar)| of_lpar(lpar).1).map(|(index, _)| index).collect(),
        control_units: ports.box_names().iter().map(of_box).collect(),
        ..SynchronousIo::default()
    };
    let cables = cables(inputs);
    let functions = functions(inputs, lpars);
    for (place, (cable, link)) in &cables {
        let index = found.links.len() as u32;
        let control_unit = ports.box_names().iter().position(|name| *name == cable.control_unit.value);
        let control_unit = control_unit.map(|at| at as u32);
        found.links.push(SynchronousLink { control_unit, ..link.clone() });
        for lpar in functions.get(place).into_iter().flatten() {
            let Some(control_unit) = control_unit else { continue };
            found.reachable.entry((*lpar, control_unit)).or_default().push(index);
        }
        if !functions.contains_key(place) {
            let message = format!("no FUNCTION of TYPE={HYL} is on zHyperLink port {}", cable.place());
            let warning = inputs.in_plant(numbers::IDLE_ZHYPERLINK, &cable.pchid.span, message);
            let fix = "define one in the deck for each partition that uses the link";
            inputs.report(warning.severity(Severity::Warning).fix(fix));
        }
    }
    if !plant.zhyperlinks.is_empty() {
        check_functions(inputs);
    }
    found
}

/// Returns the numbers of a zHyperLink, where the catalog has them.
fn link_numbers<'a>(inputs: &Inputs<'a>) -> Option<&'a catalog::Synchronous> {
    inputs.catalog.features.get(ZHYPERLINK)?.synchronous.as_ref()
}

/// Returns the cables by their ports; those that cannot be there are reported.
fn cables<'a>(inputs: &Inputs<'a>) -> BTreeMap<Port, (&'a ZHyperLink, SynchronousLink)> {
    let mut found = BTreeMap::new();
    for machine in inputs.each() {
        for cable in inputs.plant.zhyperlinks.iter().filter(|cable| cable.cpc == machine.cpc.name) {
            let (Some(pchid), Some(link)) = (cable.pchid.value.pchid(), link(inputs, cable)) else {
                continue;
            };
            found.insert((machine.machine, pchid, cable.port), (cable, link));
        }
    }
    found
}

/// Returns the link over `cable`.
fn link(inputs: &Inputs<'_>, cable: &ZHyperLink) -> Option<SynchronousLink> {
    let refuse = |at: &std::ops::Range<usize>, message: String| {
        inputs.in_plant(numbers::ZHYPERLINK_CABLE, at, message)
    };
    let Some(of_link) = link_numbers(inputs) else {
        let error = refuse(&cable.span, format!("`{ZHYPERLINK}` of the catalog has no `[synchronous]`"));
        inputs.report(error.fix("give the catalog file its numbers, or remove the cable"));
        return None;
    };
    let unit = control_unit(inputs, &cable.control_unit)?;
    let (metres, reach) = (cable.metres.value, &of_link.reach_m);
    if metres > reach.value {
        let message = format!(
            "zHyperLink {} > {} is {metres} m long; it reaches {} m",
            cable.place(),
            cable.control_unit.value,
            reach.value
        );
        let mut error = refuse(&cable.metres.span, message);
        error.others.extend(inputs.catalog.features.label(ZHYPERLINK, reach.span.clone(), "its reach"));
        inputs.report(error.fix("shorten the cable, or leave its requests to FICON"));
        return None;
    }
    let hold_read = duration(&of_link.hold_us) + Span::from_us_f64(of_link.light_us(metres));
    Some(SynchronousLink {
        name: format!("pchid {} > {}", cable.place(), cable.control_unit.value),
        control_unit: None,
        hold_read,
        hold_write: hold_read + duration(&unit.write_us),
        bytes_per_s: bytes_per_s(of_link.mb_per_s()),
        cpu: duration(&of_link.cpu_us),
        busy_reject: duration(&of_link.busy_reject_us),
        timeout: duration(&of_link.timeout_us),
    })
}

/// Returns the catalog entry of the box `name`, which takes zHyperLink cables.
fn control_unit<'a>(inputs: &Inputs<'a>, name: &Located<String>) -> Option<&'a catalog::ControlUnit> {
    let boxes = &inputs.plant.control_units;
    let Some(control_unit) = boxes.iter().find(|one| one.name.value == name.value) else {
        let message = format!("the plant has no control unit {}", name.value);
        let fix = nearest_or_all(&name.value, boxes.iter().map(|one| one.name.value.as_str()));
        inputs.report(inputs.in_plant(numbers::LEADS_NOWHERE, &name.span, message).fix(fix));
        return None;
    };
    // An unknown type has been reported with the box.
    let kind = inputs.catalog.control_units.get(&control_unit.kind.value)?;
    if !kind.zhyperlink {
        let message = format!("{} is a {}, which takes no zHyperLink", name.value, control_unit.kind.value);
        let error = inputs.in_plant(numbers::ZHYPERLINK_CABLE, &name.span, message);
        let error = error.other(inputs.plant.label(&control_unit.kind.span, "its type"));
        inputs
            .report(error.fix("remove the cable, or take a box whose catalog file has `zhyperlink = true`"));
        return None;
    }
    Some(kind)
}

/// Returns the port of `function` of machine `index`, where it is one of zHyperLink.
fn port_of(function: &Function, index: u8) -> Option<Port> {
    let Adapter::Pchid(pchid) = function.adapter.as_ref()?.value else { return None };
    let is_hyl = function.kind.as_ref().is_some_and(|kind| kind.value == HYL);
    Some((index, pchid, function.port?)).filter(|_| is_hyl)
}

/// Returns the partitions with functions by port.
fn functions(inputs: &Inputs<'_>, lpars: &[Lpar]) -> BTreeMap<Port, BTreeSet<u32>> {
    let mut found: BTreeMap<Port, BTreeSet<u32>> = BTreeMap::new();
    for machine in inputs.each() {
        for function in &machine.deck.functions {
            let Some(port) = port_of(function, machine.machine) else { continue };
            let owner = function.access.as_ref().and_then(|(css, name)| {
                lpars
                    .iter()
                    .position(|lpar| (lpar.cpc, lpar.css) == (machine.machine, *css) && lpar.name == *name)
            });
            found.entry(port).or_default().extend(owner.map(|lpar| lpar as u32));
        }
    }
    found
}

/// Warns of functions whose port has no cable.
fn check_functions(inputs: &Inputs<'_>) {
    for machine in inputs.each() {
        let is_cabled = |(_, pchid, port): Port| {
            let mut cables = inputs.plant.zhyperlinks.iter().filter(|cable| cable.cpc == machine.cpc.name);
            cables.any(|cable| cable.pchid.value.pchid() == Some(pchid) && cable.port == port)
        };
        for function in &machine.deck.functions {
            let Some(port) = port_of(function, machine.machine).filter(|port| !is_cabled(*port)) else {
                continue;
            };
            let message = format!(
                "FUNCTION {:04X} is on port {} of PCHID {:03X}, which has no zHyperLink cable",
                function.fid.value, port.2, port.1
            );
            let warning = machine.in_deck(numbers::IDLE_ZHYPERLINK, &function.span, message);
            let fix = "add a `[[zhyperlink]]` for the port, or remove the function";
            inputs.report(warning.severity(Severity::Warning).fix(fix));
        }
    }
}

/// Returns the requests of `stream` in `lpar` on its `devices`, where it has synchronous I/O. One whose I/O can never be
/// synchronous gets a warning.
pub fn requests(
    machine: &Machine<'_, '_>,
    stream: &Stream,
    lpar: u32,
    devices: &BTreeSet<u32>,
) -> Option<SynchronousStream> {
    let alignment = stream.synchronous.as_ref()?;
    let of_link = link_numbers(machine.inputs);
    let request = |shape: &ProgramShape| SynchronousRequest {
        bytes: shape.data_bytes(),
        fits: of_link.is_some_and(|link| shape.records == 1 && shape.data_bytes() <= link.record_bytes.value),
        is_aligned: of_link.is_some_and(|link| {
            let unit = link.alignment_bytes.value;
            alignment.value.is_multiple_of(unit) && shape.data_bytes().is_multiple_of(unit)
        }),
    };
    let requests =
        SynchronousStream { read: request(&stream.read.value), write: request(&stream.write.value) };
    let boxes: BTreeSet<u32> = devices
        .iter()
        .map(|device| machine.lcus.lcu(machine.devices.device(*device).lcu).control_unit)
        .collect();
    let directions =
        [(false, stream.read_ppm > 0), (true, stream.read_ppm < ALL_PPM)].into_iter().filter(|one| one.1);
    let each = directions.flat_map(|(write, _)| boxes.iter().map(move |control_unit| (write, *control_unit)));
    let causes: Option<Vec<_>> = each
        .map(|(write, unit)| {
            let at_volumes = || volumes_off(machine, devices, unit, write);
            obstacle(machine, stream, &requests, (lpar, unit, write)).or_else(at_volumes)
        })
        .collect();
    // A cable that was refused has that message already.
    let are_all_there = machine.synchronous.links.len() == machine.inputs.plant.zhyperlinks.len();
    if let Some((message, fix)) =
        causes.filter(|_| are_all_there).and_then(|causes| causes.into_iter().next())
    {
        let message = format!("no I/O of stream {} is ever synchronous: {message}", stream.name.value);
        let warning = machine.inputs.in_workload(numbers::NEVER_SYNCHRONOUS, &alignment.span, message);
        machine.inputs.report(warning.severity(Severity::Warning).fix(fix));
    }
    Some(requests)
}

/// Returns what keeps requests of one direction from being tried where every volume of the box has it off, with a fix.
fn volumes_off(
    machine: &Machine<'_, '_>,
    devices: &BTreeSet<u32>,
    unit: u32,
    write: bool,
) -> Option<(String, &'static str)> {
    let all = devices.iter().map(|device| machine.devices.device(*device));
    let mut of_box = all.filter(|device| machine.lcus.lcu(device.lcu).control_unit == unit);
    if of_box.any(|device| device.zhyperlink.has(write)) {
        return None;
    }
    let what = if write { "writes" } else { "reads" };
    let message = format!("{what} are off at every volume of {} that it uses", machine.ports.box_name(unit));
    Some((message, "set `zhyperlink` of the `[[control_unit.volumes]]`"))
}

/// Returns what keeps requests of one direction to one box from being tried, with a fix: the first reason that holds.
fn obstacle(
    machine: &Machine<'_, '_>,
    stream: &Stream,
    requests: &SynchronousStream,
    (lpar, unit, write): (u32, u32, bool),
) -> Option<(String, &'static str)> {
    let (all, request) = (machine.synchronous, requests.request(write));
    let (name, control_unit) = (&stream.lpar.value, machine.ports.box_name(unit));
    let (what, shape) = if write { ("writes", &stream.write) } else { ("reads", &stream.read) };
    if all.guests.contains(&lpar) {
        let message = format!("the systems of {name} are guests of z/VM, and zHyperLink is for native ones");
        return Some((message, "remove `guest` of the `[[lpar]]`, or drop `synchronous`"));
    }
    if !all.lpars.get(lpar as usize).is_some_and(|on| on.has(write)) {
        return Some((format!("{what} are off in {name}"), "set `zhyperlink` of the `[[lpar]]`"));
    }
    if !all.is_on(lpar, unit, write) {
        let fix = "set `zhyperlink_read` or `zhyperlink_write` of the `[[control_unit]]`";
        return Some((format!("{what} are off at {control_unit}"), fix));
    }
    if !request.fits {
        let (records, bytes) = (shape.value.records, shape.value.record_bytes);
        let message =
            format!("{what} of {records} x {bytes} octets are no single record that a request may have");
        return Some((message, "use one record of at most 4,096 octets, or drop `synchronous`"));
    }
    if !request.is_aligned {
        let message = format!("address or length of the buffer of its {what} is no multiple of 16");
        return Some((message, "correct `buffer_alignment_bytes` or the length of the record"));
    }
    if all.links(lpar, unit).is_empty() {
        let message = format!("no zHyperLink leads from {name} to {control_unit}");
        return Some((message, "add a `[[zhyperlink]]`, and a FUNCTION of the partition on its port"));
    }
    None
}

//! Logical links of ISFC: the workload's, with the pairs of channel-to-channel control units that the decks define between
//! their systems.

use std::collections::{BTreeMap, BTreeSet};

use halftrack_base::Span;
use halftrack_deck::ctc::{Connections, GivenPort, Port, connections};
use halftrack_deck::model::Deck;
use halftrack_input::messages::study as numbers;
use halftrack_input::{Located, nearest_or_all};
use halftrack_isfc::{MAX_DEVICES, Wiring};

use crate::assemble::channels::Channels;
use crate::assemble::fabric::{End, Fabric};
use crate::assemble::inputs::Inputs;
use crate::assemble::islink_devices::{Candidate, Kind, candidates, check_kinds, check_named};
use crate::assemble::links::Links;
use crate::assemble::reach;
use crate::assemble::routes::route_between;
use crate::cpc::Lpar;
use crate::islink::{IsLink, IsLinkDevice, IsLinkFlow, IsLinkRelocation, IsLinkRequests, IsLinkWork};
use crate::logical_control_unit::RoutePair;
use crate::workload_file::{self, PerChannel};

/// The parts of a study between which links are found.
pub(super) struct Sources<'m, 'a> {
    pub inputs: &'m Inputs<'a>,
    pub lpars: &'m [Lpar],
    pub channels: &'m Channels<'a>,
    fabric: &'m Fabric<'a>,
}

/// Returns the logical links of the workload, by name, laid over `links`; what stands against one is reported.
pub fn islinks(
    (inputs, lpars): (&Inputs<'_>, &[Lpar]),
    (channels, fabric): (&Channels<'_>, &Fabric<'_>),
    links: &mut Links,
) -> Vec<IsLink> {
    let sources = &Sources { inputs, lpars, channels, fabric };
    let wanted = &sources.inputs.workload.islinks;
    if wanted.is_empty() {
        return Vec::new();
    }
    let decks: Vec<_> = sources.inputs.each().map(|machine| machine.deck).collect();
    let found = connections(&decks, &ports(sources));
    let mut taken = BTreeMap::new();
    let mut all: Vec<_> =
        wanted.iter().filter_map(|link| islink(sources, &decks, &found, link, &mut taken, links)).collect();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}

/// Returns the director ports of all channels, which the plant has and no deck.
fn ports(sources: &Sources<'_, '_>) -> Vec<GivenPort> {
    let Sources { channels, fabric, .. } = sources;
    let port = |index: u32| {
        let channel = channels.channel(index);
        let end = End::Channel(channels.plug(index));
        let End::Director(port) = fabric.fibre(fabric.at(&end)?).other(&end) else { return None };
        let port = Port { switch: port.director, port: port.port };
        Some(GivenPort { deck: channel.cpc.into(), css: *channel.css.first()?, chpid: channel.chpid, port })
    };
    (0..channels.len()).filter_map(port).collect()
}

/// Devices in use, each with the name of its link, by partition and number.
type Taken = BTreeMap<(u32, u16), String>;

fn islink(
    sources: &Sources<'_, '_>,
    decks: &[&Deck],
    found: &Connections,
    wanted: &workload_file::IsLink,
    taken: &mut Taken,
    links: &mut Links,
) -> Option<IsLink> {
    let [first, second] = [0, 1].map(|end| system(sources, &wanted.systems[end]));
    let lpars = [first?, second?];
    if lpars[0] == lpars[1] {
        let message = format!("both ends of islink {} are {}", wanted.name.value, wanted.systems[1].value);
        let error = sources.inputs.in_workload(numbers::NO_ISLINK_SYSTEM, &wanted.systems[1].span, message);
        sources.inputs.report(error.fix("name the other system"));
        return None;
    }
    let candidates = candidates(sources, decks, found, lpars);
    check_named(sources, wanted, lpars, (found, &candidates));
    let devices = chosen(wanted, candidates);
    check_kinds(sources, wanted, &devices);
    check_count(sources, wanted, &devices);
    for (device, end) in devices.iter().flat_map(|device| [(device, 0), (device, 1)]) {
        check_taken(sources, wanted, (lpars[end], device.numbers[end]), taken);
    }
    let too_long = &mut BTreeSet::new();
    let devices =
        devices.iter().filter_map(|device| lay(sources, wanted, device, (links, too_long))).collect();
    Some(IsLink { name: wanted.name.value.clone(), lpars, devices, flows: flows(sources, wanted) })
}

/// Returns the work of a link.
fn flows(sources: &Sources<'_, '_>, wanted: &workload_file::IsLink) -> Vec<IsLinkFlow> {
    let mut flows = Vec::new();
    let mut add = |from: &Located<String>, work: IsLinkWork| {
        flows.extend(end_of(sources, wanted, from).map(|from| IsLinkFlow { from, work }));
    };
    for from in &wanted.bulks {
        add(from, IsLinkWork::Bulk);
    }
    for one in &wanted.requests {
        let (name, count) = (one.name.value.clone(), one.count);
        let requests = IsLinkRequests { name, sizes: one.sizes, depth: one.depth, think: one.think, count };
        add(&one.from, IsLinkWork::Requests(requests));
    }
    let run = &sources.inputs.workload.run;
    for one in &wanted.relocations {
        let end = run.warmup + run.interval * u64::from(run.intervals);
        if one.at.value >= end && !run.detect_warmup {
            let message = format!("guest {} would be moved after the end of the run", one.guest.value);
            let error = sources.inputs.in_workload(numbers::RELOCATION, &one.at.span, message);
            sources.inputs.report(error.fix(format!("begin before {} s", end.as_s_f64())));
        }
        let relocation =
            IsLinkRelocation { guest: one.guest.value.clone(), plan: one.plan, at: one.at.value };
        add(&one.from, IsLinkWork::Relocation(relocation));
    }
    flows
}

/// Returns the index of the partition of this name.
fn system(sources: &Sources<'_, '_>, name: &Located<String>) -> Option<u32> {
    let found = sources.lpars.iter().position(|lpar| lpar.name == name.value);
    let plant = sources.inputs.plant;
    // A partition that the plant has and the deck lacks has been reported there.
    if found.is_none() && plant.lpars.iter().all(|lpar| lpar.name.value != name.value) {
        let message = format!("the plant has no partition {}", name.value);
        let names = plant.lpars.iter().map(|lpar| lpar.name.value.as_str());
        let error = sources.inputs.in_workload(numbers::NO_ISLINK_SYSTEM, &name.span, message);
        sources.inputs.report(error.fix(nearest_or_all(&name.value, names)));
    }
    found.map(|index| index as u32)
}

/// Returns which end of a link a system is.
fn end_of(sources: &Sources<'_, '_>, link: &workload_file::IsLink, name: &Located<String>) -> Option<u8> {
    let end = link.systems.iter().position(|system| system.value == name.value);
    if end.is_none() {
        let message = format!("{} is no end of islink {}", name.value, link.name.value);
        let names = link.systems.iter().map(|system| system.value.as_str());
        let error = sources.inputs.in_workload(numbers::NO_ISLINK_SYSTEM, &name.span, message);
        sources.inputs.report(error.fix(nearest_or_all(&name.value, names)));
    }
    end.map(|end| end as u8)
}

/// Returns those of the candidates that the link uses.
fn chosen(wanted: &workload_file::IsLink, mut all: Vec<Candidate>) -> Vec<Candidate> {
    if !wanted.devices.is_empty() {
        all.retain(|one| wanted.devices.iter().any(|range| range.value.contains(0, one.numbers[0])));
    }
    if wanted.channels.is_some() || wanted.wiring.is_some() {
        let count = wanted.channels.map_or(usize::MAX, |count| count as usize);
        let channels = [0, 1].map(|end| {
            let channels: BTreeSet<u32> = all.iter().map(|one| one.channels[end]).collect();
            channels.into_iter().take(count).collect::<Vec<u32>>()
        });
        let place = |one: &Candidate, end: usize| {
            channels[end].iter().position(|channel| *channel == one.channels[end])
        };
        all.retain(|one| match (place(one, 0), place(one, 1)) {
            (Some(first), Some(second)) => is_wired(wanted.wiring, (first, second), channels[1].len()),
            _ => false,
        });
    }
    if let Some(per_channel) = wanted.devices_per_channel {
        let channels = all.iter().map(|one| one.channels[0]).collect::<BTreeSet<u32>>().len().max(1);
        let count = match per_channel {
            PerChannel::Count(count) => count,
            PerChannel::Most => (MAX_DEVICES / channels).max(1) as u32,
        };
        let mut used = BTreeMap::<u32, u32>::new();
        all.retain(|one| {
            let used = used.entry(one.channels[0]).or_default();
            *used += 1;
            *used <= count
        });
    }
    all
}

/// Returns true when a device leads from one channel to another as a link is wired, by the places of both among its channels.
fn is_wired(wiring: Option<Wiring>, (first, second): (usize, usize), channels: usize) -> bool {
    match wiring {
        None => true,
        Some(Wiring::Straight) => first == second,
        Some(Wiring::Crossed) => (first + 1) % channels == second,
    }
}

fn check_count(sources: &Sources<'_, '_>, wanted: &workload_file::IsLink, devices: &[Candidate]) {
    if let Some(extra) = devices.get(MAX_DEVICES) {
        let message = format!(
            "islink {} would have {} devices, and {:04X} is the seventeenth",
            wanted.name.value,
            devices.len(),
            extra.numbers[0]
        );
        let error = sources.inputs.in_workload(numbers::TOO_MANY_LINK_DEVICES, &wanted.name.span, message);
        sources.inputs.report(
            error.fix(format!("name at most {MAX_DEVICES} by `devices`, or give `devices_per_channel`")),
        );
    }
}

fn check_taken(
    sources: &Sources<'_, '_>,
    wanted: &workload_file::IsLink,
    device: (u32, u16),
    taken: &mut Taken,
) {
    let name = &wanted.name.value;
    if let Some(other) = taken.insert(device, name.clone()).filter(|other| other != name) {
        let message = format!("device {:04X} is in islink {other} and in islink {name}", device.1);
        let error = sources.inputs.in_workload(numbers::DEVICE_IN_TWO_LINKS, &wanted.name.span, message);
        sources.inputs.report(error.fix("name the devices of each by `devices`"));
    }
}

/// Lays the device over the fibres between its channels.
fn lay(
    sources: &Sources<'_, '_>,
    wanted: &workload_file::IsLink,
    device: &Candidate,
    (links, too_long): (&mut Links, &mut BTreeSet<usize>),
) -> Option<IsLinkDevice> {
    let Sources { inputs, channels, fabric, .. } = sources;
    let ends = device.channels.map(|channel| End::Channel(channels.plug(channel)));
    let Some(hops) = route_between(fabric, &ends[0], &ends[1]) else {
        let message =
            format!("no fibre leads from {} to {} of device {:04X}", ends[0], ends[1], device.numbers[0]);
        let error = inputs.in_workload(numbers::NO_ISLINK_PAIR, &wanted.name.span, message);
        inputs.report(error.fix("cable both channels to directors that are connected, or to one another"));
        return None;
    };
    let mut turnaround = Span::ZERO;
    for channel in device.channels {
        let hardware = &channels.channel(channel).hardware;
        let Some(own) = hardware.turnaround else {
            let message = format!(
                "{} is a {}, whose catalog entry has no `channel_to_channel`",
                End::Channel(channels.plug(channel)),
                hardware.id
            );
            let error = inputs.in_workload(numbers::NO_TURNAROUND, &wanted.name.span, message);
            inputs.report(error.fix("take another card"));
            return None;
        };
        turnaround = turnaround.max(own);
    }
    if device.kind == Kind::Escon {
        reach::check(inputs, fabric, channels.plug(device.channels[0]), &hops, too_long);
    }
    let RoutePair { outbound, inbound } = links.route(&hops);
    Some(IsLinkDevice {
        numbers: device.numbers,
        channels: device.channels,
        links: [outbound, inbound],
        function_end: device.function_end,
        turnaround,
    })
}

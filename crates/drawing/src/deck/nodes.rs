//! The boxes of the picture: name, a second word, and all properties of each.

use halftrack_deck::model::{ChannelPath, Deck, Path};

use super::places::Places;
use crate::number;
use crate::topology::{DeviceSpan, Node};

/// Paths that a title names; the rest is counted.
const PATHS_TOLD: usize = 16;

/// Adds partitions.
pub(super) fn lpar_nodes(deck: &Deck, places: &Places, nodes: &mut [Node]) {
    for (node, index) in nodes.iter_mut().zip(&places.lpars) {
        let partition = &deck.partitions[*index];
        let name = partition.name.clone().unwrap_or_default();
        let holds =
            |one: &&ChannelPath| one.access.iter().any(|(css, held)| *css == partition.css && *held == name);
        let channels = deck.channel_paths.iter().filter(holds).count();
        *node = Node {
            figure: format!("{}.{:X}", partition.css, partition.mif),
            title: format!(
                "LPAR {name} of CSS {}, MIF {:X}: {}",
                partition.css,
                partition.mif,
                number::counted(channels, "channel path")
            ),
            keys: vec![name.to_uppercase()],
            label: name,
            ..Node::default()
        };
    }
}

/// Adds channel paths.
pub(super) fn channel_nodes(deck: &Deck, places: &Places, nodes: &mut [Node]) {
    for (node, channel) in nodes[places.channels..].iter_mut().zip(&deck.channel_paths) {
        let chpid = format!("{:02X}", channel.chpid.value);
        let css = channel.css.iter().map(u8::to_string).collect::<Vec<_>>();
        let port = port(channel);
        let switch = channel.switch.as_ref().map(|switch| format!(", switch {:02X}", switch.value));
        let units = places.paths.units_of(channel).len();
        let mut keys = vec![chpid.clone()];
        keys.extend(css.iter().map(|css| format!("{css}.{chpid}")));
        keys.extend(port.iter().map(|(_, number)| number.clone()));
        keys.extend(channel.pnetids.iter().flatten().map(|name| name.to_uppercase()));
        *node = Node {
            label: format!("{}.{chpid} {}", css.join(","), channel.channel_type.value),
            figure: port.as_ref().map(|(_, number)| number.clone()).unwrap_or_default(),
            title: format!(
                "CHPID {}.{chpid}, {}{}{}{}, {}: {}, {} unit addresses",
                css.join(","),
                channel.channel_type.value,
                port.map(|(kind, number)| format!(", {kind} {number}")).unwrap_or_default(),
                switch.unwrap_or_default(),
                other_end(channel),
                channel.access_class.name(),
                number::counted(units, "control unit"),
                number::count(places.paths.unit_addresses_of(deck, channel).into()),
            ),
            keys,
            ..Node::default()
        };
    }
}

/// Returns the other end of a coupling link, and the networks of a channel path.
fn other_end(channel: &ChannelPath) -> String {
    let mut words = String::new();
    if let Some(path) = &channel.cpath {
        words += &format!(", to {}.{:02X}", path.value.0, path.value.1);
    }
    if let Some(system) = &channel.csystem {
        words += &format!(" of {}", system.value);
    }
    let networks: Vec<&str> = channel.pnetids.iter().flatten().map(String::as_str).collect();
    if !networks.is_empty() {
        words += &format!(", PNETID {}", networks.join(", "));
    }
    words
}

/// Returns the port of the channel path, with the word for it.
fn port(channel: &ChannelPath) -> Option<(&'static str, String)> {
    let physical = channel.pchid.as_ref().map(|number| ("PCHID", format!("{:03X}", number.value)));
    let virtual_one = channel.vchid.as_ref().map(|number| ("VCHID", format!("{:03X}", number.value)));
    let adapter = channel.aid.as_ref().map(|number| ("AID", format!("{:02X}", number.value)));
    let (kind, number) = physical.or(virtual_one).or(adapter)?;
    let port = channel.port.as_ref().map(|port| format!("-{}", port.value)).unwrap_or_default();
    Some((kind, number + &port))
}

/// Switches.
pub(super) fn switch_nodes(deck: &Deck, places: &Places, nodes: &mut [Node]) {
    for (switch, (place, _)) in &places.switches {
        let enters = |channel: &&ChannelPath| channel.switch.as_ref().is_some_and(|one| one.value == *switch);
        let channels = deck.channel_paths.iter().filter(enters).count();
        let ends = |path: &Path| {
            places.path(deck, path).is_some_and(|nodes| nodes.len() > 1 && nodes.last() == Some(place))
        };
        let units = deck.control_units.iter().filter(|unit| unit.paths.iter().any(ends)).count();
        nodes[*place] = Node {
            label: format!("Switch {switch:02X}"),
            title: format!(
                "Switch {switch:02X}: {}, {}",
                number::counted(channels, "channel path"),
                number::counted(units, "control unit")
            ),
            keys: vec![format!("{switch:02X}")],
            ..Node::default()
        };
    }
}

/// Adds control units.
pub(super) fn unit_nodes(deck: &Deck, places: &Places, nodes: &mut [Node]) {
    for (index, unit) in deck.control_units.iter().enumerate() {
        let number = format!("{:04X}", unit.number.value);
        let image = unit.cuadd.as_ref().map(|cuadd| format!("{:02X}", cuadd.value));
        let ranges = places.paths.devices_of(unit).iter();
        let devices: usize = ranges.map(|range| usize::from(deck.devices[*range].count)).sum();
        let words = |path: &Path| match path.link {
            Some(link) => format!("{}.{:02X} to {link}", path.css, path.chpid),
            None => format!("{}.{:02X}", path.css, path.chpid),
        };
        let told: Vec<String> = unit.paths.iter().take(PATHS_TOLD).map(words).collect();
        let more = match unit.paths.len().saturating_sub(PATHS_TOLD) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        nodes[places.units + index] = Node {
            label: format!("CU {number}"),
            figure: format!("{} {}", unit.unit.value, image.as_deref().unwrap_or_default()).trim().to_owned(),
            title: format!(
                "CU {number}, {}{}: {}; paths {}{more}",
                unit.unit.value,
                image.map(|image| format!(", image {image}")).unwrap_or_default(),
                number::counted(devices, "device"),
                told.join(", ")
            ),
            keys: vec![number, unit.unit.value.to_uppercase()],
            ..Node::default()
        };
    }
    for (index, run) in places.runs.iter().enumerate() {
        for unit in &run.units {
            nodes[places.units + unit].below.push(places.devices + index);
        }
    }
    for (one, other) in &places.ctc_pairs {
        nodes[places.units + one].below.push(places.units + other);
        nodes[places.units + other].below.push(places.units + one);
    }
}

/// Adds channel paths of other machines.
pub(super) fn far_nodes(deck: &Deck, places: &Places, nodes: &mut [Node]) {
    for (node, (end, channels)) in nodes[places.elsewhere..].iter_mut().zip(&places.far_ends.elsewhere) {
        let name = end.name();
        let near = |index: &usize| {
            let channel = &deck.channel_paths[*index];
            let css: Vec<String> = channel.css.iter().map(u8::to_string).collect();
            format!("{}.{:02X}", css.join(","), channel.chpid.value)
        };
        let near: Vec<String> = channels.iter().map(near).collect();
        *node = Node {
            figure: end.channel_type.clone(),
            title: format!("{name}, {}: the other end of CHPID {}", end.channel_type, near.join(", ")),
            keys: vec![name.to_uppercase(), end.system.to_uppercase()],
            label: name,
            ..Node::default()
        };
    }
}

/// Adds devices.
pub(super) fn device_nodes(deck: &Deck, places: &Places, nodes: &mut [Node]) {
    for (node, run) in nodes[places.devices..].iter_mut().zip(&places.runs) {
        let units: Vec<String> =
            run.units.iter().map(|unit| format!("{:04X}", deck.control_units[*unit].number.value)).collect();
        let sets: Vec<String> = run.sets.iter().map(u8::to_string).collect();
        let only: Vec<usize> =
            run.candidates.iter().filter_map(|(css, name)| places.lpar(*css, name)).collect();
        let names: Vec<&str> = run.candidates.iter().map(|(_, name)| name.as_str()).collect();
        let limited =
            if names.is_empty() { String::new() } else { format!(", only for {}", names.join(", ")) };
        let span = |set: &u8| DeviceSpan { subchannel_set: *set, first: run.first, last: run.last };
        *node = Node {
            label: run.name(),
            figure: run.unit.clone(),
            title: format!(
                "Device {}, {}: {}, subchannel set {}, on CU {}{limited}",
                run.name(),
                run.unit,
                number::counted(run.count(), "device"),
                sets.join(", "),
                units.join(", "),
            ),
            keys: vec![run.unit.to_uppercase()],
            devices: run.sets.iter().map(span).collect(),
            only,
            ..Node::default()
        };
    }
}

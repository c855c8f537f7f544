//! The boxes of the picture: name, number, and the details of each.

use std::collections::{BTreeMap, BTreeSet};

use halftrack_config::{Configuration, CpcName};
use halftrack_drawing::{DeviceSpan, Edge, Node, number};

use super::Figures;
use crate::html::channels::{ChannelFigures, generation, prefix};

pub(super) fn busy_words(percent: Option<f64>) -> String {
    percent.map_or(String::new(), |percent| format!("{percent:.0} %"))
}

pub(super) fn lpar_nodes(configuration: &Configuration, figures: &Figures<'_>, nodes: &mut [Node]) {
    for (node, lpar) in nodes.iter_mut().zip(&configuration.lpars) {
        let percent = figures.usage.percent(&format!("lpar {} CPs", lpar.name));
        let busy = percent
            .map_or(String::new(), |percent| format!("; {} % busy with I/O", number::percent(percent)));
        *node = Node {
            label: lpar.name.clone(),
            figure: busy_words(percent),
            weight: percent.unwrap_or(0.0),
            percent,
            title: format!(
                "LPAR {}{}, CSS {}, MIF {:X}, {} CPs{busy}",
                lpar.name,
                on_cpc(configuration, lpar.cpc),
                lpar.css,
                lpar.mif,
                lpar.cps
            ),
            keys: vec![lpar.name.to_uppercase()],
            ..Node::default()
        };
    }
}

/// Formats the machine of a part, where machines have names.
fn on_cpc(configuration: &Configuration, cpc: u8) -> String {
    let name = configuration.cpcs[usize::from(cpc)].name;
    if name == CpcName::UNNAMED { String::new() } else { format!(" of CPC {name}") }
}

pub(super) fn channel_node(
    configuration: &Configuration,
    all: &[ChannelFigures<'_>],
    figures: &ChannelFigures<'_>,
) -> Node {
    let channel = figures.channel;
    let pchid = channel.identity.pchid().map(|pchid| format!("{pchid:03X}"));
    let percent = figures.percent();
    let on_card = all.iter().filter(|other| {
        channel.share.is_some() && other.channel.share == channel.share && other.channel.name != channel.name
    });
    let on_card: String = on_card.map(|other| format!(", card shared with CHPID {}", other.chpid)).collect();
    let generation = match generation(channel).as_str() {
        "" => String::new(),
        code => format!(", G {code}"),
    };
    let css = if configuration.channels.iter().any(|other| other.css != channel.css) {
        let css: Vec<_> = channel.css.iter().map(u8::to_string).collect();
        format!(", CSS {}", css.join(" and "))
    } else {
        String::new()
    };
    let short = figures.chpid.clone();
    let prefix = prefix(configuration, channel);
    let key = |css: &u8| format!("{prefix}{css:X}.{:02X}", channel.chpid);
    let mut keys: Vec<_> = channel.css.iter().map(key).collect();
    keys.push(format!("{:02X}", channel.chpid));
    keys.extend(pchid.clone());
    keys.push(channel.name.to_uppercase());
    let (label, port) = match pchid {
        Some(pchid) => (format!("{short} PCHID {pchid}"), format!(", PCHID {pchid}")),
        None => (short.clone(), String::new()),
    };
    let busy = percent.map_or(String::new(), |_| {
        let (processor, bus) = (figures.processor_percent, figures.bus_percent);
        format!("; processor {} %, bus {} %", number::percent(processor), number::percent(bus))
    });
    let connections = figures.connections().map_or(String::new(), |words| format!("; connections: {words}"));
    Node {
        label,
        figure: busy_words(percent),
        weight: percent.unwrap_or(0.0),
        percent,
        title: format!(
            "CHPID {short}{port}, {}, {} Gbit/s{generation}{css}{on_card}{busy}{connections}",
            channel.hardware.id, channel.link_gbps,
        ),
        keys,
        ..Node::default()
    }
}

/// Returns the utilisation of a director: that of the busiest fibre at it.
pub(super) fn director_node(id: &str, place: usize, edges: &[Edge]) -> Node {
    let fibres = edges.iter().filter(|edge| edge.from == place || edge.to == place);
    let busiest = fibres.clone().filter_map(|edge| edge.percent).reduce(f64::max);
    let words = busiest.map_or(String::new(), |percent| {
        format!("; its busiest fibre is {} % busy", number::percent(percent))
    });
    Node {
        label: format!("Director {id}"),
        figure: busy_words(busiest),
        weight: busiest.unwrap_or(0.0),
        percent: busiest,
        title: format!("Director {id}, fibres to {} others{words}", fibres.count()),
        keys: vec![id.to_uppercase(), format!("DIRECTOR {id}")],
        ..Node::default()
    }
}

pub(super) fn port_nodes(configuration: &Configuration, figures: &Figures<'_>, nodes: &mut [Node]) {
    for (node, port) in nodes.iter_mut().zip(&configuration.ports) {
        let part = |part: &str| figures.usage.percent(&format!("port {} {part}", port.name));
        let (processor, bus) = (part("processor"), part("bus"));
        let percent = processor.into_iter().chain(bus).reduce(f64::max);
        let words = [("processor", processor), ("bus", bus)]
            .into_iter()
            .filter_map(|(name, percent)| Some(format!(", {name} {} %", number::percent(percent?))));
        let interface = port.name.rsplit(' ').next().unwrap_or_default();
        *node = Node {
            label: port.name.clone(),
            figure: busy_words(percent),
            weight: percent.unwrap_or(0.0),
            percent,
            title: format!("Port {} of {}{}", port.name, port.hardware.id, words.collect::<String>()),
            keys: vec![port.name.to_uppercase(), interface.to_uppercase(), port.control_unit.to_uppercase()],
            ..Node::default()
        };
    }
}

pub(super) fn lcu_nodes(configuration: &Configuration, figures: &Figures<'_>, nodes: &mut [Node]) {
    let mut devices: BTreeMap<u32, Vec<DeviceSpan>> = BTreeMap::new();
    for device in &configuration.devices {
        let spans = devices.entry(device.lcu).or_default();
        match spans.last_mut() {
            Some(span)
                if span.subchannel_set == device.subchannel_set
                    && span.last.checked_add(1) == Some(device.number) =>
            {
                span.last = device.number;
            }
            _ => spans.push(DeviceSpan {
                subchannel_set: device.subchannel_set,
                first: device.number,
                last: device.number,
            }),
        }
    }
    for (place, (node, lcu)) in nodes.iter_mut().zip(&configuration.lcus).enumerate() {
        let spans = devices.remove(&(place as u32)).unwrap_or_default();
        let bases: u32 = spans.iter().map(|span| u32::from(span.last - span.first) + 1).sum();
        let sums = figures.responses.lcu(lcu.number);
        let control_unit = control_unit(configuration, lcu.control_unit);
        let rate = sums.rate_per_s();
        let response = sums.response_ms();
        *node = Node {
            label: format!("LCU {:04X}", lcu.number),
            figure: if sums.completed() > 0 { format!("{response:.2} ms") } else { String::new() },
            weight: response,
            percent: None,
            title: format!(
                "LCU {:04X} of {control_unit}, image {}: {bases} bases, {} aliases; {} I/Os per s, {} ms",
                lcu.number,
                lcu.image,
                lcu.aliases,
                number::rate(rate),
                number::ms(response)
            ),
            keys: vec![format!("{:04X}", lcu.number), control_unit.to_uppercase()],
            devices: spans,
            ..Node::default()
        };
    }
}

/// Returns the name of a control unit by its number among the distinct names of the ports.
pub(super) fn control_unit(configuration: &Configuration, number: u32) -> &str {
    let names: BTreeSet<&str> = configuration.ports.iter().map(|port| port.control_unit.as_str()).collect();
    names.into_iter().nth(number as usize).unwrap_or_default()
}

//! A logical link as text: its devices, and the reasons for their number, order and wiring.

use super::link::LogicalLink;
use super::recipe::{DEVICES_MAX, Recipe};

/// Returns the devices of `link` and the reasons, without its statements.
pub fn table(link: &LogicalLink) -> String {
    let [near, far] = &link.systems;
    let [one, other] = &link.nodes;
    let numbers = match (link.devices.first(), link.devices.last()) {
        (Some(first), Some(last)) => crate::ctc::lines::range(first.number, last.number - first.number + 1),
        _ => String::new(),
    };
    let mut text = format!(
        "logical link of {one} ({near}) and {other} ({far}): {} FCTC devices {numbers} on {}\n\n\
         DEVICE  UNITADD  WIRE         WRITTEN BY\n",
        link.devices.len(),
        counted(link.wires.len(), "channel")
    );
    for device in &link.devices {
        let writers: Vec<&str> = link
            .nodes
            .iter()
            .zip(device.writers)
            .filter_map(|(node, writes)| writes.then_some(node.as_str()))
            .collect();
        let wire = link.wires[device.wire].name();
        text += &format!(
            "{:04X}    {:02X}       {wire:11}  {}\n",
            device.number,
            device.unit_address,
            writers.join(" ")
        );
    }
    text.push('\n');
    for (name, reason) in reasons(link) {
        text += &format!("{name:9} {reason}\n");
    }
    text
}

/// Returns the reasons: number, order, wiring, rate.
pub fn reasons(link: &LogicalLink) -> Vec<(&'static str, String)> {
    vec![
        ("devices", devices(&link.recipe)),
        ("numbers", numbers(&link.recipe)),
        ("wires", wires(link)),
        ("rate", rate(link)),
    ]
}

fn devices(recipe: &Recipe) -> String {
    let each = recipe.per_channel;
    let why = if recipe.is_saturated() {
        "from 4 on, a channel carries no more"
    } else {
        "fewer than the 4 that a channel can use"
    };
    let more = if recipe.one_way > 0 {
        format!(", and {} more for one direction each", recipe.one_way)
    } else {
        String::new()
    };
    format!("{each} on each channel ({why}){more}; a logical link has {DEVICES_MAX} at most")
}

fn numbers(recipe: &Recipe) -> String {
    let order = match recipe.channels {
        1 => "one channel has all of them",
        2 if recipe.one_way > 0 => "striped: neighbours are on different channels, but for the last two",
        _ => "striped: neighbours are on different channels",
    };
    format!(
        "{order}; one system writes from the lowest up, the other from the highest down; equal at both ends"
    )
}

fn wires(link: &LogicalLink) -> String {
    let shared = link.wires.iter().filter(|wire| wire.is_shared).count();
    let how = match (shared, link.wires.len() - shared) {
        (_, 0) => "both systems share each channel: all data cross it twice",
        (0, _) => "each system has its own channel",
        _ => "some channels are shared by both systems, some are not",
    };
    format!("straight: a channel leads to one channel alone, because crossed ones wait for each other; {how}")
}

fn rate(link: &LogicalLink) -> String {
    match &link.rate {
        None => "none is catalogued for these channels; all that are given are used".to_owned(),
        Some(rate) => {
            let less = if link.recipe.is_saturated() { "" } else { ", and less with so few devices on each" };
            format!("{} MB/s at most that each system writes ({}){less}", rate.mb_per_s, rate.origin)
        }
    }
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

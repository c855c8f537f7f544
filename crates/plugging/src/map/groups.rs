//! Which paths and functions stand in for each other.

use std::collections::BTreeMap;

use crate::map::problem::{Group, Problem, kind_of};

/// Returns all sets of two and more: channels of a control unit, of a network, to another machine; functions of a
/// type in a partition. Sets of the same items are one.
pub(super) fn of(problem: &Problem<'_>) -> Vec<Group> {
    let mut groups = control_units(problem);
    groups.extend(networks(problem));
    groups.extend(functions(problem));
    groups
}

/// Returns the items of the channel paths, by (CSS, CHPID).
fn items_by_channel(problem: &Problem<'_>) -> BTreeMap<(u8, u8), usize> {
    let mut found = BTreeMap::new();
    for (index, item) in problem.items.iter().enumerate() {
        let Some(path) = item.channel.map(|channel| &problem.deck.channel_paths[channel]) else { continue };
        found.extend(path.css.iter().map(|&css| ((css, path.chpid.value), index)));
    }
    found
}

fn control_units(problem: &Problem<'_>) -> Vec<Group> {
    let by_channel = items_by_channel(problem);
    // In the order of the deck, by set of items: the first control unit and how many more there are.
    let mut sets: Vec<(Vec<usize>, u16, usize)> = Vec::new();
    for unit in &problem.deck.control_units {
        let paths = unit.paths.iter().filter_map(|path| by_channel.get(&(path.css, path.chpid)).copied());
        let items = sorted(paths.collect());
        match sets.iter_mut().find(|(known, _, _)| *known == items) {
            Some((_, _, more)) => *more += 1,
            None if items.len() > 1 => sets.push((items, unit.number.value, 0)),
            None => {}
        }
    }
    let group = |(items, number, more): (Vec<usize>, u16, usize)| {
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        Group { name: format!("CU {number:04X}{more}"), noun: "paths", items, in_resource_groups: false }
    };
    sets.into_iter().map(group).collect()
}

fn sorted(mut items: Vec<usize>) -> Vec<usize> {
    items.sort_unstable();
    items.dedup();
    items
}

/// Returns OSA channels of one type and network, coupling links to one machine.
fn networks(problem: &Problem<'_>) -> Vec<Group> {
    let mut sets: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, item) in problem.items.iter().enumerate() {
        let Some(path) = item.channel.map(|channel| &problem.deck.channel_paths[channel]) else { continue };
        let kind = path.channel_type.value.as_str();
        let name = match (&path.csystem, kind.starts_with("OS")) {
            (Some(system), _) => format!("{kind} links to {}", system.value),
            (None, true) => {
                let networks: Vec<&str> = path.pnetids.iter().flatten().map(String::as_str).collect();
                let of = if networks.is_empty() {
                    String::new()
                } else {
                    format!(" of {}", networks.join(" and "))
                };
                format!("{kind} channels{of}")
            }
            (None, false) => continue,
        };
        sets.entry(name).or_default().push(index);
    }
    named(sets, "channels", false)
}

/// Returns functions of one type that one partition has.
fn functions(problem: &Problem<'_>) -> Vec<Group> {
    let mut sets: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, item) in problem.items.iter().enumerate() {
        for function in item.functions.iter().map(|&function| &problem.deck.functions[function]) {
            let Some((_, partition)) = &function.access else { continue };
            sets.entry(format!("{} functions of {partition}", kind_of(function))).or_default().push(index);
        }
    }
    named(sets, "adapters", true)
}

fn named(sets: BTreeMap<String, Vec<usize>>, noun: &'static str, in_resource_groups: bool) -> Vec<Group> {
    let sets =
        sets.into_iter().map(|(name, items)| (name, sorted(items))).filter(|(_, items)| items.len() > 1);
    sets.map(|(name, items)| Group { name, noun, items, in_resource_groups }).collect()
}

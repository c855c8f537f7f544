//! Which nodes fold into one.

use std::collections::BTreeSet;

use halftrack_deck::model::{ChannelPath, ControlUnit, Deck};

use super::functions;
use super::places::Places;
use crate::fold::{Foldable, fold};
use crate::number;
use crate::topology::Group;

/// Returns the groups of all columns.
pub(super) fn groups(deck: &Deck, places: &Places) -> Vec<Group> {
    let mut groups = lpar_groups(deck, places);
    groups.extend(channel_groups(deck, places));
    groups.extend(functions::groups(deck, places));
    let mut switches: Vec<_> = places.switches.iter().collect();
    switches.sort_by_key(|(switch, (_, depth))| (*depth, **switch));
    groups.extend(switches.into_iter().map(|(switch, (node, depth))| Group {
        column: places.column(*depth),
        label: format!("{switch:02X}"),
        members: vec![*node],
        title: None,
        figure: String::new(),
        open: true,
    }));
    groups.extend(unit_groups(deck, places));
    groups.extend(far_groups(places));
    groups.extend(device_groups(deck, places));
    groups
}

/// Gives each of `groups` the word beside its name, and its title: `2107 1000-1F00`, `× 16`, `2107 1000-1F00: 16
/// control units`.
fn counted(mut groups: Vec<Group>, noun: &str) -> Vec<Group> {
    for group in &mut groups {
        let count = group.members.len();
        group.figure = format!("× {}", number::count(count as u128));
        group.title = Some(format!("{}: {}", group.label, number::counted(count, noun)));
    }
    groups
}

fn lpar_groups(deck: &Deck, places: &Places) -> Vec<Group> {
    let key = |index: &usize| vec![format!("CSS {}", deck.partitions[*index].css)];
    let lpars = places.lpars.iter().enumerate();
    let lpars: Vec<_> = lpars.map(|(node, index)| Foldable { node, keys: key(index) }).collect();
    counted(fold(0, &lpars, |key, _| key.to_owned()), "LPAR")
}

fn channel_groups(deck: &Deck, places: &Places) -> Vec<Group> {
    let keys = |channel: &ChannelPath| {
        let kind = &channel.channel_type.value;
        let switch = channel.switch.as_ref().map(|switch| format!(", switch {:02X}", switch.value));
        let switch = switch.unwrap_or_default();
        let units = places.paths.units_of(channel);
        vec![
            format!("{kind}{switch}|{:?}|{units:?}", channel.css),
            format!("{kind}{switch}|{units:?}"),
            format!("{kind}{switch}|{:?}", channel.css),
            format!("{kind}{switch}|"),
            format!("{kind}|"),
        ]
    };
    let channels = deck.channel_paths.iter().enumerate();
    let channels: Vec<_> = channels
        .map(|(index, channel)| Foldable { node: places.channels + index, keys: keys(channel) })
        .collect();
    let groups = fold(1, &channels, |key, members| {
        let kind = key.split('|').next().unwrap_or_default();
        let numbers = members.iter().map(|node| deck.channel_paths[node - places.channels].chpid.value);
        match consecutive(numbers.collect()) {
            Some((first, last)) => {
                let (name, rest) = kind
                    .split_once(',')
                    .map_or((kind, String::new()), |(name, rest)| (name, format!(",{rest}")));
                format!("{name} {first:02X}-{last:02X}{rest}")
            }
            None => kind.to_owned(),
        }
    });
    let mut groups = counted(groups, "channel path");
    // With CHPIDs in it the name is long: a box has no room for the word switch, the title has.
    for group in groups.iter_mut().filter(|group| group.label.contains('-')) {
        group.label = group.label.replace(", switch ", " on ");
    }
    groups
}

/// Returns the first and the last of two or more CHPIDs without a gap: so many have a name that is theirs alone.
fn consecutive(mut chpids: Vec<u8>) -> Option<(u8, u8)> {
    chpids.sort_unstable();
    chpids.dedup();
    let (first, last) = (*chpids.first()?, *chpids.last()?);
    (first < last && usize::from(last - first) + 1 == chpids.len()).then_some((first, last))
}

fn unit_groups(deck: &Deck, places: &Places) -> Vec<Group> {
    let units = deck.control_units.iter().enumerate();
    let units: Vec<_> = units
        .map(|(index, unit)| Foldable { node: places.units + index, keys: unit_keys(deck, places, unit) })
        .collect();
    let groups = fold(places.column(places.switch_columns), &units, |key, members| {
        let number = |node: &usize| deck.control_units[node - places.units].number.value;
        let (first, last) = ends(members.iter().map(number));
        let kind = key.split('|').next().unwrap_or_default();
        format!("{kind} {}", span(first, last))
    });
    counted(groups, "control unit")
}

/// Groups channel paths of one other machine.
fn far_groups(places: &Places) -> Vec<Group> {
    let ends = places.far_ends.elsewhere.iter().enumerate();
    let ends: Vec<_> = ends
        .map(|(index, (end, _))| Foldable { node: places.elsewhere + index, keys: vec![end.system.clone()] })
        .collect();
    let groups = fold(places.column(places.switch_columns), &ends, |key, _| key.to_owned());
    counted(groups, "channel path")
}

/// Returns the keys of a control unit, from fine to coarse. They are the ports that lead to it, which are those of
/// its box; switches and the first digit of its number, as people number boxes; switches; type.
fn unit_keys(deck: &Deck, places: &Places, unit: &ControlUnit) -> Vec<String> {
    let kind = &unit.unit.value;
    let mut links: BTreeSet<(Option<usize>, Option<u8>)> = BTreeSet::new();
    let mut switches: BTreeSet<Option<usize>> = BTreeSet::new();
    for path in &unit.paths {
        let nodes = places.path(deck, path);
        links.insert((
            nodes.as_ref().and_then(|nodes| nodes.last().copied()),
            path.link.map(|link| link.port),
        ));
        switches.insert(nodes.and_then(|nodes| nodes.get(1).copied()));
    }
    let digit = unit.number.value >> 12;
    vec![
        format!("{kind}|{links:?}"),
        format!("{kind}|{digit:X} {switches:?}"),
        format!("{kind}|{switches:?}"),
        format!("{kind}|"),
    ]
}

fn device_groups(deck: &Deck, places: &Places) -> Vec<Group> {
    let of_units: Vec<Vec<String>> =
        deck.control_units.iter().map(|unit| unit_keys(deck, places, unit)).collect();
    let keys = |units: &[usize], unit: &str| {
        let own = units.first().map_or_else(|| vec![String::new(); 4], |first| of_units[*first].clone());
        let mut keys: Vec<String> = own.iter().map(|key| format!("{unit}|{key}")).collect();
        keys.push(format!("{unit}|"));
        keys
    };
    let runs = places.runs.iter().enumerate();
    let runs: Vec<_> = runs
        .map(|(index, run)| Foldable { node: places.devices + index, keys: keys(&run.units, &run.unit) })
        .collect();
    let run = |node: &usize| &places.runs[node - places.devices];
    let mut groups = fold(places.column(places.switch_columns) + 1, &runs, |_, members| {
        let (first, _) = ends(members.iter().map(|node| run(node).first));
        let (_, last) = ends(members.iter().map(|node| run(node).last));
        span(first, last)
    });
    for group in &mut groups {
        let count: usize = group.members.iter().map(|node| run(node).count()).sum();
        let unit = &run(&group.members[0]).unit;
        group.title = Some(format!("{}, {unit}: {}", group.label, number::counted(count, "device")));
        group.figure.clone_from(unit);
    }
    groups
}

/// Returns the least and the greatest.
fn ends(numbers: impl Iterator<Item = u16>) -> (u16, u16) {
    numbers.fold((u16::MAX, 0), |(least, greatest), number| (least.min(number), greatest.max(number)))
}

/// Formats numbers such as `1000-1F00`.
fn span(first: u16, last: u16) -> String {
    if first == last { format!("{first:04X}") } else { format!("{first:04X}-{last:04X}") }
}

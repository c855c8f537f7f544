//! Which nodes fold into one: those of a kind with the same neighbours.

use std::collections::{BTreeMap, BTreeSet};

use halftrack_config::Configuration;
use halftrack_drawing::{Foldable, Group, fold, number};

use super::key_manager;
use super::nodes::control_unit;
use super::places::{HOST_COLUMNS, Places, directors, paths};

/// The neighbours of each node that its folding goes by.
#[derive(Default)]
struct Neighbours {
    /// Of channels: directors, or control units where there is none.
    beyond: BTreeMap<u32, BTreeSet<String>>,
    /// Of channels: control units.
    boxes: BTreeMap<u32, BTreeSet<String>>,
    /// Of ports: directors.
    before: BTreeMap<u32, BTreeSet<String>>,
    /// Of logical control units: the groups of their ports by `before`.
    ports: BTreeMap<usize, BTreeSet<u32>>,
}

impl Neighbours {
    fn of(configuration: &Configuration) -> Self {
        let mut all = Self::default();
        for path in paths(configuration) {
            let control_unit = configuration.ports[path.port as usize].control_unit.clone();
            let first = directors(configuration, &path).next().map_or(control_unit.clone(), str::to_owned);
            let last = directors(configuration, &path).last().unwrap_or_default().to_owned();
            all.beyond.entry(path.channel).or_default().insert(first);
            all.boxes.entry(path.channel).or_default().insert(control_unit);
            all.before.entry(path.port).or_default().insert(last);
        }
        for (lcu, one) in configuration.lcus.iter().enumerate() {
            let paths = one.path_groups.iter().flat_map(|group| &group.paths);
            all.ports.insert(lcu, paths.map(|path| path.port).collect());
        }
        all
    }
}

pub(super) fn groups(configuration: &Configuration, places: &Places) -> Vec<Group> {
    let neighbours = Neighbours::of(configuration);
    let mut groups = lpar_groups(configuration, places);
    groups.extend(channel_groups(configuration, places, &neighbours));
    let mut directors: Vec<_> = places.directors.iter().collect();
    directors.sort_by_key(|(id, (_, depth))| (*depth, *id));
    groups.extend(directors.into_iter().map(|(id, (place, depth))| Group {
        column: HOST_COLUMNS + depth,
        label: id.clone(),
        members: vec![*place],
        title: None,
        figure: String::new(),
        open: true,
    }));
    let column = HOST_COLUMNS + places.middle_columns();
    let ports: Vec<_> = (configuration.ports.iter().zip(0..))
        .map(|(port, index)| {
            let name = port.control_unit.clone();
            let before = neighbours.before.get(&index);
            Foldable { node: places.ports + index as usize, keys: vec![format!("{name} {before:?}"), name] }
        })
        .collect();
    let first_word = |key: &str| key.split(' ').next().unwrap_or_default().to_owned();
    groups.extend(fold(column, &ports, |key, members| {
        format!("{}, {}", first_word(key), number::counted(members.len(), "port"))
    }));
    let lcus: Vec<_> = (configuration.lcus.iter().enumerate())
        .map(|(index, lcu)| {
            let name = control_unit(configuration, lcu.control_unit).to_owned();
            let ports = neighbours.ports.get(&index);
            Foldable { node: places.lcus + index, keys: vec![format!("{name} {ports:?}"), name] }
        })
        .collect();
    groups.extend(fold(column + 1, &lcus, |key, members| {
        format!("{}, {}", first_word(key), number::counted(members.len(), "LCU"))
    }));
    groups.extend(places.zhyperlinks.groups(configuration, HOST_COLUMNS - 1, column));
    groups.extend(places.key_manager.map(|node| key_manager::group(node, HOST_COLUMNS)));
    groups.sort_by_key(|group| group.column);
    groups
}

fn lpar_groups(configuration: &Configuration, places: &Places) -> Vec<Group> {
    let lpars = configuration.lpars.iter().enumerate();
    let lpars: Vec<_> = lpars
        .map(|(index, lpar)| {
            let prefix = configuration.cpcs[usize::from(lpar.cpc)].name.prefix();
            Foldable { node: places.lpars + index, keys: vec![format!("{prefix}CSS {}", lpar.css)] }
        })
        .collect();
    fold(0, &lpars, |key, members| format!("{key}, {}", number::counted(members.len(), "LPAR")))
}

fn channel_groups(configuration: &Configuration, places: &Places, neighbours: &Neighbours) -> Vec<Group> {
    let channels: Vec<_> = (configuration.channels.iter().zip(0..))
        .map(|(channel, index)| {
            let (css, card) = ((channel.cpc, &channel.css), &channel.hardware.id);
            let (beyond, boxes) = (neighbours.beyond.get(&index), neighbours.boxes.get(&index));
            let keys = vec![
                format!("{card} {css:?} {beyond:?} {boxes:?}"),
                format!("{card} {css:?} {beyond:?}"),
                format!("{card} {beyond:?}"),
                card.clone(),
            ];
            Foldable { node: places.channels + index as usize, keys }
        })
        .collect();
    fold(1, &channels, |key, members| {
        format!("{} × {}", members.len(), key.split(' ').next().unwrap_or_default())
    })
}

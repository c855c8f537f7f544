//! Which node stands for what of a deck.

use std::collections::{BTreeMap, BTreeSet};

use halftrack_deck::Paths;
use halftrack_deck::model::{Deck, Path};

use super::device_runs::DeviceRun;
use super::far_ends::{FarEnds, ctc_pairs};

/// Columns before the switches: partitions and channel paths.
const HOST_COLUMNS: usize = 2;

/// Where the nodes of each kind begin, and what they stand for.
pub(super) struct Places {
    pub paths: Paths,
    /// Partitions with a name, as indices into the deck's, the first of them node 0.
    pub lpars: Vec<usize>,
    /// The first channel path.
    pub channels: usize,
    /// Switches by number: node, and column among those of switches.
    pub switches: BTreeMap<u8, (usize, usize)>,
    pub switch_columns: usize,
    /// The first control unit.
    pub units: usize,
    pub runs: Vec<DeviceRun>,
    /// The first of those.
    pub devices: usize,
    /// The first PCIe function.
    pub functions: usize,
    pub far_ends: FarEnds,
    /// The first of those in other machines.
    pub elsewhere: usize,
    /// Control units that lead to each other.
    pub ctc_pairs: BTreeSet<(usize, usize)>,
    /// How many nodes there are.
    pub count: usize,
    by_name: BTreeMap<(u8, String), usize>,
}

impl Places {
    pub(super) fn of(deck: &Deck) -> Self {
        let partitions = deck.partitions.iter().enumerate();
        let lpars: Vec<usize> =
            partitions.filter(|(_, one)| one.name.is_some()).map(|(index, _)| index).collect();
        let names = lpars.iter().enumerate().filter_map(|(node, index)| {
            let partition = &deck.partitions[*index];
            Some(((partition.css, partition.name.clone()?), node))
        });
        let by_name = names.collect();
        let channels = lpars.len();
        let first_switch = channels + deck.channel_paths.len();
        let entries: BTreeSet<u8> =
            deck.channel_paths.iter().filter_map(|channel| Some(channel.switch.as_ref()?.value)).collect();
        let links = deck.control_units.iter().flat_map(|unit| &unit.paths);
        let behind: BTreeSet<u8> = links.filter_map(|path| path.link?.switch).collect();
        let all: BTreeSet<u8> = entries.union(&behind).copied().collect();
        // A switch that channel paths enter stands with those, whatever else leads to it.
        let depth = |switch: &u8| usize::from(!entries.is_empty() && !entries.contains(switch));
        let switches: BTreeMap<u8, (usize, usize)> =
            all.iter().zip(first_switch..).map(|(switch, node)| (*switch, (node, depth(switch)))).collect();
        let units = first_switch + switches.len();
        let runs = DeviceRun::all(deck);
        let devices = units + deck.control_units.len();
        let functions = devices + runs.len();
        let elsewhere = functions + deck.functions.len();
        let paths = Paths::of(deck);
        let far_ends = FarEnds::of(deck, &paths);
        Self {
            paths,
            functions,
            elsewhere,
            ctc_pairs: ctc_pairs(deck),
            lpars,
            channels,
            switch_columns: switches.values().map(|(_, depth)| depth + 1).max().unwrap_or(0),
            switches,
            units,
            count: elsewhere + far_ends.elsewhere.len(),
            far_ends,
            runs,
            devices,
            by_name,
        }
    }

    /// Returns the column of switch column `depth`; the one behind the last is the control units'.
    pub(super) fn column(&self, depth: usize) -> usize {
        HOST_COLUMNS + depth
    }

    /// Returns the node of a partition.
    pub(super) fn lpar(&self, css: u8, name: &str) -> Option<usize> {
        self.by_name.get(&(css, name.to_owned())).copied()
    }

    /// Returns nodes of the partitions with access to channel path number `channel`, in `css` when given.
    pub(super) fn holders(&self, deck: &Deck, channel: usize, css: Option<u8>) -> Vec<usize> {
        let access = deck.channel_paths[channel].access.iter();
        let access = access.filter(|(of, _)| css.is_none_or(|css| css == *of));
        access.filter_map(|(css, name)| self.lpar(*css, name)).collect()
    }

    /// Returns the nodes of a path before its control unit: channel path, entry switch, and the switch of the control
    /// unit when it is another. `None` when the channel path is not defined.
    pub(super) fn path(&self, deck: &Deck, path: &Path) -> Option<Vec<usize>> {
        let channel = self.paths.channel(path.css, path.chpid)?;
        let mut nodes = vec![self.channels + channel];
        let entry = deck.channel_paths[channel].switch.as_ref().map(|switch| switch.value);
        let last = path.link.and_then(|link| link.switch);
        let switches = match path.link {
            None => [None, None],
            Some(_) => [entry, last.filter(|last| Some(*last) != entry)],
        };
        nodes.extend(switches.into_iter().flatten().map(|switch| self.switches[&switch].0));
        Some(nodes)
    }
}

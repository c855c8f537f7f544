//! Paths that partitions lose: for each partition and device the channels that lead there, before and after.
//!
//! A path is a channel path of a control unit of the device that the partition has access to; the device candidate
//! list may keep the partition away. Devices of one statement have the same paths, so that statements are compared
//! and not devices.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{ChannelPath, ControlUnit, Deck, DeviceRange};

/// One partition loses paths to `count` consecutive devices.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PathLoss {
    /// Channel subsystem of the partition.
    pub css: u8,
    /// Name of the partition.
    pub lpar: String,
    /// Subchannel set of the devices.
    pub set: u8,
    /// First device number.
    pub first: u16,
    /// How many devices.
    pub count: u32,
    /// Channels before.
    pub before: usize,
    /// Channels after; 0 when the partition loses the device.
    pub after: usize,
    /// CHPIDs that lead there no more.
    pub lost: Vec<u8>,
    /// CHPIDs that lead there newly.
    pub gained: Vec<u8>,
}

/// The channels of each partition to a device.
type Reach = BTreeMap<String, BTreeSet<u8>>;

/// The control units and the candidate list of a statement, which decide about access to its devices.
type Access<'a> = (Vec<u16>, &'a [(u8, String)]);

/// The channels over which each partition reaches each device.
struct Paths {
    /// Channels of the statements, each set once.
    groups: Vec<Reach>,
    /// The groups of a device by CSS, subchannel set and number.
    devices: BTreeMap<(u8, u8, u16), Vec<usize>>,
}

impl Paths {
    fn of(deck: &Deck) -> Self {
        let units: BTreeMap<u16, &ControlUnit> =
            deck.control_units.iter().map(|unit| (unit.number.value, unit)).collect();
        let mut channels: BTreeMap<(u8, u8), &ChannelPath> = BTreeMap::new();
        for path in &deck.channel_paths {
            channels.extend(path.css.iter().map(|&css| ((css, path.chpid.value), path)));
        }
        let mut known: BTreeMap<Access<'_>, Vec<(u8, usize)>> = BTreeMap::new();
        let mut paths = Self { groups: Vec::new(), devices: BTreeMap::new() };
        for range in &deck.devices {
            let numbers: Vec<u16> = range.control_units.iter().map(|unit| unit.value).collect();
            let groups = known.entry((numbers, &range.candidates)).or_insert_with(|| {
                let reached = reach(range, &units, &channels);
                reached.into_iter().map(|(css, reach)| (css, paths.push(reach))).collect()
            });
            for &(css, group) in groups.iter() {
                let set = range.subchannel_set.of(css);
                for step in 0..range.count {
                    let key = (css, set, range.number.value.wrapping_add(step));
                    paths.devices.entry(key).or_default().push(group);
                }
            }
        }
        paths.devices.values_mut().for_each(|groups| groups.sort_unstable());
        paths
    }

    fn push(&mut self, reach: Reach) -> usize {
        self.groups.push(reach);
        self.groups.len() - 1
    }

    /// Returns the channels of each partition over all of `groups`.
    fn together(&self, groups: &[usize]) -> Reach {
        let mut all = Reach::new();
        for (lpar, chpids) in groups.iter().filter_map(|&group| self.groups.get(group)).flatten() {
            all.entry(lpar.clone()).or_default().extend(chpids);
        }
        all
    }
}

/// Returns the channels of each partition to the devices of `range`, by CSS.
fn reach(
    range: &DeviceRange,
    units: &BTreeMap<u16, &ControlUnit>,
    channels: &BTreeMap<(u8, u8), &ChannelPath>,
) -> BTreeMap<u8, Reach> {
    let mut by_css: BTreeMap<u8, Reach> = BTreeMap::new();
    let mine = range.control_units.iter().filter_map(|unit| units.get(&unit.value));
    for path in mine.flat_map(|unit| &unit.paths) {
        let Some(channel) = channels.get(&(path.css, path.chpid)) else { continue };
        let may_use = |who: &&(u8, String)| {
            who.0 == path.css && (range.candidates.is_empty() || range.candidates.contains(who))
        };
        for (css, lpar) in channel.access.iter().filter(may_use) {
            by_css.entry(*css).or_default().entry(lpar.clone()).or_default().insert(path.chpid);
        }
    }
    by_css
}

/// Returns the paths that `before` has and `after` has not.
pub(super) fn losses(before: &Deck, after: &Deck) -> Vec<PathLoss> {
    let (old, new) = (Paths::of(before), Paths::of(after));
    let none = Vec::new();
    let mut known: BTreeMap<(&[usize], &[usize]), Vec<PathLoss>> = BTreeMap::new();
    let mut losses = Vec::new();
    for (&(css, set, number), groups) in &old.devices {
        let kept = new.devices.get(&(css, set, number)).unwrap_or(&none);
        let pattern = known
            .entry((groups, kept))
            .or_insert_with(|| compared(&old.together(groups), &new.together(kept)));
        losses.extend(pattern.iter().map(|loss| PathLoss { css, set, first: number, ..loss.clone() }));
    }
    losses.sort_unstable();
    joined(losses)
}

/// Returns the losses from `old` to `new`, without a device.
fn compared(old: &Reach, new: &Reach) -> Vec<PathLoss> {
    let none = BTreeSet::new();
    let loss = |(lpar, chpids): (&String, &BTreeSet<u8>)| {
        let kept = new.get(lpar).unwrap_or(&none);
        let lost: Vec<u8> = chpids.difference(kept).copied().collect();
        (!lost.is_empty()).then(|| PathLoss {
            css: 0,
            lpar: lpar.clone(),
            set: 0,
            first: 0,
            count: 1,
            before: chpids.len(),
            after: kept.len(),
            lost,
            gained: kept.difference(chpids).copied().collect(),
        })
    };
    old.iter().filter_map(loss).collect()
}

/// Joins consecutive devices with the same loss.
fn joined(losses: Vec<PathLoss>) -> Vec<PathLoss> {
    let mut joined: Vec<PathLoss> = Vec::new();
    for loss in losses {
        if let Some(last) = joined.last_mut()
            && u32::from(last.first) + last.count == u32::from(loss.first)
            && (PathLoss { first: last.first, count: last.count, ..loss.clone() }) == *last
        {
            last.count += 1;
        } else {
            joined.push(loss);
        }
    }
    joined
}

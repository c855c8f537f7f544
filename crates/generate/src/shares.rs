//! Which devices a partition has for itself.

use std::collections::BTreeMap;

use crate::devices::Devices;
use crate::partitions::Partition;
use crate::storage::LogicalControlUnit;

/// Returns devices of each partition: first and last device number of each range. Whole control units where there are
/// enough, else a part of all bases.
pub fn shares(units: &[LogicalControlUnit], partitions: &[Partition]) -> Vec<Vec<(u32, u32)>> {
    let mut shares = vec![Vec::new(); partitions.len()];
    if units.len() >= partitions.len() {
        for (unit, owner) in units.iter().zip(owners(units, partitions)) {
            shares[owner].push(range(&unit.devices, 0, unit.devices.bases));
        }
        return shares;
    }
    let bases: u32 = units.iter().map(|unit| unit.devices.bases).sum();
    let part = |at: usize| (u64::from(bases) * at as u64 / partitions.len() as u64) as u32;
    for (at, share) in shares.iter_mut().enumerate() {
        let mut before = 0;
        for devices in units.iter().map(|unit| &unit.devices) {
            let inside = |base: u32| base.clamp(before, before + devices.bases) - before;
            let (from, to) = (inside(part(at)), inside(part(at + 1)));
            if from < to {
                share.push(range(devices, from, to));
            }
            before += devices.bases;
        }
    }
    shares
}

/// Returns the partition of each control unit, so that all channels have about as much to do. It is one with fewest
/// control units, and of these one whose channel subsystem, then which itself, has fewest behind the same channels.
fn owners(units: &[LogicalControlUnit], partitions: &[Partition]) -> Vec<usize> {
    let mut count = vec![0; partitions.len()];
    let mut by_css: BTreeMap<(usize, u8), usize> = BTreeMap::new();
    let mut by_partition: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let mut owner = |unit: &LogicalControlUnit| {
        let row = unit.paths[0][0];
        let rank = |at: &usize| {
            let of_css = by_css.get(&(row, partitions[*at].css)).copied().unwrap_or(0);
            (count[*at], of_css, by_partition.get(&(row, *at)).copied().unwrap_or(0))
        };
        let at = (0..partitions.len()).min_by_key(rank).unwrap_or(0);
        count[at] += 1;
        *by_css.entry((row, partitions[at].css)).or_default() += 1;
        *by_partition.entry((row, at)).or_default() += 1;
        at
    };
    units.iter().map(&mut owner).collect()
}

/// Returns bases `from..to` of `devices`, as first and last device number.
fn range(devices: &Devices, from: u32, to: u32) -> (u32, u32) {
    (devices.first_base + from, devices.first_base + to - 1)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use halftrack_deck::model::machines::Machine;

    use super::*;
    use crate::channels::Channels;
    use crate::devices::{control_unit_count, divided};
    use crate::partitions::dealt;
    use crate::storage::Storage;

    /// Counts the control units behind each row of channels that partitions of each channel subsystem use.
    fn behind(channels: u32, lpars: u32, css_count: u8, bases: u32) -> BTreeMap<(usize, u8), usize> {
        let channels = Channels::new(channels, css_count);
        let count = control_unit_count(bases, 0, channels.rows_max as u32);
        let storage = Storage::new(&channels, &divided(bases, 0, count));
        let partitions = dealt(lpars, css_count, Machine::of(3931).expect("a z16"));
        let mut behind = BTreeMap::new();
        for (unit, owner) in storage.control_units.iter().zip(owners(&storage.control_units, &partitions)) {
            *behind.entry((unit.paths[0][0], partitions[owner].css)).or_default() += 1;
        }
        behind
    }

    #[test]
    fn no_channels_are_left_to_the_partitions_of_one_channel_subsystem() {
        for (channels, lpars, css_count) in [(384, 20, 2), (320, 16, 2), (512, 20, 2), (800, 40, 4)] {
            let behind = behind(channels, lpars, css_count, 49_152);
            let (least, most) = (behind.values().min().expect("rows"), behind.values().max().expect("rows"));
            let rows = behind.keys().map(|(row, _)| row).collect::<BTreeSet<_>>().len();
            assert_eq!(behind.len(), rows * usize::from(css_count), "{channels} channels: {behind:?}");
            assert!(most - least <= 3, "{channels} channels: {behind:?}");
        }
    }
}

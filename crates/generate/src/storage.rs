//! Storage of a study: boxes, their host-adapter ports and logical control units, and the paths to these.

use crate::channels::Channels;
use crate::devices::Devices;

/// Logical control units of a box, where there are channels for as many boxes as that takes.
const CONTROL_UNITS_PER_BOX: usize = 16;
/// Interface id of a box's first host-adapter port.
const FIRST_ADAPTER: usize = 0x0030;

/// A storage box.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StorageBox {
    /// Name.
    pub name: String,
    /// The channels that lead to it, each to a host-adapter port of its own.
    pub channels: Vec<usize>,
}

/// A logical control unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogicalControlUnit {
    /// CUADD: its number in its box.
    pub image: usize,
    /// Its devices.
    pub devices: Devices,
    /// Its channels in each group, in the order of its paths.
    pub paths: Vec<Vec<usize>>,
}

/// All storage of a study.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Storage {
    /// The boxes.
    pub boxes: Vec<StorageBox>,
    /// The logical control units.
    pub control_units: Vec<LogicalControlUnit>,
}

/// Returns the interface id of host-adapter port `at` of a box.
pub fn adapter(at: usize) -> usize {
    FIRST_ADAPTER + at
}

impl Storage {
    /// Creates storage for `devices`, one logical control unit each, behind `channels`. Every box has as many rows of
    /// channels as any other; channels that make no whole row lead to the last one.
    pub fn new(channels: &Channels, devices: &[Devices]) -> Self {
        let count = box_count(channels.rows, devices.len().div_ceil(CONTROL_UNITS_PER_BOX));
        let rows = channels.rows / count;
        let box_of = |row: usize| (row / rows).min(count - 1);
        let leading_to = |number: usize| {
            (0..channels.all.len()).filter(move |at| box_of(channels.all[*at].row) == number).collect()
        };
        let boxes = (0..count)
            .map(|number| StorageBox { name: format!("BOX{:02}", number + 1), channels: leading_to(number) })
            .collect::<Vec<_>>();
        let first = |number: usize| number * devices.len() / count;
        let inside = |number: usize| (first(number)..first(number + 1)).map(move |at| (number, at));
        let control_units = (0..count)
            .flat_map(inside)
            .map(|(number, at)| {
                let image = at - first(number);
                LogicalControlUnit {
                    image,
                    devices: devices[at],
                    paths: paths(channels, &boxes[number], image),
                }
            })
            .collect();
        Self { boxes, control_units }
    }
}

/// Returns boxes with equally many of `rows` rows: at least as many as wanted, and never more than rows.
fn box_count(rows: usize, wanted: usize) -> usize {
    (wanted.max(1)..rows).find(|count| rows.is_multiple_of(*count)).unwrap_or(rows)
}

/// Returns the channels of `image` of a box: of every group one in each plane, the next image the next one.
fn paths(channels: &Channels, to: &StorageBox, image: usize) -> Vec<Vec<usize>> {
    let path = |group: usize, plane: usize| {
        let all = to.channels.iter().copied();
        let all: Vec<_> =
            all.filter(|at| (channels.all[*at].group, channels.all[*at].plane) == (group, plane)).collect();
        all[image % all.len()]
    };
    (0..channels.groups).map(|group| (0..channels.planes).map(|plane| path(group, plane)).collect()).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::devices::{control_unit_count, divided};

    fn storage(channels: &Channels, bases: u32) -> Storage {
        let count = control_unit_count(bases, 0, channels.rows_max as u32);
        Storage::new(channels, &divided(bases, 0, count))
    }

    #[test]
    fn every_channel_has_control_units_and_every_control_unit_a_path_in_each_plane() {
        for (count, css_count, bases) in
            [(1, 1, 5000), (37, 1, 5000), (64, 1, 512), (301, 2, 9000), (384, 2, 49_152)]
        {
            let channels = Channels::new(count, css_count);
            let storage = storage(&channels, bases);
            let mut used: BTreeSet<usize> = BTreeSet::new();
            for unit in &storage.control_units {
                for paths in &unit.paths {
                    let planes: BTreeSet<_> = paths.iter().map(|at| channels.all[*at].plane).collect();
                    assert_eq!((planes.len(), paths.len()), (channels.planes, channels.planes));
                    used.extend(paths);
                }
            }
            assert_eq!(used.len(), count as usize, "{count} channels");
        }
    }

    #[test]
    fn boxes_are_alike() {
        let channels = Channels::new(384, 2);
        let storage = storage(&channels, 65_280);
        let sizes: BTreeSet<_> = storage.boxes.iter().map(|one| one.channels.len()).collect();
        assert_eq!((storage.boxes.len(), sizes), (24, BTreeSet::from([16])));
    }
}

//! The control units, links and devices of each channel path.

use super::device::{numbers, sets};
use super::table::Table;
use super::{addresses, physical};
use crate::model::selection::Selection;
use crate::model::{ChannelPath, ControlUnit};

/// Columns that a control unit has for itself.
const OF_UNIT: usize = 4;

/// Writes a table for each channel path that has a control unit.
pub(super) fn report(selection: &Selection<'_>) -> String {
    let deck = selection.deck;
    let mut text = String::new();
    let mut channels: Vec<(&ChannelPath, &[u8])> = selection.channel_paths().collect();
    channels.sort_by_key(|(channel, css)| (channel.chpid.value, css.first().copied()));
    for (channel, css) in channels {
        let mut table = Table::new([
            "CU",
            "TYPE",
            "CUADD",
            "UA RANGE",
            "CSS",
            "LINK",
            "DEVICE RANGE",
            "UA RANGE",
            "TYPE",
            "MODEL",
        ]);
        for index in selection.paths.units_of(channel) {
            if selection.has_unit(index) {
                rows(selection, channel, css, &deck.control_units[index])
                    .into_iter()
                    .for_each(|row| table.add(row));
            }
        }
        if !table.is_empty() {
            let css: Vec<String> = css.iter().map(u8::to_string).collect();
            text += &format!(
                "\nCHPID {:02X}   CSS {}   PCHID {}   TYPE {}\n{}",
                channel.chpid.value,
                css.join(","),
                physical(channel),
                channel.channel_type.value,
                table.text()
            );
        }
    }
    text
}

/// Writes the control unit in its first row; its links by channel subsystem and its devices side by side below.
fn rows(
    selection: &Selection<'_>,
    channel: &ChannelPath,
    css: &[u8],
    unit: &ControlUnit,
) -> Vec<Vec<String>> {
    let deck = selection.deck;
    let ours = unit.paths.iter().filter(|path| path.chpid == channel.chpid.value && css.contains(&path.css));
    let links: Vec<[String; 2]> = ours.map(|path| [path.css.to_string(), path.link_words()]).collect();
    let kept = selection.paths.devices_of(unit).iter().filter(|device| selection.has_device(**device));
    let devices: Vec<[String; 4]> = kept
        .flat_map(|device| {
            let range = &deck.devices[*device];
            sets(range, css).into_iter().map(|(set, _)| {
                [
                    format!("{}({set})", numbers(range)),
                    addresses(range.unit_address, range.last_unit_address()),
                    range.unit.value.clone(),
                    range.model.clone().unwrap_or_default(),
                ]
            })
        })
        .collect();
    let ranges: Vec<String> = unit
        .unit_addresses
        .iter()
        .map(|&(first, count)| {
            let last = u16::from(first) + count.saturating_sub(1);
            addresses(first, u8::try_from(last).unwrap_or(u8::MAX))
        })
        .collect();
    let count = links.len().max(devices.len()).max(1);
    (0..count)
        .map(|place| {
            let mut row = vec![String::new(); OF_UNIT];
            if place == 0 {
                row = vec![
                    format!("{:04X}", unit.number.value),
                    unit.unit.value.clone(),
                    unit.cuadd
                        .as_ref()
                        .map_or_else(|| "-".to_owned(), |cuadd| format!("{:02X}", cuadd.value)),
                    ranges.join(","),
                ];
            }
            row.extend(links.get(place).cloned().unwrap_or_default());
            row.extend(devices.get(place).cloned().unwrap_or_default());
            row
        })
        .collect()
}

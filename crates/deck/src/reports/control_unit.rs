//! Control units with their paths, a row for each channel subsystem.

use super::addresses;
use super::table::Table;
use crate::model::ControlUnit;
use crate::model::selection::Selection;

/// Writes the rows.
pub(super) fn report(selection: &Selection<'_>) -> String {
    let mut table = Table::new(["CU", "TYPE", "CUADD", "UA RANGE", "DEVICES", "CSS", "CHPID.LINK"]);
    let mut units: Vec<&ControlUnit> = selection.control_units().collect();
    units.sort_by_key(|unit| unit.number.value);
    for unit in units {
        rows(selection, unit).into_iter().for_each(|row| table.add(row));
    }
    table.text()
}

fn rows(selection: &Selection<'_>, unit: &ControlUnit) -> Vec<Vec<String>> {
    let deck = selection.deck;
    let devices = selection.paths.devices_of(unit).iter();
    let devices: u32 = devices.map(|device| u32::from(deck.devices[*device].count)).sum();
    let ranges = unit.unit_addresses.iter().map(|&(first, count)| {
        let last = u16::from(first) + count.saturating_sub(1);
        addresses(first, u8::try_from(last).unwrap_or(u8::MAX))
    });
    let mut row = vec![
        format!("{:04X}", unit.number.value),
        unit.unit.value.clone(),
        unit.cuadd.as_ref().map_or_else(|| "-".to_owned(), |cuadd| format!("{:02X}", cuadd.value)),
        ranges.collect::<Vec<_>>().join(","),
        devices.to_string(),
    ];
    let of_unit = row.len();
    let mut rows = Vec::new();
    let mut css = unit.css();
    css.extend(
        unit.managed_paths.iter().map(|(css, _)| *css).filter(|managed| !unit.css().contains(managed)),
    );
    for css in css {
        let paths = unit.paths.iter().filter(|path| path.css == css && selection.has_path(path));
        let mut words: Vec<String> =
            paths.map(|path| format!("{:02X}.{}", path.chpid, path.link_words())).collect();
        let managed = unit.managed_paths.iter().find(|(of, _)| *of == css).map_or(0, |(_, count)| *count);
        words.extend((0..managed).map(|_| "*".to_owned()));
        if words.is_empty() {
            continue;
        }
        let mut one = std::mem::replace(&mut row, vec![String::new(); of_unit]);
        one.extend([css.to_string(), words.join(" ")]);
        rows.push(one);
    }
    if rows.is_empty() {
        rows.push(row);
    }
    rows
}

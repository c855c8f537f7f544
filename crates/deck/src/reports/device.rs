//! Devices, a row for each statement and subchannel set.

use std::collections::{BTreeMap, BTreeSet};

use super::addresses;
use super::table::Table;
use crate::model::DeviceRange;
use crate::model::selection::Selection;

/// Writes the rows.
pub(super) fn report(selection: &Selection<'_>) -> String {
    let deck = selection.deck;
    let mut table =
        Table::new(["DEVICE RANGE", "CSS", "UA RANGE", "TYPE", "MODEL", "CU", "CANDIDATES", "PREFERRED"]);
    let known: BTreeMap<u16, Vec<u8>> =
        deck.control_units.iter().map(|unit| (unit.number.value, unit.css())).collect();
    let mut ranges: Vec<&DeviceRange> = selection.devices().collect();
    ranges.sort_by_key(|range| range.number.value);
    for range in ranges {
        let units = range.control_units.iter().filter_map(|unit| known.get(&unit.value));
        let css: BTreeSet<u8> = units.flatten().copied().collect();
        let css: Vec<u8> = css.into_iter().collect();
        for (set, css) in sets(range, &css) {
            table.add(row(range, set, &css));
        }
    }
    table.text()
}

fn row(range: &DeviceRange, set: u8, css: &[u8]) -> Vec<String> {
    let units: Vec<String> = range.control_units.iter().map(|unit| format!("{:04X}", unit.value)).collect();
    let candidates: Vec<String> =
        range.candidates.iter().map(|(css, name)| format!("{css}.{name}")).collect();
    let preferred: Vec<String> =
        range.preferred.iter().map(|(css, chpid)| format!("{css}.{chpid:02X}")).collect();
    let css: Vec<String> = css.iter().map(u8::to_string).collect();
    vec![
        format!("{}({set})", numbers(range)),
        css.join(","),
        addresses(range.unit_address, range.last_unit_address()),
        range.unit.value.clone(),
        range.model.clone().unwrap_or_default(),
        units.join(","),
        if candidates.is_empty() { "all".to_owned() } else { candidates.join(",") },
        preferred.join(","),
    ]
}

/// Formats device numbers such as `1000-107F`, `0011`.
pub(super) fn numbers(range: &DeviceRange) -> String {
    match range.count {
        1 => format!("{:04X}", range.number.value),
        _ => format!("{:04X}-{:04X}", range.number.value, range.last()),
    }
}

/// Returns the subchannel sets of `range`, each with those of `css` that have it there.
pub(super) fn sets(range: &DeviceRange, css: &[u8]) -> Vec<(u8, Vec<u8>)> {
    let mut found: Vec<(u8, Vec<u8>)> = Vec::new();
    for &one in css {
        let set = range.subchannel_set.of(one);
        match found.iter_mut().find(|(known, _)| *known == set) {
            Some((_, list)) => list.push(one),
            None => found.push((set, vec![one])),
        }
    }
    if found.is_empty() {
        found.push((range.subchannel_set.all, Vec::new()));
    }
    found
}

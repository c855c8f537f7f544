//! A818, A819: paths unevenly divided, and paths that one control unit of a box has and another lacks.

use std::collections::{BTreeMap, BTreeSet};

use halftrack_input::messages::deck::{PATH_LACKING, UNBALANCED};

use super::control_units::{Site, UnitsByWords, by_css};
use super::notes::Notes;
use crate::model::{ControlUnit, LinkAddress, Path};

pub(super) fn advise(site: &Site<'_>, notes: &mut Notes) {
    let mut uneven = UnitsByWords::default();
    for unit in site.boxes() {
        if let Some(words) = by_css(unit).into_values().find_map(|paths| divided(site, &paths)) {
            uneven.add(words, unit);
        }
    }
    for (words, units) in uneven.into_list() {
        notes.together(UNBALANCED, &units, &words, "give each director the same number of paths");
    }
    lacking(site, notes);
}

/// Returns the directors that have at least two paths more than others of the same control unit, in words.
fn divided(site: &Site<'_>, paths: &[&Path]) -> Option<String> {
    let mut by_switch: BTreeMap<u8, usize> = BTreeMap::new();
    for path in paths {
        *by_switch.entry(site.channel(path)?.switch.as_ref()?.value).or_default() += 1;
    }
    let (least, most) = (by_switch.values().min()?, by_switch.values().max()?);
    let words: Vec<String> =
        by_switch.iter().map(|(switch, count)| format!("{count} over director {switch:02X}")).collect();
    (most - least > 1).then(|| format!("paths are uneven: {}", words.join(", ")))
}

/// A channel and a port behind it.
type PathKey = (u8, u8, Option<LinkAddress>);

/// Advises on control units whose paths are part of those of another one of the same unit type, in the same channel
/// subsystem.
fn lacking(site: &Site<'_>, notes: &mut Notes) {
    let ways = |unit: &ControlUnit| -> BTreeSet<PathKey> {
        unit.paths.iter().map(|path| (path.css, path.chpid, path.link)).collect()
    };
    let mut boxes: Vec<(&ControlUnit, BTreeSet<PathKey>)> =
        site.boxes().map(|unit| (unit, ways(unit))).collect();
    // Without links control units of one channel are one cable, not one box.
    boxes.retain(|(_, ways)| !ways.is_empty() && ways.iter().all(|(_, _, link)| link.is_some()));
    let mut fullest: BTreeMap<PathKey, usize> = BTreeMap::new();
    for (at, (_, ways)) in boxes.iter().enumerate() {
        for way in ways {
            let best = fullest.entry(*way).or_insert(at);
            if boxes[*best].1.len() < ways.len() {
                *best = at;
            }
        }
    }
    let mut alike = UnitsByWords::default();
    for (unit, ways) in &boxes {
        let Some((other, all)) = ways.first().and_then(|way| fullest.get(way)).map(|&at| &boxes[at]) else {
            continue;
        };
        // Paths in other channel subsystems are another matter (A808).
        let css: BTreeSet<u8> = ways.iter().map(|way| way.0).collect();
        let missing: BTreeSet<u8> =
            all.difference(ways).filter(|way| css.contains(&way.0)).map(|way| way.1).collect();
        if ways.is_subset(all) && !missing.is_empty() && unit.unit.value == other.unit.value {
            let chpids: Vec<String> = missing.iter().map(|chpid| format!("{chpid:02X}")).collect();
            let words = format!(
                "no path over channel {}, which control unit {:04X} at the same ports has",
                chpids.join(" "),
                other.number.value
            );
            alike.add(words, unit);
        }
    }
    for (words, units) in alike.into_list() {
        notes.together(PATH_LACKING, &units, &words, "add the path, or remove it from both");
    }
}

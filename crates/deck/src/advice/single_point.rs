//! A801: a part whose failure takes all paths of a control unit.

use std::collections::BTreeSet;

use halftrack_input::messages::deck::SINGLE_POINT;

use super::control_units::{Site, UnitsByWords, by_css, is_disk};
use super::notes::Notes;
use crate::model::placement::{Part, Placement};
use crate::model::{ControlUnit, Path};

pub(super) fn advise(site: &Site<'_>, placement: &dyn Placement, notes: &mut Notes) {
    let (mut single, mut switches, mut parts) =
        (UnitsByWords::default(), UnitsByWords::default(), UnitsByWords::default());
    for unit in site.boxes() {
        let all = by_css(unit);
        let first = |words_of: &dyn Fn(&[&Path]) -> Option<String>| {
            all.iter().find_map(|(css, paths)| Some(words(*css, all.len(), words_of(paths)?)))
        };
        if let Some(words) = first(&|paths| only_path(site, unit, paths)) {
            single.add(words, unit);
            continue;
        }
        if let Some(words) = first(&|paths| one_switch(site, paths)) {
            switches.add(words, unit);
        }
        if let Some(words) = first(&|paths| one_part(site, placement, paths)) {
            parts.add(words, unit);
        }
    }
    for (words, units) in single.into_list() {
        notes.together(SINGLE_POINT, &units, &words, "add a path over another card and director");
    }
    for (words, units) in switches.into_list() {
        notes.together(SINGLE_POINT, &units, &words, "lead half of the paths over a second director");
    }
    for (words, units) in parts.into_list() {
        notes.together(SINGLE_POINT, &units, &words, "use channels of PCHIDs further apart");
    }
}

/// Names the channel subsystem where there are several.
fn words(css: u8, count: usize, words: String) -> String {
    if count > 1 { format!("{words} (CSS {css})") } else { words }
}

/// Returns words for `unit` when it has one path only. Disks are expected to have more; a printer or a tape drive
/// need not.
fn only_path(site: &Site<'_>, unit: &ControlUnit, paths: &[&Path]) -> Option<String> {
    if paths.len() != 1 {
        return None;
    }
    let disks = site.devices(unit).iter().any(|device| is_disk(device));
    disks.then(|| "its disks have one path".to_owned())
}

fn one_switch(site: &Site<'_>, paths: &[&Path]) -> Option<String> {
    let switches: Option<BTreeSet<u8>> =
        paths.iter().map(|path| Some(site.channel(path)?.switch.as_ref()?.value)).collect();
    let switches = switches.filter(|switches| paths.len() > 1 && switches.len() == 1)?;
    let switch = switches.first()?;
    Some(format!("all {} paths pass director {switch:02X}", paths.len()))
}

/// Returns the smallest part that all paths have in common, in words.
fn one_part(site: &Site<'_>, placement: &dyn Placement, paths: &[&Path]) -> Option<String> {
    let places: Option<Vec<_>> =
        paths.iter().map(|path| placement.place(site.channel(path)?.pchid.as_ref()?.value)).collect();
    let places = places.filter(|places| places.len() > 1)?;
    Part::ALL.into_iter().find_map(|part| {
        let names: Option<BTreeSet<&str>> = places.iter().map(|place| place.of(part)).collect();
        let name = *names.filter(|names| names.len() == 1)?.first()?;
        Some(format!("all {} paths are on {} {name}", paths.len(), part.name()))
    })
}

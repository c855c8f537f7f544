//! A808, A816: who reaches what through sharing and spanning.

use std::collections::BTreeSet;

use halftrack_input::messages::deck::{COUPLING_PARTITION, ONE_CSS};

use super::control_units::{Site, UnitsByWords, kind};
use super::notes::Notes;

/// Families of channel types that lead to other images and not to devices.
const COUPLING_FAMILIES: [&str; 3] = ["CFP CBP ICP CIB CL5 CL6 CS5", "CFS CBS", "CFR CBR"];

pub(super) fn advise(site: &Site<'_>, notes: &mut Notes) {
    let mut lacking = UnitsByWords::default();
    for unit in site.boxes() {
        let used: BTreeSet<u8> = unit.paths.iter().map(|path| path.css).collect();
        // Channel subsystems that all channels of the control unit are in.
        let mut common: Option<BTreeSet<u8>> = None;
        for channel in unit.paths.iter().filter_map(|path| site.channel(path)) {
            let css: BTreeSet<u8> = channel.css.iter().copied().collect();
            common = Some(common.map_or(css.clone(), |all| all.intersection(&css).copied().collect()));
        }
        let without: Vec<String> = common.unwrap_or_default().difference(&used).map(u8::to_string).collect();
        if !without.is_empty() {
            lacking.add(
                format!("its channels are in CSS {} too, where it has no paths", without.join(", ")),
                unit,
            );
        }
    }
    for (words, units) in lacking.into_list() {
        notes.together(
            ONE_CSS,
            &units,
            &words,
            "add PATH and LINK for the other CSS, or do not span the channels",
        );
    }
    coupling_partitions(site, notes);
}

/// Gives trap 12: SHARED without PART gives every partition access, that of a coupling facility included. The purpose
/// of a partition is not in the deck: one with such a name and coupling links is taken for a coupling facility.
fn coupling_partitions(site: &Site<'_>, notes: &mut Notes) {
    for partition in &site.deck.partitions {
        let Some(name) = &partition.name else { continue };
        let who = (partition.css, name.clone());
        let mine = site.deck.channel_paths.iter().filter(|path| path.access.contains(&who));
        let (links, others): (Vec<_>, Vec<_>) =
            mine.partition(|path| kind(path).is_some_and(|kind| COUPLING_FAMILIES.contains(&kind.family)));
        let is_called = name.starts_with("CF") || name.starts_with("ICF");
        if let (true, Some(first)) = (is_called && !links.is_empty(), others.first()) {
            let words = format!(
                "coupling facility partition {name} has access to {} channels for devices, such as {:02X}",
                others.len(),
                first.chpid.value
            );
            notes.advise(
                COUPLING_PARTITION,
                &first.chpid.span,
                words,
                &format!("add NOTPART=((CSS({}),({name})))", partition.css),
            );
            notes.also(&partition.span, "the partition");
        }
    }
}

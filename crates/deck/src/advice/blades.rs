//! A802: ports of a control unit that fail together with one blade of a director.
//!
//! The port at which a channel enters stands in no deck, so that only the control unit's side is checked. Two paths
//! at one port are no matter of blades.

use std::collections::{BTreeMap, BTreeSet};

use halftrack_input::messages::deck::ONE_BLADE;

use super::control_units::{Site, UnitsByWords};
use super::notes::Notes;
use crate::model::ControlUnit;
use crate::model::placement::Placement;

pub(super) fn advise(site: &Site<'_>, placement: &dyn Placement, notes: &mut Notes) {
    let mut alike = UnitsByWords::default();
    for unit in site.boxes() {
        for (switch, ports) in ports(site, unit) {
            let blades: Option<BTreeSet<String>> =
                ports.iter().map(|&port| placement.blade(switch, port)).collect();
            let Some(blades) = blades.filter(|blades| ports.len() > 1 && blades.len() == 1) else { continue };
            let blade = blades.first().map_or("", String::as_str);
            let words =
                format!("its {} ports on director {switch:02X} are all on blade {blade}", ports.len());
            alike.add(words, unit);
        }
    }
    for (words, units) in alike.into_list() {
        notes.together(ONE_BLADE, &units, &words, "cable half of them to ports of another blade");
    }
}

/// Returns the ports of `unit` by the director that they are on.
fn ports(site: &Site<'_>, unit: &ControlUnit) -> BTreeMap<u8, BTreeSet<u8>> {
    let mut ports: BTreeMap<u8, BTreeSet<u8>> = BTreeMap::new();
    for path in &unit.paths {
        let entry = site.channel(path).and_then(|channel| channel.switch.as_ref()).map(|switch| switch.value);
        if let Some(link) = path.link
            && let Some(switch) = link.switch.or(entry)
        {
            ports.entry(switch).or_default().insert(link.port);
        }
    }
    ports
}

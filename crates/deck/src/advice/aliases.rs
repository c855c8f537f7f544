//! A806: aliases and bases of parallel access volumes.

use halftrack_input::messages::deck::ALIASES;

use super::control_units::{Site, UnitsByWords};
use super::notes::Notes;
use crate::model::Deck;

/// Unit types that HCD gives to bases that may have aliases.
const BASE_UNITS: [&str; 2] = ["3380B", "3390B"];

pub(super) fn advise(site: &Site<'_>, notes: &mut Notes) {
    let (mut no_base, mut no_alias) = (UnitsByWords::default(), UnitsByWords::default());
    for unit in site.boxes() {
        let devices = site.devices(unit);
        let count = |of: &dyn Fn(&str) -> bool| -> u32 {
            let chosen = devices.iter().filter(|device| of(&device.unit.value));
            chosen.map(|device| u32::from(device.count)).sum()
        };
        let aliases = count(&Deck::is_alias_unit);
        let bases = count(&|unit| BASE_UNITS.contains(&unit));
        let others = count(&|unit| !Deck::is_alias_unit(unit));
        if aliases > 0 && others == 0 {
            no_base.add(format!("{aliases} aliases and no base"), unit);
        } else if bases > 0 && aliases == 0 {
            no_alias.add(format!("{bases} bases for parallel access (UNIT=3390B) and no alias"), unit);
        }
    }
    for (words, units) in no_base.into_list() {
        notes.together(ALIASES, &units, &words, "define the bases on the same control unit");
    }
    for (words, units) in no_alias.into_list() {
        notes.together(ALIASES, &units, &words, "define aliases (UNIT=3390A), or code UNIT=3390");
    }
}

//! The structure of the I/O cards: what runs a card, what its channels or functions are defined by, and what is out while the
//! firmware of a resource group is updated.
//!
//! A traditional card has a channel ASIC for each PCHID, whose I/O a SAP starts, and is defined by CHPIDs. A native PCIe
//! adapter has no ASIC: the I/O controller of its fanout (zIOC) takes its place, its firmware runs in a resource group on the
//! integrated firmware processor (IFP), and it is defined by functions (workshop of 2015, part 4).

use std::collections::BTreeMap;

use halftrack_catalog::{Catalog, Feature};
use halftrack_deck::model::function_types::FunctionType;

use crate::columns::columns;
use crate::hardware::{Card, Hardware};

const HEADS: [&str; 11] = [
    "Slot",
    "F/C",
    "Feature",
    "PCHID/Ports or AID",
    "ASICs",
    "I/O by",
    "Firmware",
    "Statement",
    "Daughter card",
    "Part",
    "Serial",
];

/// Parts that run a card, and its definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Structure {
    /// Channel ASICs.
    pub asics: usize,
    /// Its I/O is started by a SAP; otherwise it goes over the zIOC of its fanout alone.
    pub has_sap: bool,
    /// Its firmware runs in a resource group on the IFP.
    pub has_resource_group: bool,
    /// It is defined by FUNCTION statements; otherwise by CHPID statements.
    pub has_functions: bool,
}

impl Structure {
    /// Returns the structure of a card of `feature` with this many PCHIDs.
    pub fn of(feature: &Feature, pchids: usize) -> Self {
        let has_functions = feature.types.iter().any(|kind| FunctionType::of(kind).is_some());
        Self {
            asics: if feature.native { 0 } else { pchids },
            has_sap: !feature.native,
            has_resource_group: feature.native,
            has_functions,
        }
    }

    /// Returns words for the parts that start its I/O.
    pub const fn io_words(&self) -> &'static str {
        if self.has_sap { "SAP, ASIC" } else { "zIOC" }
    }

    /// Returns words for the place of its firmware.
    pub const fn firmware_words(&self) -> &'static str {
        if self.has_resource_group { "IFP" } else { "channel" }
    }
}

/// Writes a table of the structure of every card, and of the firmware of native adapters.
pub fn structure_table(hardware: &Hardware, catalog: &Catalog) -> String {
    let rows: Vec<_> = hardware.cards().iter().map(row).collect();
    columns(&HEADS, &rows) + &firmware_lines(hardware, catalog)
}

fn row(card: &Card) -> [String; 11] {
    let ports: Vec<String> = card.ports.iter().map(ToString::to_string).collect();
    let unknown = || "?".to_owned();
    let of = |words: fn(&Structure) -> String| {
        let feature = card.feature.as_ref();
        feature.map_or_else(unknown, |feature| words(&Structure::of(feature, card.ports.len())))
    };
    let firmware = match card.resource_group {
        Some(group) if card.is_native() => format!("RG{group} on IFP"),
        _ => of(|one| one.firmware_words().to_owned()),
    };
    let daughter = card.feature.as_ref().and_then(|feature| feature.daughter.as_ref());
    [
        card.place_words(),
        card.code.clone(),
        card.feature.as_ref().map_or_else(unknown, |feature| feature.title.clone()),
        ports.join(" "),
        of(|one| one.asics.to_string()),
        of(|one| one.io_words().to_owned()),
        firmware,
        of(|one| if one.has_functions { "FUNCTION" } else { "CHPID" }.to_owned()),
        daughter.map_or_else(|| "-".to_owned(), |daughter| daughter.value.clone()),
        word(card.part.as_ref()),
        word(card.serial.as_ref()),
    ]
}

/// Formats a number of vital product data, which may be unknown.
pub(crate) fn word(number: Option<&String>) -> String {
    number.cloned().unwrap_or_else(|| "-".to_owned())
}

/// Formats the firmware processors and groups of the machine, where it is known, and what each update takes away.
fn firmware_lines(hardware: &Hardware, catalog: &Catalog) -> String {
    let mut text = String::new();
    let native = hardware.machine().and_then(|machine| catalog.native_pcie_of(machine.machine_type));
    if let Some(native) = native {
        text += &format!("IFPs {}, resource groups {}\n", native.ifps.value, native.resource_groups.value);
    }
    let mut groups: BTreeMap<u8, BTreeMap<&str, usize>> = BTreeMap::new();
    for card in hardware.cards() {
        if let (Some(group), Some(feature)) = (card.resource_group, &card.feature) {
            *groups.entry(group).or_default().entry(&feature.title).or_default() += 1;
        }
    }
    for (group, out) in groups {
        let all = |title: &str| {
            let titles = hardware.cards().iter().filter_map(|card| card.feature.as_ref());
            titles.filter(|feature| feature.title == title).count()
        };
        let parts = out.iter().map(|(title, count)| format!("{count} of {} {title}", all(title)));
        text += &format!("update of RG{group} takes {}\n", parts.collect::<Vec<_>>().join(", "));
    }
    text
}

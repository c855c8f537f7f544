//! The structure of the physical channels of a deck: their parts, by the types of their statements, and where a hardware file is
//! given the cards with their vital product data.

use std::collections::BTreeMap;

use halftrack_catalog::{Catalog, Feature, NativePcie};
use halftrack_deck::Selection;
use halftrack_deck::model::Adapter;

use crate::columns::columns;
use crate::hardware::{Address, Card, Hardware};
use crate::structure::{Structure, word};

const HEADS: [&str; 8] = [
    "PCHID",
    "Type",
    "Statement",
    "Channel paths or functions",
    "ASICs",
    "I/O by",
    "Firmware",
    "Daughter card",
];

const CARD_HEADS: [&str; 7] = ["PCHID", "Slot", "F/C", "Ports", "RG", "Part", "Serial"];

/// Physical channel of a deck, and its parts.
#[derive(Debug, Clone, PartialEq)]
pub struct PhysicalChannel {
    /// Its number.
    pub pchid: u16,
    /// Values of TYPE= of its statements, in their order.
    pub types: Vec<String>,
    /// Channel paths on it: `0.40`, or `0,2.40` of several channel subsystems.
    pub channel_paths: Vec<String>,
    /// Identifiers of functions on it.
    pub functions: Vec<u16>,
    /// Parts that run it; `None` where the catalog has no feature of its types.
    pub structure: Option<Structure>,
    /// Industry-standard card on the mother card of a native adapter; `None` where none is known.
    pub daughter: Option<String>,
    /// Card that is plugged; `None` without a hardware file, and where it has none.
    pub card: Option<Card>,
}

/// Returns the physical channels of the statements that were selected, by PCHID, with their cards among those of `hardware`.
pub fn physical_channels(
    selection: &Selection<'_>,
    catalog: &Catalog,
    hardware: Option<&Hardware>,
) -> Vec<PhysicalChannel> {
    let mut channels = BTreeMap::new();
    for (path, css) in selection.channel_paths() {
        let Some(pchid) = &path.pchid else { continue };
        let css: Vec<String> = css.iter().map(ToString::to_string).collect();
        let channel = of_pchid(&mut channels, pchid.value, &path.channel_type.value);
        channel.channel_paths.push(format!("{}.{:02X}", css.join(","), path.chpid.value));
    }
    for function in selection.functions() {
        let Some(Adapter::Pchid(pchid)) = function.adapter.as_ref().map(|one| one.value) else { continue };
        let kind = function.kind.as_ref().map_or("", |kind| &kind.value);
        let channel = of_pchid(&mut channels, pchid, kind);
        channel.functions.extend((0..function.count).map(|step| function.fid.value.saturating_add(step)));
    }
    let mut channels: Vec<PhysicalChannel> = channels.into_values().collect();
    for channel in &mut channels {
        let feature = channel.types.iter().find_map(|kind| feature_of(catalog, kind));
        channel.structure = feature.map(|feature| Structure::of(feature, 1));
        channel.daughter =
            feature.and_then(|feature| feature.daughter.as_ref()).map(|card| card.value.clone());
        channel.card =
            hardware.and_then(|hardware| hardware.port(channel.pchid)).map(|(card, _)| card.clone());
        channel.functions.sort_unstable();
    }
    channels
}

/// Returns the physical channel, with one more type.
fn of_pchid<'c>(
    channels: &'c mut BTreeMap<u16, PhysicalChannel>,
    pchid: u16,
    kind: &str,
) -> &'c mut PhysicalChannel {
    let channel = channels.entry(pchid).or_insert_with(|| PhysicalChannel {
        pchid,
        types: Vec::new(),
        channel_paths: Vec::new(),
        functions: Vec::new(),
        structure: None,
        daughter: None,
        card: None,
    });
    if !kind.is_empty() && channel.types.iter().all(|one| one != kind) {
        channel.types.push(kind.to_owned());
    }
    channel
}

/// Returns a feature that serves a type.
fn feature_of<'c>(catalog: &'c Catalog, kind: &str) -> Option<&'c Feature> {
    let mut features = catalog.features.ids().filter_map(|id| catalog.features.get(id));
    features.find(|feature| feature.types.iter().any(|one| one == kind))
}

/// Writes a table of the parts of physical channels, of their cards `with_cards`, and of the firmware of native adapters where the
/// machine has any.
pub fn physical_channel_table(
    channels: &[PhysicalChannel],
    firmware: Option<&NativePcie>,
    with_cards: bool,
) -> String {
    let rows: Vec<_> = channels.iter().map(row).collect();
    let mut text = columns(&HEADS, &rows);
    if with_cards {
        let rows: Vec<_> = channels.iter().map(card_row).collect();
        text = text + "\n" + &columns(&CARD_HEADS, &rows);
    }
    if let Some(native) = firmware {
        text += &format!("IFPs {}, resource groups {}\n", native.ifps.value, native.resource_groups.value);
    }
    text
}

fn row(channel: &PhysicalChannel) -> [String; 8] {
    let of =
        |words: fn(&Structure) -> String| channel.structure.as_ref().map_or_else(|| "?".to_owned(), words);
    let functions = channel.functions.iter().map(|fid| format!("{fid:04X}"));
    let defined: Vec<String> = channel.channel_paths.iter().cloned().chain(functions).collect();
    let statement = if channel.functions.is_empty() { "CHPID" } else { "FUNCTION" };
    [
        format!("{:03X}", channel.pchid),
        channel.types.join(" "),
        statement.to_owned(),
        defined.join(" "),
        of(|one| one.asics.to_string()),
        of(|one| one.io_words().to_owned()),
        of(|one| one.firmware_words().to_owned()),
        channel.daughter.clone().unwrap_or_else(|| "-".to_owned()),
    ]
}

/// Formats the card of a physical channel with its vital product data.
fn card_row(channel: &PhysicalChannel) -> [String; 7] {
    let pchid = format!("{:03X}", channel.pchid);
    let Some(card) = &channel.card else {
        let none = || "-".to_owned();
        return [pchid, "not plugged".to_owned(), none(), none(), none(), none(), none()];
    };
    let own = card.ports.iter().find(|port| port.address == Address::Pchid(channel.pchid));
    let names = own.map(|port| port.names.concat()).filter(|names| !names.is_empty());
    let group = card.resource_group.map(|group| format!("RG{group}"));
    [
        pchid,
        card.place_words(),
        card.code.clone(),
        word(names.as_ref()),
        word(group.as_ref()),
        word(card.part.as_ref()),
        word(card.serial.as_ref()),
    ]
}

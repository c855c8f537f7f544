//! Installed cards, and the parts of physical channels, as JSON.

use halftrack_catalog::Catalog;
use halftrack_deck::Selection;
use halftrack_plugging::{Card, Hardware, PhysicalChannel, Port, Structure, physical_channels};
use serde_json::{Value, json};

/// Formats the cards of `hardware` as JSON.
pub fn inventory_json(hardware: &Hardware) -> Value {
    let cards: Vec<Value> = hardware.cards().iter().map(card_json).collect();
    let machine_type = hardware.machine().map(|machine| machine.machine_type);
    json!({ "machine_type": machine_type, "cards": cards })
}

/// Formats the parts of the physical channels of `selection` as JSON, on `cards` where they are given.
pub fn structure_json(selection: &Selection<'_>, catalog: &Catalog, cards: Option<&Hardware>) -> Value {
    let machine_type = selection.deck.machine().machine_type;
    let firmware = catalog.native_pcie_of(machine_type);
    let channels = physical_channels(selection, catalog, cards);
    json!({
        "machine_type": machine_type,
        "ifps": firmware.map(|one| one.ifps.value),
        "resource_groups": firmware.map(|one| one.resource_groups.value),
        "physical_channels": channels.iter().map(channel_json).collect::<Vec<_>>(),
    })
}

fn channel_json(channel: &PhysicalChannel) -> Value {
    let functions: Vec<String> = channel.functions.iter().map(|fid| format!("{fid:04X}")).collect();
    json!({
        "pchid": format!("{:03X}", channel.pchid),
        "types": channel.types,
        "channel_paths": channel.channel_paths,
        "functions": functions,
        "asics": channel.structure.map(|one| one.asics),
        "sap": channel.structure.map(|one| one.has_sap),
        "zioc": channel.structure.map(|one| !one.has_sap),
        "ifp": channel.structure.map(|one| one.has_resource_group),
        "daughter": channel.daughter,
        "card": channel.card.as_ref().map(card_json),
    })
}

fn card_json(card: &Card) -> Value {
    let port = |port: &Port| json!({ "address": port.address.to_string(), "ports": port.names });
    let feature = card.feature.as_ref();
    let structure = feature.map(|feature| Structure::of(feature, card.ports.len()));
    json!({
        "drawer": card.drawer,
        "slot": card.slot,
        "feature_code": card.code,
        "feature": feature.map(|feature| &feature.title),
        "ports": card.ports.iter().map(port).collect::<Vec<_>>(),
        "resource_group": card.resource_group.map(|group| format!("RG{group}")),
        "asics": structure.map(|one| one.asics),
        "daughter": feature.and_then(|feature| feature.daughter.as_ref()).map(|daughter| &daughter.value),
        "part": card.part,
        "serial": card.serial,
    })
}

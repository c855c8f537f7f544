//! A card as JSON: its place, and the vital product data on its mother card.

use halftrack_plugging::{Card, Structure};
use serde_json::{Value, json};

/// Returns the JSON object of a card.
pub fn card_json(card: &Card) -> Value {
    let port =
        |port: &halftrack_plugging::Port| json!({ "address": port.address.to_string(), "ports": port.names });
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

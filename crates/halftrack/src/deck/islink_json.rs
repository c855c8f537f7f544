//! A logical link of ISFC as JSON.

use halftrack_deck::ctc::islink::{LogicalLink, WireEnd, reasons};
use serde_json::{Map, Value, json};

/// Formats the link with its reasons and statements as JSON.
pub(super) fn link_json(link: &LogicalLink) -> Value {
    let systems: Vec<Value> = link
        .systems
        .iter()
        .zip(&link.nodes)
        .zip(&link.cards)
        .map(|((system, node), cards)| {
            json!({
                "deck": if system.deck == 0 { "A" } else { "B" },
                "css": system.css,
                "lpar": system.name,
                "node": node,
                "statements": cards,
            })
        })
        .collect();
    let wires: Vec<Value> = link
        .wires
        .iter()
        .map(|wire| json!({ "ends": wire.ends.each_ref().map(end), "shared": wire.is_shared }))
        .collect();
    let devices: Vec<Value> = link
        .devices
        .iter()
        .map(|device| {
            let writers: Vec<&String> = link
                .nodes
                .iter()
                .zip(device.writers)
                .filter_map(|(node, writes)| writes.then_some(node))
                .collect();
            json!({
                "number": format!("{:04X}", device.number),
                "unit_address": format!("{:02X}", device.unit_address),
                "wire": device.wire,
                "written_by": writers,
            })
        })
        .collect();
    let reasons: Map<String, Value> =
        reasons(link).into_iter().map(|(name, words)| (name.to_owned(), words.into())).collect();
    json!({
        "islink": 1,
        "systems": systems,
        "wires": wires,
        "devices_per_channel": link.recipe.per_channel,
        "devices": devices,
        "mb_per_s_max": link.rate.as_ref().map(|rate| rate.mb_per_s),
        "reasons": reasons,
    })
}

fn end(end: &WireEnd) -> Value {
    json!({
        "css": end.css,
        "chpid": format!("{:02X}", end.chpid),
        "link": end.link.map(|link| link.to_string()),
        "cuadd": format!("{:02X}", end.cuadd),
    })
}

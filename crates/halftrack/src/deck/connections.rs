//! Channel-to-channel connections as JSON.

use halftrack_deck::ctc::{Connections, End};
use serde_json::{Value, json};

/// Formats the connections as JSON.
pub fn connections_json(found: &Connections) -> Value {
    let shown = |at: &usize| found.ends.get(*at).map(end);
    let pairs: Vec<Value> = found
        .pairs
        .iter()
        .map(|pair| {
            json!({
                "ends": [shown(&pair.one), shown(&pair.other)],
                "same_unit_addresses": pair.same_unit_addresses,
                "same_devices": pair.same_devices,
            })
        })
        .collect();
    let missing: Vec<_> = found.missing.iter().map(shown).collect();
    let elsewhere: Vec<_> = found.elsewhere.iter().map(shown).collect();
    json!({ "ctc": 1, "pairs": pairs, "missing": missing, "elsewhere": elsewhere })
}

fn end(end: &End) -> Value {
    let devices: Vec<Value> = end
        .devices
        .iter()
        .map(|(first, count)| json!({ "number": format!("{first:04X}"), "count": count }))
        .collect();
    json!({
        "deck": if end.image.deck == 0 { "A" } else { "B" },
        "css": end.image.css,
        "lpar": end.image.name,
        "control_unit": format!("{:04X}", end.unit),
        "chpid": format!("{:02X}", end.chpid),
        "type": end.channel_type,
        "link": end.link.map(|link| link.to_string()),
        "cuadd": end.cuadd.map(|cuadd| format!("{cuadd:02X}")),
        "unit_address": format!("{:02X}", end.addresses.0),
        "unit_addresses": end.addresses.1,
        "devices": devices,
    })
}

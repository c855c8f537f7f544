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
                "other_cable": pair.other_cable,
            })
        })
        .collect();
    let missing: Vec<_> = found.missing.iter().map(shown).collect();
    let elsewhere: Vec<_> = found.elsewhere.iter().map(shown).collect();
    let misfits: Vec<Value> = found
        .misfits
        .iter()
        .map(|misfit| {
            json!({
                "ends": [shown(&misfit.one), shown(&misfit.other)],
                "fault": misfit.words(found),
                "known": misfit.is_known,
            })
        })
        .collect();
    json!({ "ctc": 1, "pairs": pairs, "missing": missing, "elsewhere": elsewhere, "misfits": misfits })
}

fn end(end: &End) -> Value {
    let devices: Vec<Value> = end
        .devices
        .iter()
        .map(|run| {
            let unit_address = format!("{:02X}", run.unit_address);
            json!({ "number": format!("{:04X}", run.number), "count": run.count, "unit_address": unit_address })
        })
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

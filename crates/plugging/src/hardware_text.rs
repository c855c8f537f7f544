//! Hardware written as a hardware file, every card with all that is known of it.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::hardware::{Address, Card, Hardware, frame_of};

/// Writes the text of a hardware file that gives the same hardware when it is read with the same catalog.
pub fn hardware_text(hardware: &Hardware) -> String {
    let machine = hardware.machine().map(|machine| format!("machine_type = {}\n\n", machine.machine_type));
    let mut text = machine.unwrap_or_default();
    let drawers: BTreeMap<&str, &str> =
        hardware.cards().iter().map(|card| (card.drawer.as_str(), card.frame.as_str())).collect();
    for (name, frame) in drawers {
        text += &format!("[[drawer]]\nname = {}\n", quoted(name));
        if frame != frame_of(name) {
            text += &format!("frame = {}\n", quoted(frame));
        }
        text.push('\n');
    }
    for card in hardware.cards() {
        // A String takes all that is written.
        let _ = write_card(card, &mut text);
    }
    text
}

fn write_card(card: &Card, text: &mut String) -> std::fmt::Result {
    let mut line = |key: &str, value: &str| writeln!(text, "{key} = {value}");
    line("[[feature]]\ndrawer", &quoted(&card.drawer))?;
    line("slot", &quoted(&card.slot))?;
    line("code", &quoted(&card.code))?;
    let numbers = card.ports.iter().map(|port| port.address.to_string());
    let key = match card.ports.first().map(|port| port.address) {
        Some(Address::Aid(_)) => "aids",
        _ => "pchids",
    };
    line(key, &list(numbers))?;
    line("ports", &list(card.ports.iter().flat_map(|port| port.names.iter().cloned())))?;
    for (key, value) in [("link", &card.link), ("domain", &card.domain)] {
        if let Some(value) = value {
            line(key, &quoted(value))?;
        }
    }
    if let Some(group) = card.resource_group {
        line("resource_group", &group.to_string())?;
    }
    for (key, value) in [("part", &card.part), ("serial", &card.serial)] {
        if let Some(value) = value {
            line(key, &quoted(value))?;
        }
    }
    if !card.comment.is_empty() {
        line("comment", &quoted(&card.comment))?;
    }
    text.push('\n');
    Ok(())
}

fn list(words: impl Iterator<Item = String>) -> String {
    let quoted: Vec<String> = words.map(|word| quoted(&word)).collect();
    format!("[{}]", quoted.join(", "))
}

/// Formats a TOML string.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for ch in text.chars() {
        match ch {
            '"' | '\\' => quoted.extend(['\\', ch]),
            ch if ch.is_control() => quoted += &format!("\\u{:04X}", u32::from(ch)),
            ch => quoted.push(ch),
        }
    }
    quoted + "\""
}

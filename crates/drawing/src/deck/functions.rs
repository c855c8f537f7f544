//! PCIe functions: they stand beside the channel paths, and lead from the partition that has them to an adapter.

use halftrack_deck::model::{Adapter, Deck, Function};

use super::places::Places;
use crate::fold::{Foldable, fold};
use crate::number;
use crate::topology::{Group, Node};

/// Adds the boxes of functions, one for each statement.
pub(super) fn nodes(deck: &Deck, places: &Places, nodes: &mut [Node]) {
    for (node, function) in nodes[places.functions..].iter_mut().zip(&deck.functions) {
        let fids = fids(function);
        let kind = kind(function);
        let adapter = adapter(function);
        let number = adapter.as_ref().map(|(_, number)| number.clone());
        let port = function.port.map(|port| format!("-{port}")).unwrap_or_default();
        *node = Node {
            label: format!("{} {kind}", short(function)).trim_end().to_owned(),
            figure: number.map(|number| number + &port).unwrap_or_default(),
            title: format!("FUNCTION {fids}{}", words(function)),
            keys: keys(function),
            ..Node::default()
        };
    }
}

/// Groups functions of a type, network and adapter; where those are many, of a type and network; of a type.
pub(super) fn groups(deck: &Deck, places: &Places) -> Vec<Group> {
    let keys = |function: &Function| {
        let networks: Vec<&str> = function.pnetids.iter().flatten().map(String::as_str).collect();
        let network = networks.join(" ");
        let kind = kind(function);
        let number = adapter(function).map(|(_, number)| number).unwrap_or_default();
        // A bar at the end distinguishes coarser keys from finer ones of the same words.
        vec![format!("{kind} {number} {network}"), format!("{kind} {network}|"), format!("{kind}||")]
    };
    let all = deck.functions.iter().enumerate();
    let all: Vec<Foldable> = all
        .map(|(index, function)| Foldable { node: places.functions + index, keys: keys(function) })
        .collect();
    let mut groups = fold(1, &all, |key, _| {
        let words: Vec<&str> = key.trim_end_matches('|').split_whitespace().collect();
        words.join(" ")
    });
    for group in &mut groups {
        let of = |node: &usize| usize::from(deck.functions[node - places.functions].count);
        let count: usize = group.members.iter().map(of).sum();
        group.figure = format!("× {}", number::count(count as u128));
        group.title = Some(format!("{}: {}", group.label, number::counted(count, "function")));
    }
    groups
}

/// Formats function identifiers: `0011`, `0011-0012`.
fn fids(function: &Function) -> String {
    let first = function.fid.value;
    match function.count {
        0 | 1 => format!("{first:04X}"),
        _ => format!("{first:04X}-{:04X}", function.last_fid()),
    }
}

/// Formats function identifiers without leading zeros, for which a box has no room: `FID 11-12`.
fn short(function: &Function) -> String {
    let first = function.fid.value;
    match function.count {
        0 | 1 => format!("FID {first:X}"),
        _ => format!("FID {first:X}-{:X}", function.last_fid()),
    }
}

fn kind(function: &Function) -> &str {
    function.kind.as_ref().map_or("", |kind| kind.value.as_str())
}

/// Returns its adapter, with the word for it.
fn adapter(function: &Function) -> Option<(&'static str, String)> {
    match function.adapter.as_ref()?.value {
        Adapter::Pchid(number) => Some(("PCHID", format!("{number:03X}"))),
        Adapter::Vchid(number) => Some(("VCHID", format!("{number:03X}"))),
    }
}

/// Returns all its properties behind its number.
fn words(function: &Function) -> String {
    let mut words = String::new();
    if let Some(kind) = &function.kind {
        words += &format!(", {}", kind.value);
    }
    if let Some((kind, number)) = adapter(function) {
        words += &format!(", {kind} {number}");
    }
    if let Some(port) = function.port {
        words += &format!(", port {port}");
    }
    if let Some(vf) = &function.vf {
        let last = vf.value.saturating_add(function.count.saturating_sub(1));
        words += &if last == vf.value { format!(", VF {last}") } else { format!(", VF {}-{last}", vf.value) };
    }
    let networks: Vec<&str> = function.pnetids.iter().flatten().map(String::as_str).collect();
    if !networks.is_empty() {
        words += &format!(", PNETID {}", networks.join(", "));
    }
    words += &match &function.access {
        Some((css, name)) => format!(": partition {name} of CSS {css}"),
        None => ": no partition has it".to_owned(),
    };
    if !function.candidates.is_empty() {
        let names: Vec<&str> = function.candidates.iter().map(|(_, name)| name.as_str()).collect();
        words += &format!("; may go to {}", names.join(", "));
    }
    words
}

/// Returns the keys of the search: identifiers as numbers and with the word before them, adapter and networks.
fn keys(function: &Function) -> Vec<String> {
    let mut keys = Vec::new();
    for fid in function.fid.value..=function.last_fid() {
        keys.extend([format!("{fid:04X}"), format!("FID {fid:04X}"), format!("FID {fid:X}")]);
    }
    if let Some((_, number)) = adapter(function) {
        keys.extend(function.port.map(|port| format!("{number}-{port}")));
        keys.push(number);
    }
    keys.extend(function.pnetids.iter().flatten().map(|name| name.to_uppercase()));
    keys.push(kind(function).to_uppercase());
    keys
}

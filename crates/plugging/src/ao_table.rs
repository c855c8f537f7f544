//! The AO Data table printed, and how the native adapters are spread over the resource groups.

use std::collections::{BTreeMap, BTreeSet};

use crate::columns::columns;
use crate::hardware::{Card, Hardware};

/// Heads of the columns (published errata E36).
const HEADS: [&str; 7] = ["Source", "Drwr", "Slot", "F/C", "PCHID/Ports or AID", "RG", "Comment"];

/// Writes the table: heads, then a row for each card.
pub fn ao_table(hardware: &Hardware) -> String {
    let rows: Vec<[String; 7]> = hardware.cards().iter().map(row).collect();
    columns(&HEADS, &rows)
}

fn row(card: &Card) -> [String; 7] {
    let ports: Vec<String> = card.ports.iter().map(ToString::to_string).collect();
    [
        card.link.clone().unwrap_or_else(|| "-".to_owned()),
        card.drawer.clone(),
        card.slot.clone(),
        card.code.clone(),
        ports.join(" "),
        card.resource_group.map(|group| format!("RG{group}")).unwrap_or_default(),
        card.comment.clone(),
    ]
}

/// How the cards of one feature code are spread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spread {
    /// Feature code.
    pub code: String,
    /// Cards in each resource group, by the number of the group.
    pub groups: BTreeMap<u8, usize>,
}

impl Spread {
    /// Returns true when no group has two cards more than another.
    pub fn is_balanced(&self) -> bool {
        let counts = || self.groups.values();
        counts().max().copied().unwrap_or_default() <= counts().min().copied().unwrap_or_default() + 1
    }
}

/// Counts the adapters of each feature code in the groups of the machine that have adapters, by code.
pub fn spreads(hardware: &Hardware) -> Vec<Spread> {
    let grouped = || hardware.cards().iter().filter_map(|card| Some((card, card.resource_group?)));
    let groups: BTreeSet<u8> = grouped().map(|(_, group)| group).collect();
    let none: BTreeMap<u8, usize> = groups.iter().map(|&group| (group, 0)).collect();
    let mut by_code: BTreeMap<&str, BTreeMap<u8, usize>> = BTreeMap::new();
    for (card, group) in grouped() {
        *by_code.entry(&card.code).or_insert_with(|| none.clone()).entry(group).or_default() += 1;
    }
    by_code.into_iter().map(|(code, groups)| Spread { code: code.to_owned(), groups }).collect()
}

/// Formats `0411: RG1 2, RG2 2; 0420: RG1 2, RG2 2; balanced`; empty when nothing is in a group.
pub fn balance_line(hardware: &Hardware) -> String {
    let spreads = spreads(hardware);
    if spreads.is_empty() {
        return String::new();
    }
    let mut parts: Vec<String> = spreads
        .iter()
        .map(|spread| {
            let groups = spread.groups.iter().map(|(group, count)| format!("RG{group} {count}"));
            format!("{}: {}", spread.code, groups.collect::<Vec<_>>().join(", "))
        })
        .collect();
    let uneven: Vec<&str> =
        spreads.iter().filter(|spread| !spread.is_balanced()).map(|spread| spread.code.as_str()).collect();
    parts.push(if uneven.is_empty() { "balanced".into() } else { format!("uneven: {}", uneven.join(", ")) });
    parts.join("; ") + "\n"
}

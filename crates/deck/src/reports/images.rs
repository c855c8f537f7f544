//! The columns of MIF image ids 1-F: which partitions hold something, and which may.

use crate::model::{Deck, Partition};

/// MIF image ids of a channel subsystem (reference, IOCP, section 2.2).
const MIF_IDS: std::ops::RangeInclusive<u8> = 1..=15;

/// Names of the columns.
pub(super) fn names() -> impl Iterator<Item = String> {
    MIF_IDS.map(|mif| format!("{mif:X}"))
}

/// Formats one cell for each partition: A for access, C for a candidate.
pub(super) fn cells(
    deck: &Deck,
    css: u8,
    access: &[(u8, String)],
    candidates: &[(u8, String)],
) -> Vec<String> {
    let named = |list: &[(u8, String)], name: &str| list.iter().any(|(of, held)| *of == css && held == name);
    let cell = |mif: u8| {
        let name = in_css(deck, css).find(|one| one.mif == mif).and_then(|one| one.name.as_deref());
        match name {
            Some(name) if named(access, name) => "A",
            Some(name) if named(candidates, name) => "C",
            _ => ".",
        }
    };
    MIF_IDS.map(|mif| cell(mif).to_owned()).collect()
}

/// Formats the names of partitions such as `MIF 1 PROD1  2 PROD2  4 *`.
pub(super) fn legend(deck: &Deck, css: u8) -> String {
    let name = |one: &Partition| format!("{:X} {}", one.mif, one.name.as_deref().unwrap_or("*"));
    let mut partitions: Vec<&Partition> = in_css(deck, css).collect();
    partitions.sort_by_key(|one| one.mif);
    format!("MIF {}", partitions.into_iter().map(name).collect::<Vec<_>>().join("  "))
}

/// Returns the channel subsystems that have partitions, ascending.
pub(super) fn all_css(deck: &Deck) -> Vec<u8> {
    let mut css: Vec<u8> = deck.partitions.iter().map(|one| one.css).collect();
    css.sort_unstable();
    css.dedup();
    css
}

fn in_css(deck: &Deck, css: u8) -> impl Iterator<Item = &Partition> {
    deck.partitions.iter().filter(move |one| one.css == css)
}

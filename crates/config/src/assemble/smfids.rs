//! SMF system ids: by them reports call the systems, so that no two may have the same.

use std::collections::{BTreeMap, BTreeSet};

use halftrack_input::messages::study as numbers;
use halftrack_input::{Located, Severity};

use crate::assemble::inputs::Inputs;
use crate::plant;

/// Characters of a system id (SMFPRMxx, SID).
const CHARACTERS: usize = 4;
/// Digits that distinguish systems whose names begin alike.
const DIGITS: &str = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// Returns the system ids of `lpars`, which are in canonical order: that of the plant, else the first characters of the
/// name. Ids that the plant gives twice are reported; names that begin alike are too, and get ids that differ.
pub fn smfids(inputs: &Inputs<'_>, lpars: &[&plant::Lpar]) -> Vec<String> {
    let mut taken: BTreeMap<&str, &Located<String>> = BTreeMap::new();
    for coded in lpars.iter().filter_map(|lpar| lpar.smfid.as_ref()) {
        if let Some(first) = taken.get(coded.value.as_str()) {
            let message = format!("system id {} is that of another partition too", coded.value);
            let warning = inputs.in_plant(numbers::SMFID_TWICE, &coded.span, message);
            let other = inputs.plant.label(&first.span, "the other one");
            let fix = "give each partition a system id of its own: reports distinguish systems by it";
            inputs.report(warning.severity(Severity::Warning).other(other).fix(fix));
            continue;
        }
        taken.insert(&coded.value, coded);
    }
    let mut ids: BTreeSet<String> = taken.keys().map(|id| (*id).to_owned()).collect();
    let mut derived = BTreeMap::new();
    for (begin, alike) in by_beginning(lpars) {
        if alike.len() == 1 && ids.insert(begin.clone()) {
            derived.insert(&alike[0].name.value, begin);
            continue;
        }
        let new: Vec<String> = alike.iter().map(|lpar| distinct(&lpar.name.value, &mut ids)).collect();
        report(inputs, &begin, &alike, &new, taken.get(begin.as_str()).copied());
        derived.extend(alike.iter().map(|lpar| &lpar.name.value).zip(new));
    }
    let id_of = |lpar: &&plant::Lpar| match &lpar.smfid {
        Some(coded) => coded.value.clone(),
        None => derived.get(&lpar.name.value).cloned().unwrap_or_default(),
    };
    lpars.iter().map(id_of).collect()
}

/// Returns partitions without an id of the plant, by the first characters of their names.
fn by_beginning<'a>(lpars: &[&'a plant::Lpar]) -> BTreeMap<String, Vec<&'a plant::Lpar>> {
    let mut found: BTreeMap<String, Vec<&plant::Lpar>> = BTreeMap::new();
    for lpar in lpars.iter().filter(|lpar| lpar.smfid.is_none()) {
        found.entry(lpar.name.value.chars().take(CHARACTERS).collect()).or_default().push(lpar);
    }
    found
}

/// Returns an id of `name` that is not among `ids`: its first characters and its last one, else the next digit that is
/// free.
fn distinct(name: &str, ids: &mut BTreeSet<String>) -> String {
    let head: String = name.chars().take(CHARACTERS - 1).collect();
    let last = name.chars().last().into_iter().chain(DIGITS.chars());
    let short = last.map(|last| format!("{head}{last}"));
    let two: String = head.chars().take(CHARACTERS - 2).collect();
    let pairs = DIGITS.chars().flat_map(|one| DIGITS.chars().map(move |other| (one, other)));
    let long = pairs.map(|(one, other)| format!("{two}{one}{other}"));
    let id = short.chain(long).find(|id| !ids.contains(id)).unwrap_or(head);
    ids.insert(id.clone());
    id
}

fn report(
    inputs: &Inputs<'_>,
    begin: &str,
    alike: &[&plant::Lpar],
    new: &[String],
    coded: Option<&Located<String>>,
) {
    let names = listed(alike.iter().map(|lpar| lpar.name.value.as_str()));
    let message = match (coded, alike.len()) {
        (Some(_), _) => format!("{names} would be system {begin}, which another partition is"),
        (None, 2) => format!("{names} would both be system {begin}"),
        (None, _) => format!("{names} would all be system {begin}"),
    };
    let them = if new.len() == 1 { "it" } else { "them" };
    let message = format!("{message}: reports call {them} {}", listed(new.iter().map(String::as_str)));
    let first = &alike[alike.len() - 1].name;
    let mut warning = inputs.in_plant(numbers::SMFID_TWICE, &first.span, message);
    let others = alike[..alike.len() - 1].iter().map(|lpar| &lpar.name.span);
    let labels = others.chain(coded.map(|coded| &coded.span));
    warning.others.extend(labels.map(|span| inputs.plant.label(span, "the same system id")));
    let fix = format!("give each its system id: add `smfid = \"{}\"`", new[new.len() - 1]);
    inputs.report(warning.severity(Severity::Warning).fix(fix));
}

/// Formats `A, B and C`.
fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

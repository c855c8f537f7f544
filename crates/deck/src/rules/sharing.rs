//! Systems that share data which a card compresses: a system without the card is warned of, and one that cannot inflate is refused.
//!
//! Source: PCIe paper of 2015, slide on deploying zEDC: a system without a function inflates in software.

use halftrack_input::messages::deck::{CANNOT_INFLATE, NO_CARD_IN_GROUP};
use halftrack_input::{Diagnostic, Severity};

use super::software::{Software, System, writes};
use crate::model::{Deck, Function};

/// TYPE= of functions that compress.
const TYPE: &str = "ZEDC";
/// The oldest z/OS that inflates in software.
const INFLATES_FROM: Software = Software { system: System::ZOs, level: (1, 12) };

/// Reports the partitions of `group`, which share data, that have no function to inflate what another one compresses. Systems
/// that are not in `software` are taken to be new enough.
///
/// # Errors
///
/// The first name of the group that no partition has.
pub fn check_sharing(
    deck: &Deck,
    group: &[String],
    software: &[(String, Software)],
) -> Result<Vec<Diagnostic>, String> {
    let is_known = |name: &&String| deck.partitions.iter().any(|one| one.name.as_ref() == Some(*name));
    if let Some(unknown) = group.iter().find(|name| !is_known(name)) {
        return Err(unknown.clone());
    }
    let system = |name: &str| software.iter().rev().find(|(of, _)| of == name).map(|(_, one)| *one);
    // A partition writes compressed data when it has a function and its system can use it.
    let writer = |name: &str| {
        let is_new = system(name).is_none_or(|software| writes(TYPE, software));
        deck.functions.iter().filter(|one| is_new && is_of_type(one)).find(|one| has(one, name))
    };
    let Some((first, function)) = group.iter().find_map(|name| Some((name, writer(name)?))) else {
        return Ok(Vec::new());
    };
    let others = group.iter().filter(|name| writer(name).is_none());
    Ok(others.map(|name| message(deck, (first, function), name, system(name))).collect())
}

fn is_of_type(function: &Function) -> bool {
    function.kind.as_ref().is_some_and(|kind| kind.value == TYPE)
}

fn has(function: &Function, partition: &str) -> bool {
    function.access.as_ref().is_some_and(|(_, name)| name == partition)
}

/// Returns the message about `name`, which shares what `writer` compresses by its function.
fn message(
    deck: &Deck,
    (writer, function): (&str, &Function),
    name: &str,
    system: Option<Software>,
) -> Diagnostic {
    let report = |number, words| Diagnostic::error(number, &deck.source, function.fid.span.clone(), words);
    let level = system.map(|system| format!(" and runs {system}")).unwrap_or_default();
    let is_too_old = |one: Software| one.system == INFLATES_FROM.system && one.level < INFLATES_FROM.level;
    if system.is_some_and(is_too_old) {
        let words = format!(
            "{name} shares data that {writer} compresses with zEDC{level}, which cannot inflate them"
        );
        let fix = format!("give {name} {INFLATES_FROM} or later, or share no compressed data with it");
        return report(CANNOT_INFLATE, words).fix(fix);
    }
    let does = match system {
        Some(system) if !writes(TYPE, system) => "which inflates in software and writes nothing compressed",
        _ => "without a function: it inflates in software",
    };
    let words = format!("{name} shares data that {writer} compresses with zEDC{level}, {does}");
    let fix = format!(
        "give {name} a function of TYPE={TYPE} and a system that uses it, or plan its processor time"
    );
    report(NO_CARD_IN_GROUP, words).severity(Severity::Warning).fix(fix)
}

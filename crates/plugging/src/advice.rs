//! Advice on a deck by its hardware: PCHIDs that are missing, or on cards of another kind, and functions that stand
//! in for each other in one resource group.
//!
//! Reference: IOCP, sections 4.7 (A809) and 7. A function may be defined before its adapter is plugged: it stands by.

use std::collections::BTreeMap;
use std::ops::Range;

use halftrack_deck::Reading;
use halftrack_deck::model::machines::Machine;
use halftrack_deck::model::{Adapter, Deck, Function};
use halftrack_input::messages::deck::{OTHER_HARDWARE, TOO_MANY_ADAPTERS};
use halftrack_input::messages::plugging::{
    NO_SUCH_PCHID, NO_SUCH_PORT, ONE_RESOURCE_GROUP, OTHER_FEATURE, PARITY,
};
use halftrack_input::{Diagnostic, Label, Severity};

use crate::adapter_limits::{Excess, excesses};
use crate::availability::availability;
use crate::hardware::Hardware;

/// Returns warnings and advice about `deck` on `hardware`, in the order of the deck.
pub fn advise(deck: &Deck, hardware: &Hardware) -> Vec<Diagnostic> {
    let mut found = channels(deck, hardware);
    found.extend(functions(deck, hardware));
    found.extend(resource_groups(deck, hardware));
    found.extend(crowded(deck, hardware));
    found.extend(availability(deck, hardware));
    found.sort_by_key(|message| message.at.span.start);
    found
}

/// Reports adapters past the limits of the deck's machine, for hardware without a machine type.
fn crowded(deck: &Deck, hardware: &Hardware) -> Vec<Diagnostic> {
    let coded = deck.id.machine_type.as_ref().filter(|_| hardware.machine().is_none());
    let machine = coded.and_then(|coded| Some((Machine::of(coded.value)?, coded)));
    let Some((machine, coded)) = machine else { return Vec::new() };
    let message = |excess: Excess| {
        let words = format!("the hardware: {}", excess.words);
        let message = Diagnostic::error(TOO_MANY_ADAPTERS, &deck.source, coded.span.clone(), words);
        message.severity(Severity::Warning).fix("check SYSTEM=, and that the report is of this machine")
    };
    excesses(hardware.cards().iter(), machine).into_iter().map(message).collect()
}

fn channels(deck: &Deck, hardware: &Hardware) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for path in &deck.channel_paths {
        let Some(pchid) = &path.pchid else { continue };
        let what = format!("CHPID {:02X}", path.chpid.value);
        if hardware.port(pchid.value).is_none() {
            let words = format!("{what}: PCHID {:03X} is in no slot of the hardware", pchid.value);
            let message = Diagnostic::error(NO_SUCH_PCHID, &deck.source, pchid.span.clone(), words);
            let fix = "correct the PCHID, or let `halftrack deck map --all` choose";
            found.push(message.severity(Severity::Warning).fix(fix));
        } else {
            found.extend(other_feature(
                deck,
                hardware,
                pchid.value,
                &path.channel_type.value,
                &pchid.span,
                &what,
            ));
        }
    }
    found
}

fn functions(deck: &Deck, hardware: &Hardware) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for function in &deck.functions {
        let Some((pchid, span)) = pchid_of(function) else { continue };
        let what = format!("FUNCTION {:04X}", function.fid.value);
        if hardware.port(pchid).is_none() {
            let words = format!("{what}: stands by until a card with PCHID {pchid:03X} is plugged");
            let message = Diagnostic::error(NO_SUCH_PCHID, &deck.source, span.clone(), words);
            found.push(message.severity(Severity::Info));
        } else if let Some(kind) = &function.kind {
            // On a card of another kind the port is no news.
            let other = other_feature(deck, hardware, pchid, &kind.value, span, &what);
            found.extend(other.or_else(|| other_port(deck, hardware, function, pchid, &what)));
        }
    }
    found
}

/// Reports a PORT of a function that its PCHID does not have.
fn other_port(
    deck: &Deck,
    hardware: &Hardware,
    function: &Function,
    pchid: u16,
    what: &str,
) -> Option<Diagnostic> {
    let (card, port) = hardware.port(pchid)?;
    let asked = usize::from(function.port?);
    if port.names.is_empty() || asked <= port.names.len() {
        return None;
    }
    let words = format!("{what}: PCHID {pchid:03X} in {} has no port {asked}", card.place_words());
    let message = Diagnostic::error(NO_SUCH_PORT, &deck.source, function.span.clone(), words);
    let fix = format!("it has {}: code PORT=1 to PORT={}", port.names.join(", "), port.names.len());
    Some(message.severity(Severity::Warning).fix(fix))
}

fn pchid_of(function: &Function) -> Option<(u16, &Range<usize>)> {
    let adapter = function.adapter.as_ref()?;
    match adapter.value {
        Adapter::Pchid(pchid) => Some((pchid, &adapter.span)),
        Adapter::Vchid(_) => None,
    }
}

/// Reports a PCHID on a card that does not serve TYPE `kind`.
fn other_feature(
    deck: &Deck,
    hardware: &Hardware,
    pchid: u16,
    kind: &str,
    span: &Range<usize>,
    what: &str,
) -> Option<Diagnostic> {
    let (card, _) = hardware.port(pchid)?;
    let feature = card.feature.as_ref()?;
    if feature.types.iter().any(|known| known == kind) {
        return None;
    }
    let words = format!(
        "{what}: PCHID {pchid:03X} is on a feature {} ({}) in {}, which does not serve TYPE={kind}",
        card.code,
        feature.title,
        card.place_words()
    );
    let message = Diagnostic::error(OTHER_FEATURE, &deck.source, span.clone(), words);
    let fix = format!("it serves TYPE={}", feature.types.join(", "));
    Some(message.severity(Severity::Warning).fix(fix))
}

/// Gives A809: all functions of one type that a partition has are in one resource group.
fn resource_groups(deck: &Deck, hardware: &Hardware) -> Vec<Diagnostic> {
    let mut purposes: BTreeMap<(String, &str), Vec<(&Function, u8)>> = BTreeMap::new();
    for function in &deck.functions {
        let group = pchid_of(function).and_then(|(pchid, _)| hardware.port(pchid)?.0.resource_group);
        let (Some(group), Some((_, partition)), Some(kind)) = (group, &function.access, &function.kind)
        else {
            continue;
        };
        purposes.entry((kind.value.clone(), partition)).or_default().push((function, group));
    }
    let mut found = Vec::new();
    for ((kind, partition), functions) in purposes {
        let Some(&(first, group)) = functions.first() else { continue };
        let elsewhere = hardware.cards().iter().find(|card| {
            let serves = card.feature.as_ref().is_some_and(|feature| feature.types.contains(&kind));
            serves && card.resource_group.is_some_and(|other| other != group)
        });
        let Some(elsewhere) = elsewhere.filter(|_| functions.iter().all(|(_, other)| *other == group)) else {
            continue;
        };
        let words = match functions.len() {
            1 => format!("the only {kind} function of {partition} is in RG{group}"),
            count => format!("all {count} {kind} functions of {partition} are in RG{group}"),
        };
        let message = Diagnostic::error(ONE_RESOURCE_GROUP, &deck.source, first.fid.span.clone(), words);
        let others = functions[1..]
            .iter()
            .map(|(function, _)| Label::new(&deck.source, function.fid.span.clone(), "in the same group"));
        let message = others.fold(message, Diagnostic::other).severity(Severity::Advice);
        let group = elsewhere.resource_group.unwrap_or_default();
        let place = elsewhere.place_words();
        found.push(message.fix(format!(
            "give it one in another group too: {place} is in RG{group}; a house may give odd FIDs to odd groups"
        )));
    }
    found
}

/// Reports the functions that break the house convention of odd identifiers in odd resource groups and even ones in
/// even. No rule demands it (reference: IOCP, section 7), so it is an option.
pub fn advise_parity(deck: &Deck, hardware: &Hardware) -> Vec<Diagnostic> {
    let breaks = |function: &Function| {
        let (pchid, _) = pchid_of(function)?;
        let (card, _) = hardware.port(pchid)?;
        let group = card.resource_group?;
        let fids = function.fid.value..=function.last_fid();
        let other = fids.into_iter().find(|fid| fid % 2 != u16::from(group) % 2)?;
        let kind = if group % 2 == 0 { "even" } else { "odd" };
        let words = format!(
            "FUNCTION {other:04X}: PCHID {pchid:03X} is in RG{group}, where identifiers are {kind} by the convention"
        );
        let message = Diagnostic::error(PARITY, &deck.source, function.fid.span.clone(), words);
        let fix =
            format!("give it an {kind} FID, or leave the choice of PCHIDs to `halftrack deck map --parity`");
        Some(message.severity(Severity::Advice).fix(fix))
    };
    deck.functions.iter().filter_map(breaks).collect()
}

/// Returns an error when `reading` was checked against the limits of another machine than that of `hardware`.
/// Hardware without a machine type, or a deck that names no machine, is no error.
pub fn other_machine(reading: &Reading, hardware: &Hardware) -> Option<Diagnostic> {
    let its = hardware
        .machine()
        .filter(|its| !reading.assumed && its.machine_type != reading.machine.machine_type)?;
    let coded = reading.understood().and_then(|deck| deck.id.machine_type.as_ref());
    let span = coded.map_or(0..0, |coded| coded.span.clone());
    let words = format!(
        "the deck is checked as a {} ({}), but the hardware is a {} ({})",
        reading.machine.machine_type, reading.machine.name, its.machine_type, its.name
    );
    let fix = format!(
        "correct SYSTEM= or `machine_type` of the hardware; --machine {} checks the deck for the hardware",
        its.machine_type
    );
    Some(Diagnostic::error(OTHER_HARDWARE, &reading.script.source, span, words).fix(fix))
}

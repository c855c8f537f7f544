//! The statements of a logical link, and the proof that they are valid and complete.

use std::collections::BTreeSet;

use halftrack_input::{Diagnostic, Severity, SourceFile};

use super::channels::Wire;
use super::link::LinkDevice;
use super::request::LinkRequest;
use crate::ctc::devices::{DeviceRun, joined};
use crate::ctc::new_end::NewEnd;
use crate::ctc::numbers::Numbers;
use crate::ctc::pairs::{Connections, connections};
use crate::model::Deck;
use crate::reading::{Reading, read_with};

/// Returns the statements of each system.
pub(super) fn cards(request: &LinkRequest<'_>, wires: &[Wire], devices: &[LinkDevice]) -> [String; 2] {
    let mut numbers: Vec<Numbers<'_>> = request.decks.iter().map(|deck| Numbers::of(deck)).collect();
    [0, 1].map(|side| {
        let system = &request.systems[side];
        let user = [(system.css, system.name.clone())];
        let mut text = String::new();
        for (at, wire) in wires.iter().enumerate() {
            let end = &wire.ends[side];
            let mine: Vec<&LinkDevice> = devices.iter().filter(|device| device.wire == at).collect();
            let Some(first) = mine.first() else { continue };
            let singles = mine.iter().map(|device| DeviceRun {
                number: device.number,
                count: 1,
                unit_address: device.unit_address,
            });
            let made = NewEnd {
                unit: numbers[system.deck].unit(first.number),
                chpid: end.chpid,
                css: BTreeSet::from([end.css]),
                link: end.link_address.clone(),
                cuadd: end.cuadd,
                unit_type: "FCTC",
                addresses: (first.unit_address, u16::try_from(mine.len()).unwrap_or(u16::MAX)),
                devices: joined(singles),
                candidates: if end.shared { &user } else { &[] },
            };
            text += &made.cards();
        }
        text
    })
}

/// Returns the decks with `cards` behind them. They break no more rules than before, and each of `devices` is in a pair
/// of both systems.
pub(super) fn verified(
    request: &LinkRequest<'_>,
    cards: &[String; 2],
    devices: &[LinkDevice],
) -> Result<Vec<Deck>, Vec<String>> {
    let mut decks = Vec::new();
    let mut refused = Vec::new();
    for (at, deck) in request.decks.iter().enumerate() {
        let old = &deck.source.text;
        let mut text = old.clone();
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        for (system, cards) in request.systems.iter().zip(cards) {
            if system.deck == at {
                text += cards;
            }
        }
        let read =
            |text: String| read_with(SourceFile::new(deck.source.name.as_str(), text), request.options);
        let (before, after) = (read(old.clone()), read(text));
        refused.extend(new_errors(&before, &after));
        decks.extend(after.understood().cloned());
    }
    if refused.is_empty() && decks.len() == request.decks.len() {
        let all: Vec<&Deck> = decks.iter().collect();
        refused.extend(unpaired(request, &connections(&all, request.ports), devices));
    }
    if refused.is_empty() { Ok(decks) } else { Err(refused) }
}

/// Returns the errors that the statements bring, one a line.
fn new_errors(before: &Reading, after: &Reading) -> Vec<String> {
    let key = |one: &Diagnostic| (one.number, one.at.span.clone(), one.message.clone());
    let errors = |reading: &Reading| -> Vec<(u16, std::ops::Range<usize>, String)> {
        reading.diagnostics.iter().filter(|one| one.severity == Severity::Error).map(key).collect()
    };
    let were = errors(before);
    let news =
        after.diagnostics.iter().filter(|one| one.severity == Severity::Error && !were.contains(&key(one)));
    news.map(|one| format!("with its statements the deck breaks a rule: {}", one.line())).collect()
}

/// Returns the devices that have no other end.
fn unpaired(request: &LinkRequest<'_>, found: &Connections, devices: &[LinkDevice]) -> Option<String> {
    let mut paired: BTreeSet<(u16, u8)> = BTreeSet::new();
    for pair in found.pairs.iter().filter(|pair| pair.same_unit_addresses && pair.same_devices) {
        let ends = [&found.ends[pair.one], &found.ends[pair.other]];
        let is_ours = request.systems.iter().all(|system| ends.iter().any(|end| end.image == *system));
        if is_ours {
            paired.extend(ends[0].devices.iter().flat_map(|run| run.devices()));
        }
    }
    let missing: Vec<String> = devices
        .iter()
        .filter(|device| !paired.contains(&(device.number, device.unit_address)))
        .map(|device| format!("{:04X}", device.number))
        .collect();
    (!missing.is_empty()).then(|| {
        format!(
            "devices {} would have no other end: other control units of these channels contradict their ports",
            missing.join(" ")
        )
    })
}

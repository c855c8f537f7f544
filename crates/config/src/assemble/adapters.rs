//! Outages of native adapters: updates of firmware, and adapters that are pulled and plugged in a run.

use std::collections::BTreeSet;

use halftrack_input::Label;
use halftrack_input::messages::{compression, conversation, study as numbers};
use halftrack_zedc_twin::Place;

use crate::assemble::event_parts::EventParts;
use crate::disturbance::DisturbanceKind;
use crate::fault_script::Event;

/// Returns the update of firmware; one that nothing of the machine takes part in is reported, and one that overlaps another.
pub fn firmware_update(parts: &EventParts<'_>, event: &Event) -> Option<DisturbanceKind> {
    let group = event.group.as_ref()?;
    let machine = parts.machine(event, &group.span)?;
    let cpc = machine.machine;
    if pchids(parts, cpc).is_empty() {
        let message = "the firmware of a machine is updated that has no compression card with work, and no RoCE function \
                       on a plugged card";
        let error = event.error(numbers::EVENT_MISSES, &group.span, message);
        parts.inputs.report(error.fix(
            "add `[[compression]]` in one of its partitions, or a FUNCTION of TYPE=ROCE, or remove the event",
        ));
        return None;
    }
    if let Some(other) = overlapping(parts, event, |_| true) {
        let message = "two updates of firmware overlap: one resource group is updated at a time";
        let error = event.error(compression::UPDATES_OVERLAP, &event.at.span, message);
        parts.inputs.report(error.other(begins_here(other)).fix("begin it when the other one has ended"));
        return None;
    }
    Some(DisturbanceKind::FirmwareUpdate { cpc, group: group.value })
}

/// Returns the adapter that is pulled; one that the machine does not have is reported, and one that is away already.
pub fn adapter_pulled(parts: &EventParts<'_>, event: &Event) -> Option<DisturbanceKind> {
    let pchid = event.pchid.as_ref()?;
    let machine = parts.machine(event, &pchid.span)?;
    let cpc = machine.machine;
    let known = pchids(parts, cpc);
    if !known.contains(&pchid.value) {
        let number = pchid.value;
        let message = format!(
            "PCHID {number:03X} is none of a plugged RoCE card with functions, or compression card with work"
        );
        let words: Vec<String> = known.iter().map(|one| format!("{one:03X}")).collect();
        let fix = match words.is_empty() {
            true => "remove the event: the machine has no such adapter".to_owned(),
            false => format!("take one of {}", words.join(", ")),
        };
        parts.inputs.report(event.error(numbers::EVENT_MISSES, &pchid.span, message).fix(fix));
        return None;
    }
    let is_same = |other: &Event| other.pchid.as_ref().map(|one| one.value) == Some(pchid.value);
    if let Some(other) = overlapping(parts, event, is_same) {
        let message = format!("adapter {:03X} is pulled while it is away", pchid.value);
        let error = event.error(conversation::ADAPTER_IS_AWAY, &event.at.span, message);
        parts.inputs.report(error.other(begins_here(other)).fix("begin it when the other one has ended"));
        return None;
    }
    Some(DisturbanceKind::AdapterPulled { cpc, pchid: pchid.value })
}

/// Returns the physical channels of the adapters of a machine that a run has.
fn pchids(parts: &EventParts<'_>, cpc: u8) -> BTreeSet<u16> {
    let roce = parts.conversations.functions.iter().filter(|one| one.cpc == cpc).map(|one| one.pchid);
    let machines = parts.compression.machines.iter().filter(|one| one.cpc == cpc);
    let on_card = machines.flat_map(|one| &one.plan.functions).filter(|one| one.place != Place::StandBy);
    roce.chain(on_card.filter_map(|one| one.pchid)).collect()
}

/// Returns the first event before `event` of its kind and machine, of those that `is_alike`, if both last at one time.
fn overlapping<'p>(
    parts: &EventParts<'p>,
    event: &Event,
    is_alike: impl Fn(&Event) -> bool,
) -> Option<&'p Event> {
    let machine = |one: &Event| one.cpc.as_ref().map(|cpc| cpc.value);
    let is_of_kind = |other: &Event| other.kind.value == event.kind.value && machine(other) == machine(event);
    let until = |one: &Event| one.at.value + one.lasts.value;
    let overlaps = |other: &Event| other.at.value <= until(event) && event.at.value <= until(other);
    let mut earlier = parts.inputs.workload.events.iter().take_while(|other| !std::ptr::eq(*other, event));
    earlier.find(|other| is_of_kind(other) && is_alike(other) && overlaps(other))
}

fn begins_here(other: &Event) -> Label {
    Label::new(&other.source, other.at.span.clone(), "the other one begins here")
}

//! Slots for fanouts: what the drawers of the machine have against what the plant puts into them.

use std::collections::BTreeMap;

use halftrack_catalog as catalog;
use halftrack_input::messages::study as numbers;
use halftrack_input::{Diagnostic, Located, Sourced};

use crate::assemble::inputs::Inputs;
use crate::plant::Fanout;

/// Reports fanouts without a slot, and the first card that no fanout has a place for.
pub fn check(inputs: &Inputs<'_>) {
    let Some(cpc) = inputs.catalog.cpcs.get(&inputs.cpc.model.value) else { return };
    // Fanouts that the machine does not have at all are reported with the interconnects.
    let Some(fanout) = &cpc.processor.fanout else { return };
    let fanouts: Vec<_> = inputs.plant.fanouts.iter().filter(|one| one.cpc == inputs.cpc.name).collect();
    check_slots_taken(inputs, &fanouts);
    let Some(slots) = &cpc.fanout_slots else { return };
    check_count(inputs, slots, &fanouts);
    check_slots_there(inputs, slots, &fanouts);
    check_cards(inputs, slots, fanout);
}

fn check_count(inputs: &Inputs<'_>, slots: &Sourced<u16>, fanouts: &[&Fanout]) {
    let Some(extra) = fanouts.get(usize::from(slots.value)) else { return };
    let (id, count) = (&inputs.cpc.model.value, fanouts.len());
    let message = format!("{id} has {} fanout slots, but the plant has {count} fanouts", slots.value);
    let fix = format!("describe at most {} fanouts, or take a model with more drawers", slots.value);
    report(inputs, numbers::NO_FANOUT_SLOT, &extra.name, message, slots, fix);
}

fn check_slots_there(inputs: &Inputs<'_>, slots: &Sourced<u16>, fanouts: &[&Fanout]) {
    let beyond = |slot: &&Located<u16>| slot.value > slots.value;
    for slot in fanouts.iter().filter_map(|fanout| fanout.slot.as_ref()).filter(beyond) {
        let id = &inputs.cpc.model.value;
        let message = format!("{id} has fanout slots 1 to {}, not {}", slots.value, slot.value);
        let fix = format!("name a slot from 1 to {}, or take a model with more drawers", slots.value);
        report(inputs, numbers::NO_FANOUT_SLOT, slot, message, slots, fix);
    }
}

fn check_slots_taken(inputs: &Inputs<'_>, fanouts: &[&Fanout]) {
    let mut taken = BTreeMap::new();
    for fanout in fanouts {
        let Some(slot) = &fanout.slot else { continue };
        let Some(first) = taken.insert(slot.value, fanout) else { continue };
        let (name, other) = (&fanout.name.value, &first.name);
        let message = format!("slot {} has fanout {} already, and not {name} too", slot.value, other.value);
        let error = inputs
            .in_plant(numbers::NO_FANOUT_SLOT, &slot.span, message)
            .other(inputs.plant.label(&other.span, "the fanout in it"))
            .fix("name another slot, or leave `slot` out");
        inputs.report(error);
    }
}

/// Checks that every card is behind a fanout, whether or not the plant names the fanout.
fn check_cards(inputs: &Inputs<'_>, slots: &Sourced<u16>, fanout: &catalog::Fanout) {
    let places = u32::from(slots.value) * fanout.cards.value;
    let Some(extra) = inputs.cards().nth(places as usize) else { return };
    let (id, count) = (&inputs.cpc.model.value, inputs.cards().count());
    let message = format!(
        "{id} has places for {places} cards, {} behind each of {} fanouts, but the plant has {count}",
        fanout.cards.value, slots.value
    );
    let fix = format!("describe at most {places} cards, or take a model with more drawers");
    report(inputs, numbers::BEYOND_FANOUTS, &extra.kind, message, slots, fix);
}

/// Reports `message` about `at`, with the number of slots that it goes by.
fn report<T>(
    inputs: &Inputs<'_>,
    number: u16,
    at: &Located<T>,
    message: String,
    slots: &Sourced<u16>,
    fix: String,
) {
    let mut error: Diagnostic = inputs.in_plant(number, &at.span, message).fix(fix);
    let id = &inputs.cpc.model.value;
    error.others.extend(inputs.catalog.cpcs.label(id, slots.span.clone(), "its slots"));
    inputs.report(error);
}

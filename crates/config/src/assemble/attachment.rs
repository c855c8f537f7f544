//! Cards against the machine that they are in.

use halftrack_catalog::Attachment;
use halftrack_deck::model::machines::Machine;
use halftrack_input::messages::study as numbers;

use crate::assemble::inputs::Inputs;
use crate::card_misfit::CardMisfit;
use crate::plant::Card;

/// Reports cards that their machine does not have.
pub fn check(inputs: &Inputs<'_>) {
    let cpc = inputs.catalog.cpcs.get(&inputs.cpc.model.value);
    let machine = cpc.and_then(|cpc| Machine::of(cpc.machine_type.value));
    for card in inputs.cards() {
        let kind = inputs.catalog.channels.get(&card.kind.value);
        if let Some((machine, kind)) = machine.zip(kind) {
            check_machine(inputs, card, &kind.attachment, machine);
        }
    }
}

fn check_machine(inputs: &Inputs<'_>, card: &Card, attachment: &Attachment, machine: &Machine) {
    let Some(misfit) = CardMisfit::of(attachment, machine) else { return };
    let (limit, words) = match misfit {
        CardMisfit::CameLater(limit) => (limit, "it came with the"),
        CardMisfit::EndedBefore(limit) => (limit, "the last machine with it was the"),
    };
    let (id, machine_type) = (&card.kind.value, machine.machine_type);
    let message = format!("a {machine_type} has no {id}: {words} {}", limit.value);
    let mut error = inputs.in_plant(numbers::NOT_ON_MACHINE, &card.kind.span, message);
    error.others.extend(inputs.catalog.channels.label(id, limit.span.clone(), "the limit of the card"));
    inputs.report(error.fix("take a card of the machine's time, or another `model` of `[cpc]`"));
}

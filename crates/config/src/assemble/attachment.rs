//! Cards against the machine that they are in, and against what the plant wants of them.

use halftrack_catalog::{Attachment, Misfit};
use halftrack_deck::diagnostic::Severity;
use halftrack_deck::machines::Machine;

use crate::assemble::inputs::Inputs;
use crate::numbers;
use crate::plant::Card;

/// Reports cards that their machine does not have, and features that they do not have.
pub fn check(inputs: &Inputs<'_>) {
    let cpc = inputs.catalog.cpcs.get(&inputs.cpc.model.value);
    let machine = cpc.and_then(|cpc| Machine::of(cpc.machine_type.value));
    for card in inputs.cards() {
        let Some(kind) = inputs.catalog.channels.get(&card.kind.value) else { continue };
        if let Some(machine) = machine {
            check_machine(inputs, card, &kind.attachment, machine);
        }
        check_endpoint_security(inputs, card, &kind.attachment);
    }
}

fn check_machine(inputs: &Inputs<'_>, card: &Card, attachment: &Attachment, machine: &Machine) {
    let Some(misfit) = attachment.misfit(machine) else { return };
    let (limit, words) = match misfit {
        Misfit::CameLater(limit) => (limit, "it came with the"),
        Misfit::EndedBefore(limit) => (limit, "the last machine with it was the"),
    };
    let (id, machine_type) = (&card.kind.value, machine.machine_type);
    let message = format!("a {machine_type} has no {id}: {words} {}", limit.value);
    let mut error = inputs.in_plant(numbers::NOT_ON_MACHINE, &card.kind.span, message);
    error.others.extend(inputs.catalog.channels.label(id, limit.span.clone(), "says the card"));
    inputs.report(error.fix("take a card of the machine's time, or another `model` of `[cpc]`"));
}

fn check_endpoint_security(inputs: &Inputs<'_>, card: &Card, attachment: &Attachment) {
    let Some(wanted) = card.endpoint_security.as_ref().filter(|wanted| wanted.value) else { return };
    let id = &card.kind.value;
    if attachment.endpoint_security {
        let message = "endpoint security is not simulated: frames take no longer with it than without";
        let warning = inputs.in_plant(numbers::ENDPOINT_SECURITY, &wanted.span, message);
        inputs.report(
            warning.severity(Severity::Warning).fix("keep it for displays, or drop `endpoint_security`"),
        );
        return;
    }
    let message = format!("a {id} has no endpoint security: it can neither authenticate nor encrypt");
    let error = inputs.in_plant(numbers::ENDPOINT_SECURITY, &wanted.span, message);
    inputs.report(
        error.other(inputs.plant.label(&card.kind.span, "its type")).fix("drop it, or take another card"),
    );
}

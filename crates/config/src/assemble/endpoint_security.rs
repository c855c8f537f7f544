//! Fibre Channel Endpoint Security: the three parts that encrypt a connection, and what is missing of them.
//!
//! The paper on the FICON Express32S names them: the card, the storage, the key manager. Without any one of them the link is
//! not encrypted. The twin does not simulate it: displays show what the plant defines.

use std::ops::Range;

use halftrack_input::messages::study as numbers;
use halftrack_input::{Located, Severity};

use crate::assemble::inputs::Inputs;

/// Reports cards and ports that are to encrypt and cannot, and a plant without key manager.
pub fn check(inputs: &Inputs<'_>) {
    let cards = wanted_of_cards(inputs).filter_map(|(wanted, kind)| {
        let can = inputs.catalog.channels.get(&kind.value)?.attachment.endpoint_security;
        Some((wanted, kind, can, "card"))
    });
    let ports = wanted_of_ports(inputs).filter_map(|(wanted, kind)| {
        let can = inputs.catalog.control_units.get(&kind.value)?.endpoint_security;
        Some((wanted, kind, can, "control unit"))
    });
    let mut first = None;
    for (wanted, kind, can, part) in cards.chain(ports) {
        check_part(inputs, &wanted.span, kind, can, part);
        if can {
            first.get_or_insert(&wanted.span);
        }
    }
    if let (Some(span), None) = (first, &inputs.plant.key_manager) {
        let message = "endpoint security without a key manager encrypts nothing: displays show NONE";
        let warning = inputs.in_plant(numbers::ENDPOINT_SECURITY, span, message);
        let fix = "add `[key_manager]` with a `name`, or drop `endpoint_security`";
        inputs.report(warning.severity(Severity::Warning).fix(fix));
    }
}

/// Returns true when `port` of a control unit of type `kind` would encrypt, given what it and its box are set to.
pub fn port_encrypts(inputs: &Inputs<'_>, kind: &str, wanted: bool) -> bool {
    let can = inputs.catalog.control_units.get(kind).is_some_and(|kind| kind.endpoint_security);
    wanted && can && inputs.plant.key_manager.is_some()
}

/// Returns settings of cards, with the types of the cards.
fn wanted_of_cards<'a>(
    inputs: &Inputs<'a>,
) -> impl Iterator<Item = (&'a Located<bool>, &'a Located<String>)> + use<'a> {
    let wanted = |card: &'a crate::plant::Card| Some((card.endpoint_security.as_ref()?, &card.kind));
    inputs.plant.cards.iter().filter_map(wanted).filter(|(wanted, _)| wanted.value)
}

/// Returns settings of boxes and of their ports, with the types of the boxes.
fn wanted_of_ports<'a>(
    inputs: &Inputs<'a>,
) -> impl Iterator<Item = (&'a Located<bool>, &'a Located<String>)> + use<'a> {
    let all = inputs.plant.control_units.iter().flat_map(|one| {
        let ports = one.ports.iter().filter_map(|port| port.endpoint_security.as_ref());
        one.endpoint_security.iter().chain(ports).map(|wanted| (wanted, &one.kind))
    });
    all.filter(|(wanted, _)| wanted.value)
}

fn check_part(inputs: &Inputs<'_>, span: &Range<usize>, kind: &Located<String>, can: bool, part: &str) {
    let id = &kind.value;
    if can {
        let message = "endpoint security is not simulated: frames are neither encrypted nor take longer, and displays \
                       show what the plant defines";
        let warning = inputs.in_plant(numbers::ENDPOINT_SECURITY, span, message);
        inputs.report(
            warning.severity(Severity::Warning).fix("keep it for displays, or drop `endpoint_security`"),
        );
        return;
    }
    let message = format!("a {id} has no endpoint security: it can neither authenticate nor encrypt");
    let error = inputs.in_plant(numbers::ENDPOINT_SECURITY, span, message);
    let error = error.other(inputs.plant.label(&kind.span, "its type"));
    inputs.report(error.fix(format!("drop it, or take another {part}")));
}

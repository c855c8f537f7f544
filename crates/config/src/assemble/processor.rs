//! Processor complex of a machine: its catalog entry with the details from plant and deck.

use halftrack_base::Span;
use halftrack_catalog as catalog;
use halftrack_deck::HcdToken;
use halftrack_deck::model::Deck;
use halftrack_input::Sourced;
use halftrack_input::messages::study as numbers;

use crate::assemble::hardware::duration;
use crate::assemble::inputs::Inputs;
use crate::assemble::sap_placement;
use crate::cpc::{Cpc, DefinitionFile, Eadm};

/// Characters of MSG1 that name the IOCDS.
const IOCDS_NAME_CHARACTERS: usize = 8;

/// Returns the processor complex; nothing when the catalog does not have it.
pub fn cpc(inputs: &Inputs<'_>) -> Option<Cpc> {
    let cpc = inputs.find(&inputs.catalog.cpcs, &inputs.cpc.model)?;
    check_machine_type(inputs, cpc);
    let additional = additional_saps(inputs, cpc);
    let saps = cpc.sap_cores.value + additional;
    let processor = &cpc.processor;
    let drawers = cpc.drawers.as_ref().map_or(0, |drawers| drawers.value);
    // Work of every kind touches the same lines of storage.
    let grown = cpc.growth(additional);
    let iop = |us: &Sourced<f64>| Span::from_us_f64(us.value * grown);
    let eadm = processor.eadm.as_ref();
    Some(Cpc {
        name: inputs.cpc.name,
        iocds: iocds(inputs.deck),
        definition_file: HcdToken::of(&inputs.deck.id).map(definition_file),
        basic: inputs.deck.is_basic(),
        machine_type: cpc.machine_type.value,
        model: cpc.model.clone(),
        drawers,
        sap_cores: sap_placement::place(inputs.cpc, processor.structure.as_ref(), drawers, saps),
        threads_per_core: processor.threads_per_core.value,
        iop_threads: saps * processor.threads_per_core.value,
        iop_start: iop(&processor.iop_start_us),
        iop_interrupt: iop(&processor.iop_interrupt_us),
        iop_retry: iop(&processor.iop_retry_us),
        interrupt_thread_stride: processor.interrupt_thread_stride.value,
        cp_start: duration(&processor.cp_start_us),
        cp_interrupt: duration(&processor.cp_interrupt_us),
        image_serial: processor.image.as_ref().map_or(Span::ZERO, |image| duration(&image.serial_us)),
        eadm: eadm.map(|eadm| Eadm { compression: iop(&eadm.compression_us), scm: iop(&eadm.scm_us) }),
    })
}

/// Checks that the deck is for the machine type of the model.
fn check_machine_type(inputs: &Inputs<'_>, cpc: &catalog::Cpc) {
    let (id, its) = (&inputs.cpc.model, &cpc.machine_type);
    let Some(machine) = inputs.deck.id.machine_type.as_ref().filter(|machine| machine.value != its.value)
    else {
        return;
    };
    let message =
        format!("the deck is for a {}, but {} of the plant is a {}", machine.value, id.value, its.value);
    let (span, words) = (its.span.clone(), "its machine type");
    let number = match &cpc.family {
        Some(family) => inputs.catalog.processors.label(family, span, words),
        None => inputs.catalog.cpcs.label(&id.value, span, words),
    };
    let mut error = inputs
        .in_deck(numbers::OTHER_MACHINE, &machine.span, message)
        .other(inputs.plant.label(&id.span, "model of the plant"))
        .fix("correct SYSTEM= of the ID statement, or `model` of the plant");
    error.others.extend(number);
    inputs.report(error);
}

/// Returns the SAP cores beyond the standard ones, as many as the model may have; more are reported.
fn additional_saps(inputs: &Inputs<'_>, cpc: &catalog::Cpc) -> u16 {
    let Some(wanted) = &inputs.cpc.additional_saps else { return 0 };
    let most = cpc.additional_saps.as_ref().map_or(0, |most| most.value);
    if wanted.value <= most {
        return wanted.value;
    }
    let id = &inputs.cpc.model.value;
    let (message, fix) = match &cpc.additional_saps {
        Some(_) => (
            format!("{id} takes {most} additional SAPs, not {}", wanted.value),
            format!("request at most {most}, or take a larger model"),
        ),
        None => (
            format!("the catalog gives {id} no additional SAPs"),
            "remove `additional_saps`, or take a model that has them".to_owned(),
        ),
    };
    let mut error = inputs.in_plant(numbers::TOO_MANY_SAPS, &wanted.span, message).fix(fix);
    let limit = cpc.additional_saps.as_ref().map(|most| most.span.clone());
    error.others.extend(limit.and_then(|span| inputs.catalog.cpcs.label(id, span, "its limit")));
    inputs.report(error);
    0
}

fn definition_file(token: HcdToken) -> DefinitionFile {
    let created = token.created().unwrap_or_default();
    DefinitionFile { name: token.name, created }
}

/// Returns the IOCDS name: the first characters of MSG1, empty without it (IOCP, ID statement).
fn iocds(deck: &Deck) -> String {
    let message = deck.id.msg1.as_ref().map(|message| message.value.as_str()).unwrap_or_default();
    message.chars().take(IOCDS_NAME_CHARACTERS).collect::<String>().trim_end().to_owned()
}

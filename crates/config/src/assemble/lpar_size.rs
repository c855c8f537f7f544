//! Processors of a partition against those of its machine.

use halftrack_input::messages::study as numbers;
use halftrack_input::{Diagnostic, Severity};

use crate::assemble::inputs::Inputs;
use crate::cpc::Lpar;
use crate::plant;

/// Reports a partition that is larger than its machine, and warns of one that is larger than a drawer. The processors
/// of the latter share their work across drawers, which the twin does not make dearer.
pub fn check(inputs: &Inputs<'_>, wanted: &plant::Lpar, lpar: &Lpar) {
    let inputs = inputs.of(lpar.cpc);
    let id = &inputs.cpc.model.value;
    let Some(cpc) = inputs.catalog.cpcs.get(id) else { return };
    let Some(most) = &cpc.cps else { return };
    let (name, cps) = (&lpar.name, lpar.cps);
    let report = |number, severity, message: String, fix: String| {
        let mut found: Diagnostic = inputs.in_plant(number, &wanted.cps.span, message).severity(severity);
        found.others.extend(inputs.catalog.cpcs.label(id, most.span.clone(), "its central processors"));
        inputs.report(found.fix(fix));
    };
    if cps > most.value {
        let message = format!("{name} has {cps} CPs, but {id} has {} at most", most.value);
        let fix = format!("give it at most {}, or take a larger model", most.value);
        report(numbers::BEYOND_MACHINE, Severity::Error, message, fix);
        return;
    }
    let drawers = cpc.drawers.as_ref().map_or(1, |drawers| u16::from(drawers.value));
    // Drawers need not have the same number of them; the larger ones have this many.
    let of_drawer = most.value.div_ceil(drawers);
    if cps > of_drawer {
        let message = format!("{name} has {cps} CPs, but a drawer of {id} has {of_drawer}");
        let fix = format!("keep it within a drawer: give it at most {of_drawer}");
        report(numbers::BEYOND_DRAWER, Severity::Warning, message, fix);
    }
}

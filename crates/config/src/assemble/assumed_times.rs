//! Control units of the plant of whose times nothing is published.

use halftrack_input::Severity;
use halftrack_input::messages::study as numbers;

use crate::assemble::inputs::Inputs;

/// Reports each control unit whose times lie between those of two others, with the range of the one that decides its rate.
pub fn report(inputs: &Inputs<'_>) {
    for control_unit in &inputs.plant.control_units {
        let id = &control_unit.kind.value;
        let Some(kind) = inputs.catalog.control_units.get(id) else { continue };
        let Some(between) = &kind.between else { continue };
        let read_us = |id: &str| inputs.catalog.control_units.get(id).map(|unit| unit.command.read_4k_us());
        let (Some(older_us), Some(newer_us)) = (read_us(&between.older), read_us(&between.newer)) else {
            continue;
        };
        let message = format!(
            "the times of a {id} are assumed: a read of 4 KiB in command mode takes its port {:.0} us, where {} has {newer_us:.0} and \
             {} {older_us:.0}",
            kind.command.read_4k_us(),
            between.newer,
            between.older,
        );
        let fix = format!(
            "run it with `place` of control-unit/{id}.toml at 0 and at 1 too (--catalog), or with its times"
        );
        let found = inputs.in_plant(numbers::ASSUMED_TIMES, &control_unit.kind.span, message);
        inputs.report(found.severity(Severity::Info).fix(fix));
    }
}

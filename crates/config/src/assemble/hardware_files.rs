//! Hardware files: the cards that are plugged into each machine.

use halftrack_input::messages::compression as numbers;
use halftrack_input::{has_errors, nearest_or_all};
use halftrack_plugging::{Hardware, read_hardware};

use crate::assemble::inputs::Inputs;

/// Returns the hardware of the file that the plant names for each machine; `None` without one, or where it is of no use.
pub fn hardware(inputs: &Inputs<'_>) -> Vec<Option<Hardware>> {
    inputs.each().map(|machine| of_machine(&machine)).collect()
}

fn of_machine(inputs: &Inputs<'_>) -> Option<Hardware> {
    let name = inputs.cpc.hardware.as_ref()?;
    let Some(source) = inputs.plant.hardware.get(&name.value) else {
        let message = format!("the study has no hardware file {}", name.value);
        let fix = nearest_or_all(&name.value, inputs.plant.hardware.keys().map(String::as_str));
        inputs.report(inputs.in_plant(numbers::NO_HARDWARE_FILE, &name.span, message).fix(fix));
        return None;
    };
    let (hardware, found) = read_hardware(source, inputs.catalog);
    let is_right = !has_errors(&found);
    found.into_iter().for_each(|one| inputs.report(one));
    hardware.filter(|_| is_right)
}

//! A deck for another machine than the one that its cards are plugged into.

use halftrack_deck::Reading;
use halftrack_input::Diagnostic;
use halftrack_input::messages::deck::OTHER_HARDWARE;

use crate::hardware::Hardware;

/// An error when `reading` was checked against the limits of another machine than `hardware` is of. Nothing is wrong where
/// the hardware does not say what it is, or the deck names no machine.
pub fn other_machine(reading: &Reading, hardware: &Hardware) -> Option<Diagnostic> {
    let its = hardware
        .machine()
        .filter(|its| !reading.assumed && its.machine_type != reading.machine.machine_type)?;
    let coded = reading.understood().and_then(|deck| deck.id.machine_type.as_ref());
    let span = coded.map_or(0..0, |coded| coded.span.clone());
    let words = format!(
        "the deck is checked as a {} ({}), but the hardware is a {} ({})",
        reading.machine.machine_type, reading.machine.name, its.machine_type, its.name
    );
    let fix = format!(
        "correct SYSTEM= or `machine_type` of the hardware; --machine {} checks the deck for the hardware",
        its.machine_type
    );
    Some(Diagnostic::error(OTHER_HARDWARE, &reading.script.source, span, words).fix(fix))
}

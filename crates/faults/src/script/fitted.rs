//! A file's events fitted to a machine.

use halftrack_config::fault_script::{ScriptFile, WrittenEvent};
use halftrack_input::messages::study;
use halftrack_input::{Diagnostic, nearest_or_all};

use super::{FaultEvent, Part, Script};
use crate::machine::Machine;

impl Script {
    /// Returns the script of a file for a machine.
    ///
    /// # Errors
    /// A message for every event whose part the machine does not have.
    pub fn from_file(file: &ScriptFile, machine: &Machine) -> Result<Self, Vec<Diagnostic>> {
        let (mut events, mut missing) = (Vec::new(), Vec::new());
        for event in &file.events {
            match part(file, machine, event) {
                Ok(part) => events.push(FaultEvent {
                    at: event.at.value,
                    lasts: event.lasts.value,
                    kind: event.kind,
                    part,
                    share_ppm: ((event.share * 1e6).round() as u32).max(1),
                    late: event.late,
                }),
                Err(diagnostic) => missing.push(*diagnostic),
            }
        }
        events.sort_by_key(|event| event.at);
        if missing.is_empty() { Ok(Self { duration: file.duration, events }) } else { Err(missing) }
    }
}

fn part(file: &ScriptFile, machine: &Machine, event: &WrittenEvent) -> Result<Part, Box<Diagnostic>> {
    let Some((target, name)) = &event.part else { return Ok(Part::ControlUnit) };
    let named: Vec<(Part, String)> = machine
        .parts()
        .filter_map(|part| part.name().filter(|(of, _)| of == target).map(|(_, name)| (part, name)))
        .collect();
    if let Some((part, _)) = named.iter().find(|(_, known)| *known == name.value) {
        return Ok(*part);
    }
    let message = format!("the machine has no {} {}", target.key(), name.value);
    let fix = if named.is_empty() {
        format!("remove the event: a machine like this has no {}", target.key())
    } else {
        nearest_or_all(&name.value, named.iter().map(|(_, name)| name.as_str()))
    };
    let error = Diagnostic::error(study::EVENT_MISSES, &file.source, name.span.clone(), message);
    Err(Box::new(error.fix(fix)))
}

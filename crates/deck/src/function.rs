//! FUNCTION and UUID: the rules that need no knowledge of functions; the statements themselves stay as coded in
//! the script of the deck.
//!
//! Reference: IOCP, sections 2.3, 2.7; R179, R206.

use crate::definitions::Definitions;
use crate::findings::Findings;
use crate::function_types::{FUNCTION_TYPES, FunctionType};
use crate::number::malformed;
use crate::statement::Statement;

/// Checks a FUNCTION or UUID statement.
pub(crate) fn read(statement: &Statement, definitions: &Definitions, findings: &mut Findings) {
    let machine = definitions.machine;
    if machine.fid_max.is_none() {
        let word = &statement.operation;
        let message = findings
            .error(179, &word.span, format!("{} is not known on a {}", word.value, machine.machine_type))
            .fix("remove the statement, or name the right machine in SYSTEM= of ID");
        findings.report(message);
        return;
    }
    let Some(value) = statement.value("TYPE") else { return };
    let name = value.sole().atom().unwrap_or_default();
    match FunctionType::of(name) {
        None => {
            let here = FUNCTION_TYPES.iter().filter(|kind| kind.exists_on(machine));
            let names: Vec<&str> = here.map(|kind| kind.name).collect();
            malformed(value, &format!("a function type ({})", names.join(", ")), findings);
        }
        Some(kind) if !kind.exists_on(machine) => {
            let words = format!("TYPE={name} does not exist on a {}", machine.machine_type);
            let message = findings
                .error(206, &value.span, words)
                .fix("use a type of this machine, or name the right machine in SYSTEM= of ID");
            findings.report(message);
        }
        Some(_) => {}
    }
}

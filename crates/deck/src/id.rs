//! ID: messages, machine type and limits level.
//!
//! Reference: IOCP, section 2.1.

use crate::definitions::Definitions;
use crate::findings::Findings;
use crate::machines::{MACHINES, Machine};
use crate::model::Located;
use crate::number::{malformed, plain_decimal};
use crate::operand::{Form, Value};
use crate::statement::Statement;

/// Takes in the ID statement.
pub(crate) fn read(statement: &Statement, definitions: &mut Definitions, findings: &mut Findings) {
    for keyword in ["MSG1", "MSG2"] {
        let Some(value) = statement.value(keyword) else { continue };
        match &value.form {
            Form::Quoted(text) if keyword == "MSG1" => {
                definitions.msg1 = Some(Located::new(text.clone(), value.span.clone()));
            }
            Form::Quoted(_) => {}
            _ => malformed(value, "a string in apostrophes", findings),
        }
    }
    if let Some(value) = statement.value("SYSTEM") {
        read_system(value, definitions, findings);
    }
    if let Some(value) = statement.value("LSYSTEM") {
        let name = value.atom().unwrap_or_default();
        let valid = (1..=8).contains(&name.len()) && name.chars().all(|ch| ch.is_ascii_alphanumeric());
        if !valid {
            malformed(value, "a name of 1-8 letters and digits", findings);
        }
    }
}

/// `SYSTEM=3931`, `SYSTEM=(3931,1)`.
fn read_system(value: &Value, definitions: &mut Definitions, findings: &mut Findings) {
    let (first, rest) = match value.elements() {
        [first, rest @ ..] if rest.len() <= 1 => (first, rest),
        _ => return malformed(value, "(machine type,limits level)", findings),
    };
    if let Some(level) = rest.first().filter(|level| plain_decimal(level).is_none()) {
        malformed(level, "a limits level such as 1", findings);
    }
    let machine_type = first.sole().atom().and_then(|word| word.parse::<u16>().ok());
    match machine_type.and_then(Machine::of) {
        Some(machine) => {
            definitions.machine = machine;
            definitions.machine_type = Some(Located::new(machine.machine_type, first.span.clone()));
        }
        None => {
            let known: Vec<String> =
                MACHINES.iter().map(|machine| machine.machine_type.to_string()).collect();
            let message = findings
                .error(140, &first.span, format!("machine type \"{first}\" is not known"))
                .fix(format!("machine types are {}", known.join(", ")));
            findings.report(message);
        }
    }
}

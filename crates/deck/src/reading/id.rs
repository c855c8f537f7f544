//! ID: messages, machine type and limits level.
//!
//! Reference: IOCP, section 2.1.

use halftrack_input::{Located, Severity};

use crate::model::machines::{MACHINES, Machine};
use crate::rules::definitions::Definitions;
use crate::syntax::findings::Findings;
use crate::syntax::number::{malformed, plain_decimal};
use crate::syntax::operand::{Form, Value};
use crate::syntax::statement::Statement;

/// Largest limits level: the manuals print one digit (M).
const LEVEL_MAX: u8 = 9;

/// Takes in the ID statement.
pub(crate) fn read(statement: &Statement, definitions: &mut Definitions, findings: &mut Findings) {
    definitions.id.msg1 = read_string(statement, "MSG1", findings);
    definitions.id.msg2 = read_string(statement, "MSG2", findings);
    if let Some(value) = statement.value("SYSTEM") {
        read_system(value, definitions, findings);
    }
    if let Some(value) = statement.value("LSYSTEM") {
        definitions.id.lsystem = read_system_name(value, findings);
    }
    definitions.id.token =
        statement.value("TOK").map(|value| Located::new(value.to_string(), value.span.clone()));
}

fn read_string(statement: &Statement, keyword: &str, findings: &mut Findings) -> Option<Located<String>> {
    let value = statement.value(keyword)?;
    match &value.form {
        Form::Quoted(text) => Some(Located::new(text.clone(), value.span.clone())),
        _ => {
            malformed(value, "a string in apostrophes", findings);
            None
        }
    }
}

/// Reads the name of a machine: LSYSTEM of ID, CSYSTEM of CHPID.
pub(crate) fn read_system_name(value: &Value, findings: &mut Findings) -> Option<Located<String>> {
    let name = value.sole().atom().unwrap_or_default();
    let valid = (1..=8).contains(&name.len()) && name.chars().all(|ch| ch.is_ascii_alphanumeric());
    if !valid {
        malformed(value, "a name of 1-8 letters and digits", findings);
    }
    valid.then(|| Located::new(name.to_owned(), value.span.clone()))
}

/// Returns the machine that `statement` names, whatever other faults it has.
pub(crate) fn machine_of(statement: &Statement) -> Option<&'static Machine> {
    let first = statement.value("SYSTEM")?.elements().first()?;
    first.sole().atom()?.parse().ok().and_then(Machine::of)
}

/// Reads `SYSTEM=3931`, `SYSTEM=(3931,1)`.
fn read_system(value: &Value, definitions: &mut Definitions, findings: &mut Findings) {
    let (first, rest) = match value.elements() {
        [first, rest @ ..] if rest.len() <= 1 => (first, rest),
        _ => return malformed(value, "(machine type,limits level)", findings),
    };
    let machine_type = first.sole().atom().and_then(|word| word.parse::<u16>().ok());
    let machine = machine_type.and_then(Machine::of);
    if let Some(level) = rest.first() {
        read_level(level, machine, definitions, findings);
    }
    match machine {
        Some(machine) => {
            definitions.id.machine_type = Some(Located::new(machine.machine_type, first.span.clone()));
        }
        None => {
            let known: Vec<String> =
                MACHINES.iter().map(|machine| machine.machine_type.to_string()).collect();
            let message = findings
                .error(140, &first.span, format!("machine type \"{first}\" is unknown"))
                .fix(format!("machine types are {}", known.join(", ")));
            findings.report(message);
        }
    }
}

/// Reads the limits level. An unknown one may still be right, and no limit depends on it: a warning.
fn read_level(
    value: &Value,
    machine: Option<&Machine>,
    definitions: &mut Definitions,
    findings: &mut Findings,
) {
    let digit = plain_decimal(value).and_then(|level| u8::try_from(level).ok());
    let Some(digit) = digit.filter(|digit| (1..=LEVEL_MAX).contains(digit)) else {
        return malformed(value, "a limits level such as 1", findings);
    };
    if let Some(machine) = machine.filter(|machine| !machine.levels.contains(&digit)) {
        let words = format!("limits level {digit} is unknown; no limit depends on it");
        let message = findings.error(140, &value.span, words).severity(Severity::Warning);
        findings.report(message.fix(machine.levels_words()));
    }
    definitions.id.level = Some(Located::new(digit, value.span.clone()));
}

//! Values that several statements take: Y or N, the protocol of a parallel control unit, PNETID.
//!
//! Reference: IOCP, sections 2.4-2.7; R140. Empty elements of PNETID matter, `(,NET2)` (EBNF of section 1).

use crate::syntax::findings::Findings;
use crate::syntax::number::malformed;
use crate::syntax::operand::{Form, Value};
use crate::syntax::statement::Statement;

/// Longest name of a physical network (V).
const NAME_LENGTH_MAX: usize = 16;

/// Reads `keyword=Y` or `=N`.
pub(crate) fn yes_no(statement: &Statement, keyword: &str, findings: &mut Findings) -> Option<bool> {
    let value = statement.value(keyword)?;
    match value.sole().atom() {
        Some("Y") => Some(true),
        Some("N") => Some(false),
        _ => {
            malformed(value, "Y or N", findings);
            None
        }
    }
}

/// Reads `PROTOCL=`: direct-coupled interlock, data streaming at 3 or at 4.5 MB/s.
pub(crate) fn protocol(statement: &Statement, findings: &mut Findings) -> Option<String> {
    let value = statement.value("PROTOCL")?;
    let word = value.sole().atom().unwrap_or_default();
    if !matches!(word, "D" | "S" | "S4") {
        malformed(value, "D, S or S4", findings);
        return None;
    }
    Some(word.to_owned())
}

/// Reads PNETID, the names of physical networks by port; `None` for a port that is left out.
pub(crate) fn networks(value: &Value, findings: &mut Findings) -> Vec<Option<String>> {
    let mut names = Vec::new();
    for element in value.elements() {
        let element = element.sole();
        if element.form == Form::Empty {
            names.push(None);
            continue;
        }
        let name = element.atom().unwrap_or_default();
        let letters = name.chars().all(|ch| ch.is_ascii_uppercase() || ch.is_ascii_digit());
        if !letters || !(1..=NAME_LENGTH_MAX).contains(&name.len()) {
            malformed(element, "a PNETID of 1-16 letters and digits", findings);
        }
        names.push(Some(name.to_owned()));
    }
    names
}

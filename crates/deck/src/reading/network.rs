//! Physical networks: PNETID of CHPID and FUNCTION, one name for each port.
//!
//! Reference: IOCP, sections 2.4, 2.7 and the EBNF of section 1: empty elements matter, `(,NET2)`.

use crate::syntax::findings::Findings;
use crate::syntax::number::malformed;
use crate::syntax::operand::{Form, Value};

/// Longest name of a physical network (V).
const NAME_LENGTH_MAX: usize = 16;

/// Reads the names by port; `None` for a port that is left out.
pub(crate) fn read(value: &Value, findings: &mut Findings) -> Vec<Option<String>> {
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

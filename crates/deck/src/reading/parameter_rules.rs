//! Values that are one word out of a few: Y or N, the protocol of a parallel control unit.
//!
//! Reference: IOCP, sections 2.5, 2.6; R140.

use crate::syntax::findings::Findings;
use crate::syntax::number::malformed;
use crate::syntax::statement::Statement;

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

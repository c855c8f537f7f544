//! Coupling links on CHPID: adapter, port, and the channel path at the other end.
//!
//! Reference: IOCP, sections 2.4, 2.8; R126, R140, R165, R167.

use halftrack_input::Located;

use crate::model::css_list::split;
use crate::reading::id::read_system_name;
use crate::rules::definitions::Definitions;
use crate::syntax::findings::Findings;
use crate::syntax::number::{ADAPTER, CHPID, decimal, hex, hex_byte, malformed};
use crate::syntax::operand::Value;
use crate::syntax::statement::Statement;

/// Largest port number of any adapter: coupling adapters count from 1, PCHIDs with two ports too (M).
const PORT_MAX: u32 = 4;

/// The values of a coupling link in CHPID.
#[derive(Debug, Default)]
pub(crate) struct Coupling {
    pub(crate) aid: Option<Located<u16>>,
    pub(crate) port: Option<Located<u8>>,
    pub(crate) cpath: Option<Located<(u8, u8)>>,
    pub(crate) csystem: Option<Located<String>>,
}

/// Reads AID, PORT, CPATH and CSYSTEM of a channel path, the first of whose channel subsystems is `own`.
pub(crate) fn read(
    statement: &Statement,
    own: Option<u8>,
    definitions: &Definitions,
    findings: &mut Findings,
) -> Coupling {
    let value = |keyword: &str| statement.value(keyword).map(Value::sole);
    Coupling {
        aid: value("AID")
            .and_then(|value| Some(Located::new(hex(value, ADAPTER, findings)?, value.span.clone()))),
        port: value("PORT").and_then(|value| {
            let port = decimal(value, "a port", 0..=PORT_MAX, findings)?;
            Some(Located::new(u8::try_from(port).ok()?, value.span.clone()))
        }),
        cpath: statement.value("CPATH").and_then(|value| read_cpath(value, own, definitions, findings)),
        csystem: statement.value("CSYSTEM").and_then(|value| read_system_name(value, findings)),
    }
}

/// Reads CPATH: `81`, `(CSS(0),81)`. The CSS is one of the other machine, unless the link ends in this one.
fn read_cpath(
    value: &Value,
    own: Option<u8>,
    definitions: &Definitions,
    findings: &mut Findings,
) -> Option<Located<(u8, u8)>> {
    let sublists = split(value);
    let [sublist] = sublists.as_slice() else {
        malformed(value, "one CHPID as (CSS(n),xx)", findings);
        return None;
    };
    let css = match sublist.tag {
        // The other machine may have more channel subsystems than this one: only the form can be judged.
        Some(tag) => *tag.css_ids(findings).first()?,
        None => definitions.partitions.untagged_css().or(own)?,
    };
    let [chpid] = sublist.values else {
        malformed(value, "one CHPID as (CSS(n),xx)", findings);
        return None;
    };
    let chpid = chpid.sole();
    Some(Located::new((css, hex_byte(chpid, CHPID, findings)?), chpid.span.clone()))
}

//! How many adapters of a function type a machine takes, where that is published.

use std::collections::BTreeSet;

use halftrack_input::messages::deck::TOO_MANY_ADAPTERS;

use crate::model::function_types::FUNCTION_TYPES;
use crate::model::{Adapter, Function};
use crate::rules::definitions::Definitions;
use crate::syntax::findings::Findings;

/// Reports the first function on an adapter past a limit, when all functions are known. Functions of one adapter count
/// once.
pub(crate) fn check(definitions: &Definitions, findings: &mut Findings) {
    let machine = definitions.machine;
    for kind in &FUNCTION_TYPES {
        let Some(limit) = kind.adapters_on(machine) else { continue };
        let is_one = |one: &&Function| type_of(one) == Some(kind.name);
        let mut adapters = BTreeSet::new();
        let mut past = None;
        for function in definitions.functions.iter().filter(is_one) {
            let Some(adapter) = &function.adapter else { continue };
            let Adapter::Pchid(pchid) = adapter.value else { continue };
            if adapters.insert(pchid) && adapters.len() == limit.count + 1 {
                past = Some((function, adapter));
            }
        }
        let Some((function, adapter)) = past else { continue };
        findings.about(format!("FUNCTION {:04X}", function.fid.value));
        let words = format!(
            "{} adapters of TYPE={} ({}); a {} takes {}, as {} says",
            adapters.len(),
            kind.name,
            kind.what,
            machine.machine_type,
            limit.count,
            limit.source
        );
        let message = findings.error(TOO_MANY_ADAPTERS, &adapter.span, words);
        findings.report(message.fix("put the functions on fewer adapters, or check SYSTEM="));
    }
}

/// Returns the type of `function`.
///
/// It need not be coded on the zEC12, where a RoCE adapter has networks and a zEDC adapter virtual functions; any
/// other is unknown.
fn type_of(function: &Function) -> Option<&str> {
    match &function.kind {
        Some(kind) => Some(&kind.value),
        None if function.pnetids.iter().any(Option::is_some) => Some("ROCE"),
        None => function.vf.as_ref().map(|_| "ZEDC"),
    }
}

//! FUNCTION: PCIe functions, which belong to no channel subsystem.
//!
//! Reference: IOCP, section 2.7; R122, R126, R139, R140, R148, R149, R156, R179, R180, R202, R206, R220; the rules
//! between functions in [`crate::rules::functions`].

use halftrack_input::messages::deck::SEVERAL_ACCESS;
use halftrack_input::messages::iocp::KEYWORD_NOT_FOR_TYPE;
use halftrack_input::{Located, Severity};

use crate::model::function_types::{self, FUNCTION_TYPES, FunctionType};
use crate::model::machines::Generation;
use crate::model::partitions::PartitionSet;
use crate::model::{Adapter, Function};
use crate::reading::values;
use crate::rules;
use crate::rules::definitions::Definitions;
use crate::syntax::findings::Findings;
use crate::syntax::number::{FUNCTION, Hex, PARAMETER, PCHID, USER, decimal, hex, hex_byte, malformed};
use crate::syntax::operand::{Form, Value};
use crate::syntax::statement::Statement;

/// Functions of one statement (V).
const COUNT_MAX: u32 = 255;
/// Largest VF of any type; the types have limits of their own.
const VF_MAX: u32 = 255;
/// Ports of an adapter.
const PORT_MAX: u32 = 2;

/// Takes in a FUNCTION statement.
pub(crate) fn read(statement: &Statement, definitions: &mut Definitions, findings: &mut Findings) {
    if !is_known(statement, definitions, findings) {
        return;
    }
    let before = findings.errors();
    let identity = statement.value("FID").and_then(|value| read_fid(value, definitions, findings));
    let kind = read_kind(statement, definitions, findings);
    let adapter = read_adapter(statement, kind, findings);
    let port = statement
        .value("PORT")
        .map(Value::sole)
        .and_then(|value| decimal(value, "a port", 1..=PORT_MAX, findings))
        .and_then(|port| u8::try_from(port).ok());
    let vf = statement.value("VF").map(Value::sole).and_then(|value| {
        let vf = decimal(value, "a virtual function", 1..=VF_MAX, findings)?;
        Some(Located::new(u16::try_from(vf).ok()?, value.span.clone()))
    });
    let (access, candidates) = read_partitions(statement, definitions, findings);
    let pnetids =
        statement.value("PNETID").map(|value| values::networks(value, findings)).unwrap_or_default();
    let fidparm = statement.value("FIDPARM").and_then(|value| hex_byte(value.sole(), PARAMETER, findings));
    let uid = statement.value("UID").map(Value::sole).and_then(|value| read_uid(value, findings));
    let Some((fid, count)) = identity else { return };
    let function = Function {
        fid,
        count,
        kind: statement
            .value("TYPE")
            .and_then(|value| Some(Located::new(value.sole().atom()?.to_owned(), value.span.clone()))),
        adapter,
        port,
        vf,
        pf: statement.flag("PF").is_some(),
        access: definitions.partitions.names(access).into_iter().next(),
        candidates: definitions.partitions.names(candidates - access),
        pnetids,
        fidparm,
        uid,
        span: statement.span.clone(),
    };
    if findings.errors() == before {
        rules::functions::check(statement, &function, kind, definitions, findings);
    }
    definitions.functions.push(function);
}

/// Takes in a UUID statement: partitions with or without the tag of their CSS.
pub(crate) fn read_uuid(statement: &Statement, definitions: &mut Definitions, findings: &mut Findings) {
    if !is_known(statement, definitions, findings) {
        return;
    }
    let Some(value) = statement.value("PART") else { return };
    let names: Vec<&Value> = value.leaves();
    let set = definitions.partitions.resolve_any(&names, findings);
    definitions.uuid.extend(definitions.partitions.names(set));
}

/// Checks R179: a machine without functions.
fn is_known(statement: &Statement, definitions: &Definitions, findings: &mut Findings) -> bool {
    let machine = definitions.machine;
    if machine.fid_max.is_none() {
        let word = &statement.operation;
        let message = findings
            .error(179, &word.span, format!("{} is unknown on a {}", word.value, machine.machine_type))
            .fix("remove the statement, or name the right machine in SYSTEM= of ID");
        findings.report(message);
    }
    machine.fid_max.is_some()
}

/// Reads FID: `011`, `(0011,002)`.
fn read_fid(
    value: &Value,
    definitions: &Definitions,
    findings: &mut Findings,
) -> Option<(Located<u16>, u16)> {
    let (first, count) = match value.elements() {
        [first] => (first.sole(), None),
        [first, count] => (first.sole(), Some(count)),
        _ => {
            malformed(value, "(function identifier,count)", findings);
            return None;
        }
    };
    let fid = hex(first, FUNCTION, findings)?;
    let count = match count {
        Some(count) => decimal(count, "a number of functions", 1..=COUNT_MAX, findings)?,
        None => 1,
    };
    let max = definitions.machine.fid_max.unwrap_or_default();
    if u32::from(fid) + count - 1 > u32::from(max) {
        let last = u32::from(fid) + count - 1;
        let words =
            format!("function {last:X} is beyond the last one of a {}, {max:X}", machine(definitions));
        findings.report(findings.error(140, &first.span, words).fix(format!("use FID 0-{max:X}")));
        return None;
    }
    Some((Located::new(fid, first.span.clone()), u16::try_from(count).ok()?))
}

fn machine(definitions: &Definitions) -> u16 {
    definitions.machine.machine_type
}

/// Reads TYPE: R140, R206, R220.
fn read_kind(
    statement: &Statement,
    definitions: &Definitions,
    findings: &mut Findings,
) -> Option<&'static FunctionType> {
    let machine = definitions.machine;
    let here = || FUNCTION_TYPES.iter().filter(|kind| kind.exists_on(machine)).map(|kind| kind.name);
    let Some(value) = statement.value("TYPE") else {
        // The adapter gives the type on a zEC12, which has two.
        if machine.generation > Generation::Zec12 {
            let names: Vec<&str> = here().collect();
            let message = findings.error(220, &statement.operation.span, "FUNCTION needs TYPE").fix(format!(
                "add TYPE=; a {} has {}",
                machine.machine_type,
                names.join(", ")
            ));
            findings.report(message);
        }
        return None;
    };
    let name = value.sole().atom().unwrap_or_default();
    match FunctionType::of(name) {
        None if let Some(words) = function_types::elsewhere(name) => {
            let message =
                findings.error(140, &value.span, format!("{name} is not a PCIe function")).fix(words);
            findings.report(message);
            None
        }
        None => {
            let names: Vec<&str> = here().collect();
            malformed(value, &format!("a function type ({})", names.join(", ")), findings);
            None
        }
        Some(kind) if !kind.exists_on(machine) => {
            let words = format!("TYPE={name} does not exist on a {}", machine.machine_type);
            let message = findings
                .error(206, &value.span, words)
                .fix("use a type of this machine, or name the right machine in SYSTEM= of ID");
            findings.report(message);
            None
        }
        kind => kind,
    }
}

/// Reads PCHID or VCHID, as the type has it; R122, R139, R202.
fn read_adapter(
    statement: &Statement,
    kind: Option<&FunctionType>,
    findings: &mut Findings,
) -> Option<Located<Adapter>> {
    let number = |keyword: &str, kind: Hex, findings: &mut Findings| {
        let value = statement.value(keyword).map(Value::sole)?;
        Some(Located::new(hex(value, kind, findings)?, value.span.clone()))
    };
    let pchid = number("PCHID", PCHID, findings);
    let vchid = number("VCHID", PCHID, findings);
    let is_virtual = kind.is_some_and(|kind| kind.is_virtual);
    let (right, wrong) = if is_virtual { ("VCHID", "PCHID") } else { ("PCHID", "VCHID") };
    if let (Some(kind), Some(item)) = (kind, statement.item(wrong)) {
        let span = item.keyword.as_ref().map_or(&item.value.span, |word| &word.span);
        let message = findings
            .error(KEYWORD_NOT_FOR_TYPE, span, format!("{wrong} is meaningless for TYPE={}", kind.name))
            .fix(format!("code {right}="));
        findings.report(message);
    } else if kind.is_some() && statement.item(right).is_none() {
        let span = &statement.operation.span;
        let message = if is_virtual {
            findings.error(122, span, "FUNCTION needs VCHID").fix("add VCHID=")
        } else {
            findings
                .error(139, span, "the function has no PCHID")
                .severity(Severity::Warning)
                .fix("assign a PCHID: without one the deck can be verified, not written")
        };
        findings.report(message);
    }
    let located = |adapter, span| Located::new(adapter, span);
    pchid
        .map(|pchid| located(Adapter::Pchid(pchid.value), pchid.span))
        .or_else(|| vchid.map(|vchid| located(Adapter::Vchid(vchid.value), vchid.span)))
}

/// Reads the partition with access and the candidates: `LP1`, `((LP1),(LP2,LP3))`, `((0),(LP1))`, `((LP1),(=))`.
fn read_partitions(
    statement: &Statement,
    definitions: &Definitions,
    findings: &mut Findings,
) -> (PartitionSet, PartitionSet) {
    let nobody = PartitionSet::default();
    let Some(value) = statement.value("PART") else { return (nobody, nobody) };
    let partitions = &definitions.partitions;
    let elements = value.elements();
    let nested = elements.iter().any(|element| matches!(element.form, Form::List(_) | Form::Empty));
    let (access, candidates, junk) = match elements {
        [access, candidates, junk @ ..] if nested => (access.elements(), Some(candidates), junk.first()),
        [access] if nested => (access.elements(), None, None),
        _ => (elements, None, None),
    };
    if let Some(junk) = junk {
        let words = format!("unexpected \"{junk}\" behind the candidate list");
        findings.report(findings.error(148, &junk.span, words).fix("write ((access),(candidates))"));
    }
    let names: Vec<&Value> = access.iter().filter(|name| name.form != Form::Empty).collect();
    let is_nobody = matches!(names.as_slice(), [] | [Value { .. }])
        && names.iter().all(|name| name.sole().atom() == Some("0"));
    let access = if is_nobody { nobody } else { partitions.resolve_any(&names, findings) };
    if let (false, [_, second, ..]) = (is_nobody, names.as_slice()) {
        let message = findings
            .error(SEVERAL_ACCESS, &second.span, "a function belongs to one partition at a time")
            .fix("write ((access),(candidates)): further partitions are candidates");
        findings.report(message);
    }
    let candidates = match candidates.map(|value| (value, value.sole())) {
        None => Some(partitions.all_named()),
        Some((_, Value { form: Form::Empty, .. })) => Some(partitions.all_named()),
        Some((_, same)) if same.atom() == Some("=") => None,
        Some((value, Value { form: Form::List(names), .. })) if names.is_empty() => {
            malformed(value, "a candidate list, (=) for an empty one,", findings);
            None
        }
        Some((value, _)) => {
            let names: Vec<&Value> = value.elements().iter().collect();
            Some(partitions.resolve_any(&names, findings))
        }
    };
    if candidates.is_none() && is_nobody {
        let message = findings
            .error(
                180,
                &value.span,
                "no partition has access and none is a candidate: no partition can use it",
            )
            .fix("name the partition with access, or candidates");
        findings.report(message);
    }
    (access, candidates.unwrap_or_default())
}

fn read_uid(value: &Value, findings: &mut Findings) -> Option<Located<u16>> {
    let uid = hex(value, USER, findings)?;
    if uid == 0 {
        findings.report(findings.error(140, &value.span, "UID 0 means no UID").fix("use UID 1-FFFF"));
        return None;
    }
    Some(Located::new(uid, value.span.clone()))
}

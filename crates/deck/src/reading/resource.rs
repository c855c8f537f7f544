//! RESOURCE: the logical partitions, their MIF image ids, and the device slots of each channel subsystem.
//!
//! Reference: IOCP, section 2.2; R140, R155-R157, R162, R164.

use halftrack_input::{Located, Severity};

use crate::model::Partition;
use crate::model::css_list::{CssScope, split};
use crate::model::machines::{Machine, SUBCHANNEL_SET_DEVICES_MAX};
use crate::model::partitions::{CONSOLE, Partitions};
use crate::rules::definitions::Definitions;
use crate::syntax::findings::Findings;
use crate::syntax::number::{malformed, plain_decimal};
use crate::syntax::operand::{Form, Value};
use crate::syntax::statement::Statement;

/// A partition before its MIF id is settled.
struct Draft {
    css: u8,
    name: Option<String>,
    mif: Option<Located<u8>>,
    span: std::ops::Range<usize>,
}

/// Takes in the RESOURCE statement.
pub(crate) fn read(statement: &Statement, definitions: &mut Definitions, findings: &mut Findings) {
    let machine = definitions.machine;
    let mut drafts = Vec::new();
    if let Some(value) = statement.value("PART") {
        read_partitions(value, machine, &mut drafts, findings);
    }
    check_counts(&drafts, machine, findings);
    let partitions = settle(drafts, findings);
    if let Some(value) = statement.value("MAXDEV") {
        definitions.device_slots = read_device_slots(value, machine, &partitions, findings);
    } else if machine.has_pchids() {
        // Space for devices is reserved by channel subsystem since machines have several (M).
        let message = findings
            .error(
                162,
                &statement.operation.span,
                "MAXDEV is not coded: space for the maximum will be reserved",
            )
            .severity(Severity::Warning)
            .fix("add MAXDEV=((CSS(0),65280,65535))");
        findings.report(message);
    }
    definitions.partitions = Partitions::new(partitions);
}

fn read_partitions(
    value: &Value,
    machine: &'static Machine,
    drafts: &mut Vec<Draft>,
    findings: &mut Findings,
) {
    let sublists = split(value);
    // Without any tag there is only CSS 0 (G17); beside tagged lists a missing tag is an error (R165).
    let untagged = (sublists.len() == 1).then_some(0);
    let scope = CssScope { machine, partitions: None, untagged };
    for sublist in &sublists {
        let Some(css) = scope.one(sublist, findings) else { continue };
        // `PART=(LP1,1)` is one partition with its MIF id: no name begins with a digit.
        let pair =
            matches!(sublist.values, [_, mif] if sublist.tag.is_none() && plain_decimal(mif).is_some());
        if pair {
            read_partition(css, value, drafts, findings);
            continue;
        }
        for element in sublist.values {
            read_partition(css, element, drafts, findings);
        }
    }
}

/// Reads `name`, `(name)`, `(name,mif)` or `(*,mif)`.
fn read_partition(css: u8, value: &Value, drafts: &mut Vec<Draft>, findings: &mut Findings) {
    let (name, mif) = match value.elements() {
        [name] => (name, None),
        [name, mif] => (name, Some(mif)),
        _ => return malformed(value, "a partition as name or (name,mif)", findings),
    };
    let mif = match mif.map(|mif| (mif, mif_id(mif))) {
        None => None,
        Some((mif, Some(id))) => Some(Located::new(id, mif.span.clone())),
        Some((mif, None)) => return malformed(mif, "a MIF id 1-F", findings),
    };
    let span = name.span.clone();
    match name.atom() {
        Some("*") if mif.is_some() => drafts.push(Draft { css, name: None, mif, span }),
        Some("*") => malformed(value, "a reserved partition as (*,mif)", findings),
        Some(word) if is_partition_name(word) => {
            drafts.push(Draft { css, name: Some(word.to_owned()), mif, span });
        }
        _ => malformed(
            name,
            "a partition name (1-8 of A-Z 0-9, first a letter, not a reserved word)",
            findings,
        ),
    }
}

fn mif_id(value: &Value) -> Option<u8> {
    let word = value.atom().filter(|word| word.len() == 1)?;
    u8::from_str_radix(word, 16).ok().filter(|id| *id > 0)
}

fn is_partition_name(name: &str) -> bool {
    let reserved = matches!(name, "PHYSICAL" | "REC" | "SYSTEM")
        || name
            .strip_prefix("PRIM")
            .is_some_and(|rest| rest.len() == 4 && rest.chars().all(|ch| ch.is_ascii_digit()));
    if name == CONSOLE {
        return true;
    }
    !reserved
        && name.len() <= 8
        && name.starts_with(|ch: char| ch.is_ascii_uppercase())
        && name.chars().all(|ch| ch.is_ascii_uppercase() || ch.is_ascii_digit())
}

/// Checks R157, of each channel subsystem and of the machine.
fn check_counts(drafts: &[Draft], machine: &Machine, findings: &mut Findings) {
    let before = findings.errors();
    for css in 0..machine.css_count {
        let limit = usize::from(machine.partition_count_in(css));
        let mine = || drafts.iter().filter(|draft| draft.css == css);
        if let Some(over) = mine().nth(limit) {
            let words = format!("CSS {css} has {} partitions, limit {limit}", mine().count());
            findings.report(findings.error(157, &over.span, words).fix("move partitions to another CSS"));
        }
    }
    let limit = usize::from(machine.partition_count);
    if let Some(over) = drafts.get(limit).filter(|_| findings.errors() == before) {
        let words = format!("a {} has at most {limit} partitions", machine.machine_type);
        findings.report(findings.error(157, &over.span, words).fix("drop partitions"));
    }
}

/// Checks R155, R156, and gives each partition without a MIF id the lowest free one.
fn settle(drafts: Vec<Draft>, findings: &mut Findings) -> Vec<Partition> {
    let shown = |draft: &Draft| draft.name.clone().unwrap_or_else(|| "a reserved partition".to_owned());
    for (index, draft) in drafts.iter().enumerate() {
        let earlier = &drafts[..index];
        let same_mif = |other: &&Draft| {
            let ids = (&draft.mif, &other.mif);
            other.css == draft.css && matches!(ids, (Some(mine), Some(its)) if mine.value == its.value)
        };
        if let (Some(mif), Some(other)) = (&draft.mif, earlier.iter().find(same_mif)) {
            let words = format!(
                "MIF {:X} in CSS {} is used by {} and {}",
                mif.value,
                draft.css,
                shown(other),
                shown(draft)
            );
            let message = findings
                .error(155, &mif.span, words)
                .other(findings.label(&other.span, "used first here"))
                .fix("give each partition of a CSS its own MIF id");
            findings.report(message);
        }
        let same_name = |other: &&Draft| draft.name.is_some() && other.name == draft.name;
        if let Some(other) = earlier.iter().find(same_name) {
            let message = findings
                .error(156, &draft.span, format!("duplicate partition {}", shown(draft)))
                .other(findings.label(&other.span, "named first here"))
                .fix("give each partition its own name");
            findings.report(message);
        }
    }
    assign(drafts)
}

fn assign(drafts: Vec<Draft>) -> Vec<Partition> {
    let mut used: Vec<(u8, u8)> =
        drafts.iter().filter_map(|draft| Some((draft.css, draft.mif.as_ref()?.value))).collect();
    let mut partitions = Vec::with_capacity(drafts.len());
    for draft in drafts {
        let free = (1..=15).find(|id| !used.contains(&(draft.css, *id)));
        // More than 15 partitions have been reported by R157; the rest stay without a place.
        let Some(mif) = draft.mif.map(|mif| mif.value).or(free) else { continue };
        used.push((draft.css, mif));
        partitions.push(Partition { css: draft.css, name: draft.name, mif, span: draft.span });
    }
    partitions
}

/// Reads `MAXDEV=((CSS(c),n0[,n1...]),...)`.
fn read_device_slots(
    value: &Value,
    machine: &'static Machine,
    partitions: &[Partition],
    findings: &mut Findings,
) -> Vec<(u8, Vec<u32>)> {
    let sublists = split(value);
    let mut slots_by_css = Vec::new();
    let only_css_0 = partitions.iter().all(|partition| partition.css == 0);
    let scope = CssScope { machine, partitions: None, untagged: only_css_0.then_some(0) };
    let mut named = Vec::new();
    for sublist in &sublists {
        let css = scope.one(sublist, findings);
        named.extend(css);
        let mut counts = Vec::new();
        let sets = usize::from(machine.subchannel_set_count);
        for (set, slots) in sublist.values.iter().enumerate() {
            let limit = SUBCHANNEL_SET_DEVICES_MAX.get(set).copied().unwrap_or_default();
            if set >= sets {
                let words = format!("a {} has {sets} subchannel sets", machine.machine_type);
                findings.report(findings.error(140, &slots.span, words).fix("drop this value"));
            } else if slots.form != Form::Empty && slot_count(slots).is_none_or(|count| count > limit) {
                malformed(slots, &format!("a number of device slots 0-{limit}"), findings);
            } else {
                counts.push(slot_count(slots).unwrap_or_default());
            }
        }
        slots_by_css.extend(css.map(|css| (css, counts)));
    }
    let mut every: Vec<u8> = partitions.iter().map(|partition| partition.css).collect();
    every.sort_unstable();
    every.dedup();
    for css in every.into_iter().filter(|css| !named.contains(css)) {
        let message = findings
            .error(164, &value.span, format!("MAXDEV does not name CSS {css}: the default is taken"))
            .severity(Severity::Info)
            .fix(format!("add (CSS({css}),65280,65535)"));
        findings.report(message);
    }
    slots_by_css
}

/// Reads a decimal count, or `nK` for n x 1024.
fn slot_count(value: &Value) -> Option<u32> {
    let word = value.atom()?;
    match word.strip_suffix('K') {
        Some(thousands) if thousands.chars().all(|ch| ch.is_ascii_digit()) => {
            thousands.parse::<u32>().ok()?.checked_mul(1024)
        }
        _ => plain_decimal(value),
    }
}

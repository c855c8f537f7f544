//! Access and candidate lists of a channel path: PART and NOTPART of CHPID.
//!
//! Shapes, each alone or behind a CSS tag: `LP1`, `(LP1,LP2)`, `(LP1,REC)`, `((LP1),(LP1,LP2))`,
//! `((LP1),(=),REC)`. Reference: IOCP, section 2.4, rule G19; R137, R148, R149, R153, R156, R165, R167.

use std::ops::Range;

use crate::model::AccessClass;
use crate::model::css_list::{CssScope, split};
use crate::model::partitions::PartitionSet;
use crate::rules::definitions::Definitions;
use crate::syntax::findings::Findings;
use crate::syntax::number::malformed;
use crate::syntax::operand::{Form, Value};
use crate::syntax::statement::Statement;

/// A candidate list as coded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Candidates {
    /// None: every partition of the CSS, where several may hold the channel.
    Omitted,
    /// `=`: those of the access list.
    Same,
    /// Names.
    Listed(PartitionSet),
}

/// The values of one PART or NOTPART for one channel subsystem.
#[derive(Debug)]
struct CssAccess {
    css: u8,
    access: PartitionSet,
    access_count: usize,
    candidates: Candidates,
    reconfigurable: bool,
    span: Range<usize>,
}

/// The result for a channel path.
#[derive(Debug)]
pub(crate) struct Access {
    /// Partitions with access.
    pub(crate) partitions: PartitionSet,
    /// Partitions that may get access beyond those.
    pub(crate) candidates: PartitionSet,
    /// How the partitions hold it.
    pub(crate) class: AccessClass,
    /// Shared by keyword, by spanning, by NOTPART or by several access names.
    pub(crate) shared: bool,
    /// Place of the keyword that makes it shared, if one does.
    pub(crate) shared_by: Option<Range<usize>>,
}

/// Reads the access of the channel path of `statement`, which is in `path_css`.
pub(crate) fn read(
    statement: &Statement,
    path_css: &[u8],
    definitions: &Definitions,
    findings: &mut Findings,
) -> Access {
    let untagged = if path_css.len() == 1 { path_css.first().copied() } else { None };
    let scope = CssScope { untagged, ..definitions.scope() };
    let lists = |keyword: &str, findings: &mut Findings| {
        let value = statement.value(keyword);
        value.map(|value| read_lists(value, path_css, scope, definitions, findings)).unwrap_or_default()
    };
    let part = lists("PART", findings);
    let notpart = lists("NOTPART", findings);
    check_exclusive(&part, &notpart, findings);
    let several = part.iter().find(|list| list.access_count > 1);
    let shared_by = statement
        .flag("SHARED")
        .map(|flag| flag.span.clone())
        .or_else(|| notpart.first().map(|list| list.span.clone()))
        .or_else(|| several.map(|list| list.span.clone()));
    let shared = shared_by.is_some() || path_css.len() > 1;
    if !shared {
        check_candidates(&part, definitions, findings);
    }
    let (mut partitions, mut candidates) = (PartitionSet::default(), PartitionSet::default());
    for &css in path_css {
        let named = definitions.partitions.named_in(css);
        let of = |lists: &'_ [CssAccess]| lists.iter().position(|list| list.css == css);
        let (access, more) = match (of(&part).map(|at| &part[at]), of(&notpart).map(|at| &notpart[at])) {
            (Some(list), _) => (list.access, open_to(list.candidates, named, shared || list.reconfigurable)),
            (None, Some(list)) => (named - list.access, not_closed_to(list, named)),
            (None, None) if shared || definitions.partitions.names(named).len() == 1 => {
                (named, PartitionSet::default())
            }
            // Neither shared nor given to anybody: no partition has access initially.
            (None, None) => (PartitionSet::default(), PartitionSet::default()),
        };
        partitions |= access;
        candidates |= more - access;
    }
    let class = match (shared, part.iter().any(|list| list.reconfigurable)) {
        (true, _) => AccessClass::Shared,
        (false, true) => AccessClass::Reconfigurable,
        (false, false) => AccessClass::Dedicated,
    };
    Access { partitions, candidates, class, shared, shared_by }
}

/// Returns the candidate list of PART, as a set; `several` may hold the channel, one after the other or together.
fn open_to(candidates: Candidates, named: PartitionSet, several: bool) -> PartitionSet {
    match candidates {
        Candidates::Omitted if several => named,
        Candidates::Omitted | Candidates::Same => PartitionSet::default(),
        Candidates::Listed(set) => set,
    }
}

/// Returns the candidates that NOTPART leaves over.
fn not_closed_to(list: &CssAccess, named: PartitionSet) -> PartitionSet {
    match list.candidates {
        Candidates::Omitted => named,
        Candidates::Same => named - list.access,
        Candidates::Listed(set) => named - set,
    }
}

fn read_lists(
    value: &Value,
    path_css: &[u8],
    scope: CssScope<'_>,
    definitions: &Definitions,
    findings: &mut Findings,
) -> Vec<CssAccess> {
    let mut all = Vec::new();
    for sublist in split(value) {
        let Some(css) = scope.one(&sublist, findings) else { continue };
        if !path_css.contains(&css) {
            let message = findings
                .error(167, &sublist.span, format!("CSS {css} is not one of this channel path"))
                .fix("name only channel subsystems of PATH=");
            findings.report(message);
            continue;
        }
        all.push(read_one(css, sublist.values, sublist.span, definitions, findings));
    }
    all
}

/// Reads the access list, candidate list and REC of one channel subsystem.
fn read_one(
    css: u8,
    values: &[Value],
    span: Range<usize>,
    definitions: &Definitions,
    findings: &mut Findings,
) -> CssAccess {
    let is_rec = |value: &Value| value.atom() == Some("REC");
    let nested = matches!(values.first().map(|first| &first.form), Some(Form::List(_) | Form::Empty));
    let (access, candidates, tail) = match values {
        [access, candidates, tail @ ..] if nested && !is_rec(candidates) => {
            (access.elements(), Some(candidates), tail)
        }
        [access, tail @ ..] if nested => (access.elements(), None, tail),
        [access @ .., last] if is_rec(last) => (access, None, std::slice::from_ref(last)),
        _ => (values, None, &[][..]),
    };
    let access = if matches!(access, [only] if only.form == Form::Empty) { &[][..] } else { access };
    let set = definitions.partitions.resolve(css, access, findings);
    let candidates =
        candidates.map_or(Candidates::Omitted, |value| read_candidates(css, value, definitions, findings));
    let reconfigurable = tail.first().is_some_and(is_rec);
    if let Some(junk) = tail.iter().enumerate().find(|(index, value)| *index > 0 || !is_rec(value)) {
        let message = findings
            .error(148, &junk.1.span, format!("expected REC, found \"{}\"", junk.1))
            .fix("write ((access),(candidates),REC)");
        findings.report(message);
    }
    CssAccess { css, access: set, access_count: access.len(), candidates, reconfigurable, span }
}

fn read_candidates(css: u8, value: &Value, definitions: &Definitions, findings: &mut Findings) -> Candidates {
    match value.sole() {
        Value { form: Form::Empty, .. } => Candidates::Omitted,
        same if same.atom() == Some("=") => Candidates::Same,
        Value { form: Form::Css(_) | Form::Quoted(_), .. } => {
            malformed(value, "a candidate list", findings);
            Candidates::Omitted
        }
        // Nothing in parentheses: IOCP writes an empty candidate list as `(=)`.
        Value { form: Form::List(names), .. } if names.is_empty() => {
            malformed(value, "a candidate list, (=) for an empty one,", findings);
            Candidates::Same
        }
        _ => Candidates::Listed(definitions.partitions.resolve(css, value.elements(), findings)),
    }
}

/// Checks R153.
fn check_exclusive(part: &[CssAccess], notpart: &[CssAccess], findings: &mut Findings) {
    for list in notpart {
        if let Some(other) = part.iter().find(|other| other.css == list.css) {
            let message = findings
                .error(153, &list.span, format!("PART and NOTPART are both coded for CSS {}", list.css))
                .other(findings.label(&other.span, "PART is here"))
                .fix("keep one of them");
            findings.report(message);
        }
    }
}

/// Checks R137.
fn check_candidates(part: &[CssAccess], definitions: &Definitions, findings: &mut Findings) {
    for list in part.iter().filter(|list| !list.reconfigurable) {
        let Candidates::Listed(candidates) = list.candidates else { continue };
        let reach = list.access | candidates;
        if definitions.partitions.names(reach).len() > 1 {
            let message = findings
                .error(137, &list.span, "the candidate list has a second partition, but the channel is neither shared nor reconfigurable")
                .fix("add SHARED, or REC in the list, or name one partition");
            findings.report(message);
        }
    }
}

//! Rules of a function's type, and between functions.
//!
//! Reference: IOCP, section 4.6; R122, R140, R183, R188, R190, R202, R207, R215-R217, R219.

use std::collections::BTreeMap;
use std::ops::Range;

use halftrack_input::messages::iocp::KEYWORD_NOT_FOR_TYPE;

use crate::model::function_types::FunctionType;
use crate::model::{Adapter, Function};
use crate::rules::definitions::Definitions;
use crate::syntax::findings::Findings;
use crate::syntax::statement::Statement;

/// Ports of one adapter that a list of PNETIDs can name.
const PORT_COUNT: usize = 2;

/// PNETID of the intraensemble data network, which OSX channels have by themselves.
pub(crate) const ENSEMBLE_NETWORK: &str = "IEDN";

/// A place of an adapter: adapter and port, 0 where the type has none.
type Place = (Adapter, u8);

/// A FID and where it is coded.
type Taken = (u16, Range<usize>);

/// The numbers and places that the functions so far have taken.
#[derive(Debug, Default)]
pub(crate) struct FunctionUse {
    fids: BTreeMap<u16, Range<usize>>,
    /// Virtual functions, with the FID that has each.
    vfs: BTreeMap<(Place, u16), Taken>,
    pfs: BTreeMap<Place, Range<usize>>,
    /// Virtual channels by network name.
    networks: BTreeMap<(&'static str, String), (u16, Range<usize>)>,
}

/// Checks `function`, whose own statement is clean, and takes what it takes.
pub(crate) fn check(
    statement: &Statement,
    function: &Function,
    kind: Option<&FunctionType>,
    definitions: &mut Definitions,
    findings: &mut Findings,
) {
    let before = findings.errors();
    if let Some(kind) = kind {
        check_keywords(statement, kind, definitions, findings);
        check_vf(statement, function, kind, definitions, findings);
        check_networks(statement, function, kind, findings);
    }
    if findings.errors() > before {
        return;
    }
    let taken = &mut definitions.function_use;
    taken.fid(function, findings);
    if findings.errors() == before {
        taken.place(function, findings);
    }
    if let Some(Adapter::Vchid(vchid)) = function.adapter.as_ref().map(|adapter| adapter.value) {
        let span = statement.value("PNETID").map_or(&statement.operation.span, |value| &value.span);
        taken.network("ISM", vchid, &function.pnetids, span, findings);
    }
}

/// Checks R122 and R202 for PORT, PF and PNETID.
fn check_keywords(
    statement: &Statement,
    kind: &FunctionType,
    definitions: &Definitions,
    findings: &mut Findings,
) {
    let has_vf = kind.vf_max_on(definitions.machine).is_some();
    let keywords =
        [("PORT", kind.has_port), ("VF", has_vf), ("PF", kind.has_pf), ("PNETID", kind.pnetid_count_max > 0)];
    for (keyword, known) in keywords {
        let item = statement.item(keyword).and_then(|item| item.keyword.as_ref()).map(|word| &word.span);
        let span = item.or_else(|| statement.flag(keyword).map(|flag| &flag.span));
        if let (Some(span), false) = (span, known) {
            let words = format!("{keyword} is meaningless for TYPE={}", kind.name);
            let message = findings.error(KEYWORD_NOT_FOR_TYPE, span, words).fix(format!("drop {keyword}"));
            findings.report(message);
        }
    }
    if kind.has_port && statement.item("PORT").is_none() {
        let words = format!("TYPE={} needs PORT", kind.name);
        findings.report(findings.error(122, &statement.operation.span, words).fix("add PORT=1 or PORT=2"));
    }
}

/// Checks R140, R183, R216, R219.
fn check_vf(
    statement: &Statement,
    function: &Function,
    kind: &FunctionType,
    definitions: &Definitions,
    findings: &mut Findings,
) {
    let machine = definitions.machine;
    let pf = statement.flag("PF").filter(|_| kind.has_pf);
    if let (Some(pf), true) = (pf, function.count > 1) {
        let words = "an adapter has one physical function, and FID has a count";
        findings.report(findings.error(183, &pf.span, words).fix("drop the count, or PF"));
    }
    match (kind.vf_max_on(machine), &function.vf) {
        (None, None) if function.count > 1 => {
            let words = format!("TYPE={} has one function, and FID has a count", kind.name);
            findings.report(findings.error(216, &function.fid.span, words).fix("drop the count"));
        }
        (Some(_), None) if pf.is_none() && kind.needs_vf_on(machine) => {
            let words = format!("TYPE={} needs VF", kind.name);
            findings.report(findings.error(219, &statement.operation.span, words).fix("add VF=1"));
        }
        (Some(max), Some(vf)) if vf.value + function.count - 1 > max => {
            let last = vf.value + function.count - 1;
            let source = kind.functions_on(machine).map_or(String::new(), |one| format!(" ({})", one.source));
            let words = format!(
                "virtual function {last} is beyond the last one of TYPE={}, {max}{source}",
                kind.name
            );
            let message = findings
                .error(140, &vf.span, words)
                .fix(format!("use VF 1-{max}, in decimal; the count of FID steps VF too"));
            findings.report(message);
        }
        _ => {}
    }
}

/// Checks R184, and R217: names at ports that the adapter does not have.
fn check_networks(statement: &Statement, function: &Function, kind: &FunctionType, findings: &mut Findings) {
    let Some(value) = statement.value("PNETID").filter(|_| kind.pnetid_count_max > 0) else { return };
    let ports = kind.pnetid_count_max.min(PORT_COUNT);
    let named = function.pnetids.iter().skip(ports).any(Option::is_some);
    if named || function.pnetids.len() > kind.pnetid_count_max {
        let words = format!("{} PNETIDs for TYPE={}, which takes {ports}", function.pnetids.len(), kind.name);
        findings.report(findings.error(217, &value.span, words).fix("name one network for each port"));
    }
    // R184: the intraensemble data network takes a RoCE adapter whole.
    let is_ensemble = |name: &Option<String>| name.as_deref() == Some(ENSEMBLE_NETWORK);
    let mut adapter = function.pnetids.iter().take(ports);
    let on = adapter.clone().filter(|name| is_ensemble(name)).count();
    let elsewhere = function.pnetids.len() < ports || adapter.any(|name| !is_ensemble(name));
    if kind.name == "ROCE" && on > 0 && elsewhere {
        let words = format!("PNETID {ENSEMBLE_NETWORK} is on some ports of the adapter only");
        let fix = format!("name {ENSEMBLE_NETWORK} on all ports, or on none");
        findings.report(findings.error(184, &value.span, words).fix(fix));
    }
}

impl FunctionUse {
    /// Checks R207 and takes the FIDs.
    fn fid(&mut self, function: &Function, findings: &mut Findings) {
        let all = (0..function.count).map(|step| function.fid.value + step);
        if let Some((fid, first)) = all.clone().find_map(|fid| Some((fid, self.fids.get(&fid)?))) {
            let message = findings
                .error(207, &function.fid.span, format!("FID {fid:04X} is already used"))
                .other(findings.label(first, "used first here"))
                .fix("give each function its own FID");
            findings.report(message);
            return;
        }
        self.fids.extend(all.map(|fid| (fid, function.fid.span.clone())));
    }

    /// Checks R183, R215 and takes the place on the adapter.
    fn place(&mut self, function: &Function, findings: &mut Findings) {
        let Some(adapter) = &function.adapter else { return };
        let place = (adapter.value, function.port.unwrap_or_default());
        if function.pf {
            if let Some(first) = self.pfs.get(&place) {
                let message = findings
                    .error(183, &adapter.span, "the adapter has its physical function already")
                    .other(findings.label(first, "coded first here"))
                    .fix("drop one PF");
                findings.report(message);
            }
            self.pfs.insert(place, adapter.span.clone());
        }
        // A type without VF has the adapter to itself: it is its function 0.
        let first = match (&function.vf, function.pf) {
            (Some(vf), _) => vf.value,
            (None, false) => 0,
            (None, true) => return,
        };
        for step in 0..function.count {
            let (vf, fid) = (first + step, function.fid.value + step);
            if let Some((other, span)) = self.vfs.get(&(place, vf)) {
                let at = function.vf.as_ref().map_or(&adapter.span, |vf| &vf.span);
                let what = if vf == 0 { "the adapter".to_owned() } else { format!("VF {vf}") };
                let message = findings
                    .error(215, at, format!("{what} already is FID {other:04X}"))
                    .other(findings.label(span, "used first here"))
                    .fix("give each function of the adapter its own VF");
                findings.report(message);
                return;
            }
            self.vfs.insert((place, vf), (fid, function.fid.span.clone()));
        }
    }

    /// Checks R188: one internal network, one virtual channel.
    pub(crate) fn network(
        &mut self,
        what: &'static str,
        vchid: u16,
        pnetids: &[Option<String>],
        span: &Range<usize>,
        findings: &mut Findings,
    ) {
        for name in pnetids.iter().flatten() {
            let first = self.networks.entry((what, name.clone())).or_insert((vchid, span.clone()));
            if first.0 != vchid {
                let words = format!("network {name} already belongs to VCHID {:03X}", first.0);
                let message = findings
                    .error(188, span, words)
                    .other(findings.label(&first.1, "used first here"))
                    .fix("give each internal channel a network of its own");
                findings.report(message);
            }
        }
    }
}

/// Checks R207 between channels and functions, when all are read. The hybrid type of a Network Express has both.
pub(crate) fn check_adapters(definitions: &Definitions, findings: &mut Findings) {
    for function in &definitions.functions {
        let Some(adapter) = &function.adapter else { continue };
        let key = match adapter.value {
            Adapter::Pchid(pchid) => ("PCHID", pchid, 0),
            Adapter::Vchid(vchid) => ("VCHID", vchid, 0),
        };
        let hybrid = function.kind.as_ref().is_some_and(|kind| kind.value == "NETH");
        let Some(channel) = definitions.physical.get(&key).filter(|_| !hybrid) else { continue };
        findings.about(format!("FUNCTION {:04X}", function.fid.value));
        let message = findings
            .error(207, &adapter.span, format!("{} {:03X} is already used by a channel path", key.0, key.1))
            .other(findings.label(channel, "used first here"))
            .fix("give the function the adapter that it is on");
        findings.report(message);
    }
}

/// Checks R190, when all functions and UUID statements are read.
pub(crate) fn check_uids(definitions: &Definitions, findings: &mut Findings) {
    let mut taken: BTreeMap<(&(u8, String), u16), Taken> = BTreeMap::new();
    for function in &definitions.functions {
        let Some(uid) = &function.uid else { continue };
        let reach = function.access.iter().chain(&function.candidates);
        for partition in reach.filter(|partition| definitions.uuid.contains(partition)) {
            for step in 0..function.count {
                let (fid, number) = (function.fid.value + step, uid.value.wrapping_add(step));
                let first = taken.entry((partition, number)).or_insert((fid, uid.span.clone()));
                if first.0 != fid {
                    findings.about(format!("FUNCTION {fid:04X}"));
                    let words = format!(
                        "UID {number:04X} clashes in partition {} with FID {:04X}",
                        partition.1, first.0
                    );
                    let message = findings
                        .error(190, &uid.span, words)
                        .other(findings.label(&first.1, "used first here"))
                        .fix("give each function of a UUID partition its own UID");
                    findings.report(message);
                    return;
                }
            }
        }
    }
}

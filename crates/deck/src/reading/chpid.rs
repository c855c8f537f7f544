//! CHPID: one channel path.
//!
//! Reference: IOCP, section 2.4; R126, R139, R140, R165, R179, R200-R203, R205-R209.

use std::ops::Range;

use halftrack_input::messages::deck::{KEYWORD_IGNORED, NO_ACCESS};
use halftrack_input::messages::iocp::{
    COUPLING_KEYWORD_NOT_FOR_TYPE, KEYWORD_NOT_FOR_TYPE, SWITCH_NOT_FOR_TYPE,
};
use halftrack_input::{Located, Severity};

use crate::model::ChannelPath;
use crate::model::channel_types::{CHANNEL_TYPES, ChannelType, TYPE_KEYWORDS};
use crate::model::css_list::split;
use crate::model::machines::{Mixing, PCHID_LAST, PORT_PCHID_FIRST};
use crate::reading::access::{self, Access};
use crate::reading::coupling::{self, Coupling};
use crate::reading::id;
use crate::reading::values;
use crate::rules;
use crate::rules::definitions::{Channel, Definitions};
use crate::syntax::findings::Findings;
use crate::syntax::number::{CHPID, PARAMETER, PCHID, SWITCH, hex, hex_byte, malformed};
use crate::syntax::operand::Value;
use crate::syntax::statement::Statement;

/// Takes in a CHPID statement.
pub(crate) fn read(statement: &Statement, definitions: &mut Definitions, findings: &mut Findings) {
    let before = findings.errors();
    let path = statement.value("PATH").and_then(|value| read_path(value, definitions, findings));
    let channel_type = statement.value("TYPE").and_then(|value| read_type(value, definitions, findings));
    let own = path.as_ref().and_then(|(css, _)| css.first()).map(|(css, _)| *css);
    let values = read_values(statement, own, definitions, findings);
    let (Some((css, chpid)), Some((channel_type, kind))) = (path, channel_type) else {
        definitions.channel_errors |= findings.errors() > before;
        return;
    };
    let path_css: Vec<u8> = css.iter().map(|(css, _)| *css).collect();
    let access = access::read(statement, &path_css, definitions, findings);
    if let Some(kind) = kind.filter(|kind| kind.exists_on(definitions.machine)) {
        check_keywords(statement, kind, definitions, findings);
        check_type(kind, &css, &access, findings);
        rules::switches::check(kind, values.switch.as_ref(), definitions, findings);
        check_parameter(statement, kind, &values, findings);
        rules::coupling::check(statement, kind, definitions, findings);
        rules::cards::check(statement, kind, values.pchid.as_ref(), definitions, findings);
        check_range(kind, &values, definitions, findings);
        if definitions.machine.has_pchids() && kind.needs_pchid && statement.item("PCHID").is_none() {
            warn_pchid(kind, statement, findings);
        }
    }
    let unassigned = statement.value("PART").is_none() && access.partitions.is_empty();
    if findings.errors() == before && unassigned {
        caution_access(&chpid.span, findings);
    }
    let index = definitions.channels.len();
    let own: Vec<u8> = register(&css, &chpid, index, definitions, findings);
    if own.len() == css.len() {
        check_physical(kind, &values, definitions, findings);
        check_network(statement, kind, &values, definitions, findings);
    }
    if own.is_empty() {
        definitions.channel_errors = true;
        return;
    }
    let sound = findings.errors() == before;
    definitions.channel_errors |= !sound;
    definitions.channels.push(Channel {
        path: ChannelPath {
            css: own,
            chpid,
            channel_type,
            pchid: values.pchid,
            vchid: values.vchid,
            aid: values.coupling.aid,
            port: values.coupling.port,
            switch: values.switch,
            chparm: values.chparm,
            os: values.os,
            iocluster: values.iocluster,
            cpath: values.coupling.cpath,
            csystem: values.coupling.csystem,
            pnetids: values.pnetids,
            mixtype: statement.flag("MIXTYPE").is_some(),
            shared: access.shared,
            access: definitions.partitions.names(access.partitions),
            candidates: definitions.partitions.names(access.candidates),
            access_class: access.class,
            span: statement.span.clone(),
        },
        kind,
        access: access.partitions,
        sound,
    });
}

/// Operands whose meaning does not depend on others.
struct Values {
    pchid: Option<Located<u16>>,
    vchid: Option<Located<u16>>,
    switch: Option<Located<u8>>,
    chparm: Option<Located<u8>>,
    os: Option<Located<u8>>,
    iocluster: Option<Located<String>>,
    pnetids: Vec<Option<String>>,
    coupling: Coupling,
}

fn read_values(
    statement: &Statement,
    own: Option<u8>,
    definitions: &Definitions,
    findings: &mut Findings,
) -> Values {
    let number = |keyword: &str, kind, findings: &mut Findings| {
        let value = statement.value(keyword).map(Value::sole)?;
        Some(Located::new(hex(value, kind, findings)?, value.span.clone()))
    };
    let byte = |keyword: &str, kind, findings: &mut Findings| {
        let found = number(keyword, kind, findings)?;
        Some(Located::new(u8::try_from(found.value).ok()?, found.span))
    };
    Values {
        pchid: number("PCHID", PCHID, findings),
        vchid: number("VCHID", PCHID, findings),
        switch: byte("SWITCH", SWITCH, findings),
        chparm: byte("CHPARM", PARAMETER, findings),
        os: byte("OS", PARAMETER, findings),
        iocluster: statement.value("IOCLUSTER").and_then(|value| id::read_system_name(value, findings)),
        pnetids: statement.value("PNETID").map(|value| values::networks(value, findings)).unwrap_or_default(),
        coupling: coupling::read(statement, own, definitions, findings),
    }
}

type Css = Vec<(u8, Range<usize>)>;

/// Reads PATH: `40`, `(40)`, `(CSS(0),40)`, `(CSS(0,1),40)`, with or without outer parentheses.
fn read_path(
    value: &Value,
    definitions: &Definitions,
    findings: &mut Findings,
) -> Option<(Css, Located<u8>)> {
    let sublists = split(value);
    let [sublist] = sublists.as_slice() else {
        malformed(value, "one CHPID as (CSS(n),xx)", findings);
        return None;
    };
    let scope = definitions.scope();
    let css = match (sublist.tag, scope.untagged) {
        (Some(tag), _) => scope.tagged(tag, findings),
        (None, Some(css)) => vec![(css, sublist.span.clone())],
        (None, None) => {
            scope.untagged_error(&sublist.span, findings);
            return None;
        }
    };
    let [chpid] = sublist.values else {
        malformed(value, "one CHPID as (CSS(n),xx)", findings);
        return None;
    };
    let chpid = chpid.sole();
    let number = hex_byte(chpid, CHPID, findings)?;
    (!css.is_empty()).then(|| (css, Located::new(number, chpid.span.clone())))
}

type TypeFound = (Located<String>, Option<&'static ChannelType>);

/// Reads TYPE: R140, R206.
fn read_type(value: &Value, definitions: &Definitions, findings: &mut Findings) -> Option<TypeFound> {
    let Some(name) = value.sole().atom() else {
        malformed(value, "a channel type such as FC", findings);
        return None;
    };
    let machine = definitions.machine;
    let kind = ChannelType::of(name);
    match kind {
        None => {
            let here = CHANNEL_TYPES.iter().filter(|kind| kind.exists_on(machine));
            let names: Vec<&str> = here.map(|kind| kind.name).collect();
            let message = findings
                .error(140, &value.span, format!("TYPE={name} is not a channel type"))
                .fix(format!("a {} has {}", machine.machine_type, names.join(", ")));
            findings.report(message);
        }
        Some(kind) if !kind.exists_on(machine) => {
            let message = findings
                .error(206, &value.span, format!("TYPE={name} does not exist on a {}", machine.machine_type))
                .fix("use a type of this machine, or name the right machine in SYSTEM= of ID");
            findings.report(message);
        }
        Some(_) => {}
    }
    Some((Located::new(name.to_owned(), value.span.clone()), kind))
}

/// Checks R201, R202, R208: keywords without meaning for the type.
fn check_keywords(
    statement: &Statement,
    kind: &ChannelType,
    definitions: &Definitions,
    findings: &mut Findings,
) {
    let machine = definitions.machine;
    let unknown = |keyword: &str| keyword == "PCHID" && !machine.has_pchids();
    if let Some(pchid) = statement.value("PCHID").filter(|_| unknown("PCHID")) {
        let words = format!("PCHID is unknown on a {}: a CHPID is its port there", machine.machine_type);
        findings.report(findings.error(179, &pchid.span, words).fix("drop PCHID"));
    }
    let meaningless = |keyword: &&str| !kind.keywords.contains(keyword) && !unknown(keyword);
    for keyword in TYPE_KEYWORDS.into_iter().filter(meaningless) {
        let item =
            statement.item(keyword).and_then(|item| item.keyword.as_ref()).map(|word| word.span.clone());
        let Some(span) = item.or_else(|| statement.flag(keyword).map(|flag| flag.span.clone())) else {
            continue;
        };
        let number = match keyword {
            "SWITCH" => SWITCH_NOT_FOR_TYPE,
            "CPATH" | "CSYSTEM" => COUPLING_KEYWORD_NOT_FOR_TYPE,
            _ => KEYWORD_NOT_FOR_TYPE,
        };
        let message = findings
            .error(number, &span, format!("{keyword} is meaningless for TYPE={}", kind.name))
            .fix(format!("drop {keyword}"));
        findings.report(message);
    }
    let mixtype = statement.flag("MIXTYPE").filter(|_| kind.keywords.contains(&"MIXTYPE"));
    if let Some(flag) = mixtype.filter(|_| machine.mixing == Mixing::Free) {
        let words = format!("MIXTYPE is ignored: a {} mixes FC and FCP freely", machine.machine_type);
        let message = findings
            .error(KEYWORD_IGNORED, &flag.span, words)
            .severity(Severity::Warning)
            .fix("drop MIXTYPE");
        findings.report(message);
    }
}

/// Checks R188 between internal queued direct channels.
fn check_network(
    statement: &Statement,
    kind: Option<&ChannelType>,
    values: &Values,
    definitions: &mut Definitions,
    findings: &mut Findings,
) {
    if let (Some("IQD"), Some(vchid)) = (kind.map(|kind| kind.name), &values.vchid) {
        let span = statement.value("PNETID").map_or(&vchid.span, |value| &value.span);
        definitions.function_use.network("IQD", vchid.value, &values.pnetids, span, findings);
    }
}

/// Checks R210, and R122 for the cluster of a managed channel.
fn check_parameter(statement: &Statement, kind: &ChannelType, values: &Values, findings: &mut Findings) {
    let Some(parameter) = values.chparm.as_ref().filter(|_| kind.keywords.contains(&"CHPARM")) else {
        return;
    };
    if !kind.takes_parameter(parameter.value) {
        let words = format!("CHPARM={:02X} is not for TYPE={}", parameter.value, kind.name);
        let message = findings
            .error(210, &parameter.span, words)
            .fix("00 or 02 are for OSA types, 00 or 01 for FICON and ESCON, 00-C4 for IQD");
        findings.report(message);
    } else if parameter.value == 0x01 && statement.item("IOCLUSTER").is_none() {
        let words = "a managed channel (CHPARM=01) needs IOCLUSTER";
        findings.report(findings.error(122, &parameter.span, words).fix("add IOCLUSTER=name of the sysplex"));
    }
}

/// Checks R140: the PCHID is one that a port of the machine may have.
fn check_range(kind: &ChannelType, values: &Values, definitions: &Definitions, findings: &mut Findings) {
    let machine = definitions.machine;
    let Some(pchid) = values.pchid.as_ref().filter(|_| machine.has_pchids()) else { return };
    if !machine.may_have_pchid(pchid.value, kind) {
        let words = format!("PCHID {:03X} does not exist on a {}", pchid.value, machine.machine_type);
        let message = findings.error(140, &pchid.span, words);
        findings.report(message.fix(format!("use a PCHID of {PORT_PCHID_FIRST:03X}-{PCHID_LAST:03X}")));
    }
}

/// Checks R205, R209.
fn check_type(kind: &ChannelType, css: &Css, access: &Access, findings: &mut Findings) {
    if let [_, (_, second), ..] = css.as_slice()
        && !kind.may_span
    {
        let message = findings
            .error(209, second, format!("TYPE={} cannot be spanned over channel subsystems", kind.name))
            .fix("define one channel path for each CSS");
        findings.report(message);
    } else if let Some(span) = access.shared_by.as_ref().filter(|_| !kind.may_be_shared) {
        let message = findings
            .error(205, span, format!("TYPE={} cannot be shared", kind.name))
            .fix("drop SHARED and give the channel to one partition");
        findings.report(message);
    }
}

/// Reports R139.
fn warn_pchid(kind: &ChannelType, statement: &Statement, findings: &mut Findings) {
    let message = findings
        .error(139, &statement.operation.span, format!("TYPE={} has no PCHID", kind.name))
        .severity(Severity::Warning)
        .fix("assign a PCHID: without one the deck can be verified, not written");
    findings.report(message);
}

/// Checks R207: one physical port (PCHID, with PORT where one PCHID has several) or VCHID, one channel path.
fn check_physical(
    kind: Option<&ChannelType>,
    values: &Values,
    definitions: &mut Definitions,
    findings: &mut Findings,
) {
    let has_ports = kind.is_some_and(|kind| kind.keywords.contains(&"PORT"));
    let port = values.coupling.port.as_ref().filter(|_| has_ports).map_or(0, |port| port.value);
    let claims = [("PCHID", &values.pchid, port), ("VCHID", &values.vchid, 0)];
    for (what, id, port) in claims {
        let Some(id) = id else { continue };
        let key = (what, id.value, port);
        match definitions.physical.get(&key) {
            Some(first) => {
                let message = findings
                    .error(207, &id.span, format!("{what} {:03X} is already used", id.value))
                    .other(findings.label(first, "used first here"))
                    .fix("give each channel path its own");
                findings.report(message);
            }
            None => {
                definitions.physical.insert(key, id.span.clone());
            }
        }
    }
}

fn caution_access(span: &Range<usize>, findings: &mut Findings) {
    let message = findings
        .error(NO_ACCESS, span, "no partition has access to this channel path")
        .severity(Severity::Caution)
        .fix("add SHARED or PART=");
    findings.report(message);
}

/// Checks R200. Returns the channel subsystems in which the channel path is new, and takes them.
fn register(
    css: &Css,
    chpid: &Located<u8>,
    index: usize,
    definitions: &mut Definitions,
    findings: &mut Findings,
) -> Vec<u8> {
    let mut own = Vec::new();
    let before = findings.errors();
    for (css, span) in css {
        match definitions.channel_index.get(&(*css, chpid.value)) {
            // A spanned channel path defined twice is one mistake.
            Some(_) if findings.errors() > before => {}
            Some(&first) => {
                let words = format!("channel path {:02X} is already defined in CSS {css}", chpid.value);
                let mut message = findings.error(200, &chpid.span, words).fix("use a free CHPID");
                message = match definitions.channels.get(first) {
                    Some(channel) => {
                        message.other(findings.label(&channel.path.chpid.span, "defined first here"))
                    }
                    None => message.other(findings.label(span, "duplicate CSS")),
                };
                findings.report(message);
            }
            None => {
                definitions.channel_index.insert((*css, chpid.value), index);
                own.push(*css);
            }
        }
    }
    own
}

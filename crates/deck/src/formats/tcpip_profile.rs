//! TCP/IP profiles: the RoCE functions that GLOBALCONFIG names, against what the deck defines.
//!
//! `GLOBALCONFIG SMCR PFID 0018 PORTNUM 2 MTU 1024 PFID 0019` activates functions for the stack of one partition. Each has
//! to be defined, to be that partition's, and to be on a physical network, or it does not become active (published:
//! PCIe paper of 2015, RoCE implementation).

use std::ops::Range;
use std::sync::Arc;

use halftrack_input::messages::deck::PROFILE_FUNCTION;
use halftrack_input::{Diagnostic, Label, Severity, SourceFile};

use crate::model::{Deck, Function};

/// Words that begin another statement of a profile and so end GLOBALCONFIG.
const STATEMENTS: [&str; 24] = [
    "AUTOLOG",
    "BEGINROUTES",
    "DEFADDRTABLE",
    "DELETE",
    "DEVICE",
    "HOME",
    "INCLUDE",
    "INTERFACE",
    "IPCONFIG",
    "IPCONFIG6",
    "IPSEC",
    "ITRACE",
    "LINK",
    "NETACCESS",
    "NETMONITOR",
    "PORT",
    "PORTRANGE",
    "SACONFIG",
    "SMFCONFIG",
    "START",
    "STOP",
    "TCPCONFIG",
    "UDPCONFIG",
    "VIPADYNAMIC",
];

/// One `PFID` of GLOBALCONFIG.
struct Named {
    pfid: String,
    span: Range<usize>,
    /// `PORTNUM`; port 1 when it is left out.
    port: usize,
}

/// Reports faults of the functions that `profile`, of the stack in `partition`, names.
pub fn check_profile(deck: &Deck, partition: &str, profile: &Arc<SourceFile>) -> Vec<Diagnostic> {
    let error = |span: Range<usize>, words: String| Diagnostic::error(PROFILE_FUNCTION, profile, span, words);
    if !deck.partitions.iter().any(|known| known.name.as_deref() == Some(partition)) {
        let names: Vec<&str> = deck.partitions.iter().filter_map(|known| known.name.as_deref()).collect();
        let message = error(0..0, format!("the deck has no partition {partition}"));
        return vec![message.fix(format!("partitions are {}", names.join(", ")))];
    }
    let mut found = Vec::new();
    for named in named(&profile.text) {
        let Some(pfid) = parse_pfid(&named.pfid) else {
            let message = error(named.span, format!("PFID {} is not a function identifier", named.pfid));
            found
                .push(message.fix("PFID is one to four hexadecimal digits, the FID of a FUNCTION statement"));
            continue;
        };
        let holds =
            |one: &&Function| (one.fid.value..one.fid.value.saturating_add(one.count)).contains(&pfid);
        let Some(function) = deck.functions.iter().find(holds) else {
            let message = error(named.span, format!("PFID {pfid:04X}: no FUNCTION defines it"));
            found.push(message.fix("add the FUNCTION to the deck, or correct PFID"));
            continue;
        };
        found.extend(check_function(&named, pfid, function, partition, profile).map(|message| {
            message.other(Label::new(&deck.source, function.fid.span.clone(), "the FUNCTION"))
        }));
    }
    found
}

/// Returns the reason that keeps `function` from becoming active in `partition`.
fn check_function(
    named: &Named,
    pfid: u16,
    function: &Function,
    partition: &str,
    profile: &Arc<SourceFile>,
) -> Option<Diagnostic> {
    let message = |words: String, fix: String| {
        let words = format!("PFID {pfid:04X}: {words}");
        Diagnostic::error(PROFILE_FUNCTION, profile, named.span.clone(), words).fix(fix)
    };
    let kind = function.kind.as_ref().map_or("ROCE", |kind| kind.value.as_str());
    if !matches!(kind, "ROCE" | "ROC2" | "NETH" | "NETD") {
        return Some(message(
            format!("TYPE={kind} is not a RoCE function"),
            "name a RoCE function".to_owned(),
        ));
    }
    if function.access.as_ref().is_none_or(|(_, name)| name != partition) {
        if function.candidates.iter().any(|(_, name)| name == partition) {
            let words = format!("partition {partition} is only a candidate for it");
            let fix = format!("configure the function to {partition} before the stack starts");
            return Some(message(words, fix).severity(Severity::Warning));
        }
        let words = format!("partition {partition} has no access to it");
        return Some(message(words, format!("add {partition} to PART of the FUNCTION")));
    }
    // With PORT the one name is that of the port; else names stand by port.
    let place = if function.port.is_some() { 0 } else { named.port.saturating_sub(1) };
    if !function.pnetids.get(place).is_some_and(Option::is_some) {
        let words = format!("port {} has no PNETID, so that the function does not become active", named.port);
        return Some(message(
            words,
            "add PNETID to the FUNCTION, equal to that of its OSD channel".to_owned(),
        ));
    }
    None
}

fn parse_pfid(text: &str) -> Option<u16> {
    let is_hex = (1..=4).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hex.then(|| u16::from_str_radix(text, 16).ok()).flatten()
}

/// Returns all functions that GLOBALCONFIG names, in the order of the text.
fn named(text: &str) -> Vec<Named> {
    let mut found: Vec<Named> = Vec::new();
    let mut in_global = false;
    let mut words = words(text).peekable();
    while let Some((word, _)) = words.next() {
        let word = word.to_ascii_uppercase();
        if word == "GLOBALCONFIG" {
            in_global = true;
        } else if STATEMENTS.contains(&word.as_str()) {
            in_global = false;
        } else if in_global && word == "PFID" {
            found.extend(words.next().map(|(pfid, span)| Named { pfid: pfid.to_owned(), span, port: 1 }));
        } else if in_global && word == "PORTNUM" {
            let port = words.peek().and_then(|(port, _)| port.parse().ok());
            if let (Some(last), Some(port)) = (found.last_mut(), port) {
                last.port = port;
            }
        }
    }
    found
}

/// Returns the words of a profile and their places; a semicolon begins a comment.
fn words(text: &str) -> impl Iterator<Item = (&str, Range<usize>)> {
    let at = |part: &str| part.as_ptr() as usize - text.as_ptr() as usize;
    let lines = text.lines().map(|line| line.split(';').next().unwrap_or_default());
    lines.flat_map(str::split_whitespace).map(move |word| (word, at(word)..at(word) + word.len()))
}

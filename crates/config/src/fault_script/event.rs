//! `[[event]]` of a workload and of a script: one reader for both.

use std::ops::Range;
use std::sync::Arc;

use halftrack_base::Span;
use halftrack_input::messages::toml_file as numbers;
use halftrack_input::{Diagnostic, Expect, Fields, Located, SourceFile};
use halftrack_zedc::ResourceGroup;
use halftrack_zedc_twin::resource_group;

use super::{EventKind, FaultKind, Target, TwinKind};
use crate::cpc_name::CpcName;
use crate::place::hex;
use crate::plant::cpcs::cpc_name;
use crate::plant::zhyperlink::oper;
use crate::synchronous::Directions;

/// Shortest time, s: the picosecond of virtual time, below which nothing would happen.
const TIME_MIN_S: f64 = 1e-12;
/// Longest delay of a frame, us.
const LATE_MAX_US: u64 = 60_000_000;
/// Keys of parts and of what a command of an operator is about.
const NAMES: [&str; 12] = [
    "chpid",
    "control_unit",
    "domain",
    "lpar",
    "port",
    "isl",
    "director",
    "card",
    "oper",
    "zhyperlink",
    "group",
    "pchid",
];
/// Number of the first of them, which a message lists even where they are not given.
const COMMON: usize = 3;

/// Machine that a file of events is read for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The twin: a study.
    Twin,
    /// A working link, or the machines of `halftrack faults`.
    Link,
}

impl Scope {
    /// Returns the longest time from the start of a run, s: 30 days of virtual time, or an hour.
    pub(super) const fn time_max_s(self) -> f64 {
        match self {
            Self::Twin => 2_592_000.0,
            Self::Link => 3600.0,
        }
    }

    /// Returns a length of time that is not nothing, s.
    pub(super) fn time_s(self) -> Expect<'static, f64> {
        Expect::number(TIME_MIN_S..=self.time_max_s())
    }
}

/// An event as written, with its places in the text.
#[derive(Debug, Clone)]
pub struct Event {
    /// The text that the spans point into.
    pub source: Arc<SourceFile>,
    /// When, from the start of the streams; in the twin that is the start of the run, warm-up included.
    pub at: Located<Span>,
    /// For how long.
    pub lasts: Located<Span>,
    /// Kind.
    pub kind: Located<EventKind>,
    /// Key and name of the part; nothing for the control unit.
    pub part: Option<(Target, Located<String>)>,
    /// Number of the control unit in the deck, of kinds that only the twin has.
    pub control_unit: Option<Located<u16>>,
    /// Partition that a command of an operator is for.
    pub lpar: Option<Located<String>>,
    /// Directions of synchronous I/O that a command switches on.
    pub oper: Option<Located<Directions>>,
    /// Port of an adapter whose zHyperLink it is, such as `180.1`.
    pub zhyperlink: Option<Located<String>>,
    /// Resource group whose firmware is updated.
    pub group: Option<Located<ResourceGroup>>,
    /// Physical channel of a native adapter.
    pub pchid: Option<Located<u16>>,
    /// The CPC whose channel path, card or control-unit number it is, where the file names one.
    pub cpc: Option<Located<CpcName>>,
    /// The storage box whose port it is, or that is the control unit, where the file names one.
    pub storage_box: Option<Located<String>>,
    /// Share of what crosses a link.
    pub share: f64,
    /// Lateness of frames or credits.
    pub late: Span,
}

impl Event {
    /// Returns an error in the file of the event, not yet reported.
    pub(crate) fn error(&self, number: u16, span: &Range<usize>, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(number, &self.source, span.clone(), message)
    }

    /// Returns the name of its part; where it has none, its kind.
    pub(crate) fn place(&self) -> &Range<usize> {
        self.part.as_ref().map_or(&self.kind.span, |(_, name)| &name.span)
    }
}

/// Reads an event.
pub(crate) fn read_event(event: &mut Fields<'_>, scope: Scope) -> Option<Event> {
    let at = event.required("at_s", Expect::number(0.0..=scope.time_max_s()));
    let lasts = event.required("lasts_s", scope.time_s());
    let kind = event.required("kind", Expect::one_of(EventKind::words()));
    let mut parts = read_parts(event);
    let unit_words = "a control-unit number of four hexadecimal digits such as \"1000\"";
    let parse = |text: &str| hex(text, 4).map(|number| number as u16);
    let control_unit = event.optional("control_unit", Expect::parsed(unit_words, parse));
    let lpar = event.optional("lpar", Expect::text());
    let oper = event.optional("oper", oper());
    let zhyperlink = event.optional("zhyperlink", Expect::text());
    let group = event.optional("group", resource_group());
    let pchid = event.optional("pchid", pchid());
    let cpc = event.optional("cpc", cpc_name());
    let storage_box = event.optional("box", Expect::text());
    let share = event.optional("share", Expect::positive(1.0));
    let late = event.optional("late_us", Expect::integer(1..=LATE_MAX_US));
    let kind = kind?;
    let named = match kind.value {
        EventKind::Twin(kind) => check_names(event, kind),
        EventKind::Fault(kind) => check_target(event, kind),
    };
    check_presence(event, kind.value);
    if scope == Scope::Link {
        check_for_link(event, &kind)?;
    }
    named?;
    let span = |at: Located<f64>| Located::new(Span::from_s_f64(at.value), at.span);
    Some(Event {
        source: Arc::clone(event.source()),
        at: span(at?),
        lasts: span(lasts?),
        kind,
        part: parts.pop(),
        control_unit,
        lpar,
        oper,
        zhyperlink,
        group,
        pchid,
        cpc,
        storage_box,
        share: share.map_or(1.0, |share| share.value),
        late: Span::from_us(late.map_or(0, |late| late.value)),
    })
}

/// Reads the keys that name a part.
fn read_parts(event: &mut Fields<'_>) -> Vec<(Target, Located<String>)> {
    let named = Target::ALL.map(|target| {
        let expect = if target == Target::Chpid { channel_path() } else { Expect::text() };
        (target, event.optional(target.key(), expect))
    });
    named.into_iter().filter_map(|(target, name)| Some((target, name?))).collect()
}

/// Expects a channel path. CSS 0 is that of a name without one, and so is left out.
fn channel_path() -> Expect<'static, String> {
    let words = "a channel path such as \"0.40\": channel subsystem, point, CHPID; or \"40\"";
    Expect::parsed(words, |text| {
        let (css, chpid) = text.split_once('.').unwrap_or(("0", text));
        let (css, chpid) = (hex(css, 1)?, hex(chpid, 2)?);
        Some(if css == 0 { format!("{chpid:02X}") } else { format!("{css:X}.{chpid:02X}") })
    })
}

/// Expects the physical channel of a card.
fn pchid() -> Expect<'static, u16> {
    let words = "a PCHID of three hexadecimal digits such as \"110\"";
    Expect::parsed(words, |text| hex(text, 3).map(|pchid| pchid as u16))
}

/// Keys as messages list them.
fn listed<'a>(keys: impl Iterator<Item = &'a &'static str>, word: &str) -> String {
    let keys: Vec<_> = keys.map(|key| format!("`{key}`")).collect();
    keys.join(word)
}

/// Checks that an event that only the twin has names just what it is about.
fn check_names(event: &Fields<'_>, kind: TwinKind) -> Option<()> {
    let wanted = kind.keys();
    if NAMES.iter().all(|key| event.has(key) == wanted.contains(key)) {
        return Some(());
    }
    if wanted.is_empty() {
        let message = "this kind of event needs no key that names a part";
        event.error(numbers::CHOOSE_ONE, event.span(), message, "remove the name of the part");
        return None;
    }
    let wants = listed(wanted.iter(), " and ");
    let others = NAMES.iter().enumerate().filter(|(at, key)| event.has(key) || *at < COMMON);
    let others = listed(others.map(|(_, key)| key).filter(|key| !wanted.contains(key)), " or ");
    let message = format!("this kind of event needs {wants} and no {others}");
    event.error(numbers::CHOOSE_ONE, event.span(), message, format!("name what it happens to with {wants}"));
    None
}

/// Checks that a fault names one part that it can happen to.
fn check_target(event: &Fields<'_>, kind: FaultKind) -> Option<()> {
    let named: Vec<Target> = Target::ALL.into_iter().filter(|target| event.has(target.key())).collect();
    let is_named = match named.as_slice() {
        [] => kind.is_of_control_unit(),
        [target] => kind.targets().contains(target),
        _ => false,
    };
    if is_named {
        return Some(());
    }
    let keys: Vec<_> = kind.targets().iter().map(|target| format!("`{}`", target.key())).collect();
    let wants = match (keys.is_empty(), kind.is_of_control_unit()) {
        (true, _) => "no key that names a part".to_owned(),
        (false, false) => format!("one of {}", keys.join(", ")),
        (false, true) => format!("{} or no key that names a part", keys.join(", ")),
    };
    let message = format!("this kind of event needs {wants}");
    event.error(numbers::CHOOSE_ONE, event.span(), message, format!("give it {wants}"));
    None
}

/// Checks that an event has the further keys of its kind and no other.
fn check_presence(event: &Fields<'_>, kind: EventKind) {
    let has_part = Target::ALL.iter().any(|target| event.has(target.key()));
    let allowed = match kind {
        EventKind::Twin(kind) => {
            let is_of_cpc = !kind.keys().is_empty();
            let cpc = if is_of_cpc { None } else { Some(false) };
            [("share", Some(false)), ("late_us", Some(false)), ("box", Some(false)), ("cpc", cpc)]
        }
        EventKind::Fault(fault) => {
            let is_one_box = fault.is_of_control_unit() && fault != FaultKind::PowerLost && !has_part;
            let is_of_cpc = event.has("chpid") || event.has("card");
            [
                ("share", Some(fault.has_share())),
                ("late_us", Some(fault.has_lateness())),
                ("box", (!is_one_box && !event.has("port")).then_some(false)),
                ("cpc", (!is_of_cpc && !event.has("domain")).then_some(false)),
            ]
        }
    };
    let strange =
        ["control_unit", "lpar", "oper", "zhyperlink", "group", "pchid"].map(|key| (key, Some(false)));
    let strange = strange.into_iter().filter(|_| matches!(kind, EventKind::Fault(_)));
    for (key, is_needed) in allowed.into_iter().chain(strange) {
        let Some(is_needed) = is_needed.filter(|needed| event.has(key) != *needed) else { continue };
        let (verb, fix) = if is_needed { ("needs", "add") } else { ("has no", "remove") };
        let message = format!("this kind of event {verb} `{key}`");
        event.error(numbers::CHOOSE_ONE, event.span(), message, format!("{fix} `{key}`"));
    }
    if event.has("domain") && event.has("cpc") {
        let message = "a domain is of one CPC by its name alone";
        event.error(numbers::CHOOSE_ONE, event.span(), message, "drop `cpc`");
    }
}

/// Checks that an event means something on a working link.
fn check_for_link(event: &Fields<'_>, kind: &Located<EventKind>) -> Option<()> {
    for key in ["cpc", "box"].into_iter().filter(|key| event.has(key)) {
        let message = format!("`{key}` names a part of a study; a link has one channel and one control unit");
        event.error(numbers::CHOOSE_ONE, event.span(), message, format!("remove `{key}`"));
    }
    if kind.value.on_link().is_none() {
        let message = format!("`{}` happens in a study alone: no working link has it", kind.value.word());
        let fix = "remove the event, or run the script by `halftrack run STUDY --faults`";
        event.error(numbers::CHOOSE_ONE, kind.span.clone(), message, fix);
        return None;
    }
    Some(())
}

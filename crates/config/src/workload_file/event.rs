//! `[[event]]`: something that happens to the machine in the run.

use halftrack_base::Span;
use halftrack_input::messages::toml_file as numbers;
use halftrack_input::{Expect, Fields, Located};

use crate::cpc_name::CpcName;
use crate::place::hex;
use crate::plant::cpcs::cpc_name;
use crate::plant::interconnect::interconnect_name;

/// Longest time from the start of a run, s.
const TIME_MAX_S: f64 = 2_592_000.0;

/// One disturbance, its target as written.
#[derive(Debug, Clone)]
pub struct Event {
    /// When, from the start of the run, warm-up included.
    pub at: Span,
    /// For how long.
    pub lasts: Span,
    /// The CPC whose channel path or control-unit number it is, where the file names one.
    pub cpc: Option<Located<CpcName>>,
    /// Kind of event, with the parts that it affects.
    pub kind: EventKind,
}

/// Kind of event, with its channel path (CSS, CHPID), control-unit number or domain.
#[derive(Debug, Clone)]
pub enum EventKind {
    /// The channel answers every start busy.
    ChannelBusy(Located<(u8, u8)>),
    /// The control unit's image answers every command busy.
    ControlUnitBusy(Located<u16>),
    /// Both directions of the channel's fibre are dark.
    PathLost(Located<(u8, u8)>),
    /// The interconnect of a domain is lost.
    InterconnectLost(Located<String>),
    /// A partition's system takes the paths over the channel to a control unit offline: VARY PATH.
    VaryPath {
        /// The channel path.
        chpid: Located<(u8, u8)>,
        /// The control unit.
        control_unit: Located<u16>,
        /// The partition.
        lpar: Located<String>,
    },
    /// A channel path is configured off for a partition: CONFIG CHP.
    ConfigChp {
        /// The channel path.
        chpid: Located<(u8, u8)>,
        /// The partition.
        lpar: Located<String>,
    },
}

#[derive(Clone, Copy, PartialEq)]
enum Word {
    ChannelBusy,
    ControlUnitBusy,
    PathLost,
    InterconnectLost,
    VaryPath,
    ConfigChp,
}

impl Word {
    /// Returns the keys that name the parts it affects.
    fn targets(self) -> &'static [&'static str] {
        match self {
            Self::ChannelBusy | Self::PathLost => &["chpid"],
            Self::ControlUnitBusy => &["control_unit"],
            Self::InterconnectLost => &["domain"],
            Self::VaryPath => &["chpid", "control_unit", "lpar"],
            Self::ConfigChp => &["chpid", "lpar"],
        }
    }
}

/// Keys as messages list them.
fn listed<'a>(keys: impl Iterator<Item = &'a &'static str>, word: &str) -> String {
    let keys: Vec<_> = keys.map(|key| format!("`{key}`")).collect();
    keys.join(word)
}

/// The keys that name the parts an event affects; `lpar` beside another of them.
const TARGETS: [&str; 4] = ["chpid", "control_unit", "domain", "lpar"];

pub(super) fn read_events(fields: &mut Fields<'_>) -> Vec<Event> {
    fields.tables("event", |event| {
        let at_s = event.required("at_s", Expect::number(0.0..=TIME_MAX_S));
        let lasts_s = event.required("lasts_s", Expect::positive(TIME_MAX_S));
        let word = event.required(
            "kind",
            Expect::one_of([
                ("channel-busy", Word::ChannelBusy),
                ("control-unit-busy", Word::ControlUnitBusy),
                ("path-lost", Word::PathLost),
                ("interconnect-lost", Word::InterconnectLost),
                ("vary-path", Word::VaryPath),
                ("config-chp", Word::ConfigChp),
            ]),
        );
        let chpid_words = "a channel path such as \"0.40\": channel subsystem, point, CHPID";
        let chpid = event.optional("chpid", Expect::parsed(chpid_words, channel_path));
        let unit_words = "a control-unit number of four hexadecimal digits such as \"1000\"";
        let parse = |text: &str| hex(text, 4).map(|number| number as u16);
        let control_unit = event.optional("control_unit", Expect::parsed(unit_words, parse));
        let domain = event.optional("domain", interconnect_name());
        let lpar = event.optional("lpar", Expect::text());
        let cpc = event.optional("cpc", cpc_name());
        let word = word?.value;
        let wanted = word.targets();
        if TARGETS.iter().any(|target| event.has(target) != wanted.contains(target)) {
            let wants = listed(wanted.iter(), " and ");
            let has_none = |key: &&&str| !wanted.contains(*key) && (event.has(key) || **key != "lpar");
            let others = listed(TARGETS.iter().filter(has_none), " or ");
            let message = format!("this kind of event needs {wants} and no {others}");
            let fix = format!("name what it happens to with {wants}");
            event.error(numbers::CHOOSE_ONE, event.span(), message, fix);
            return None;
        }
        if word == Word::InterconnectLost && event.has("cpc") {
            let message = "a domain is of one CPC by its name alone";
            event.error(numbers::CHOOSE_ONE, event.span(), message, "drop `cpc`");
        }
        let kind = match word {
            Word::ChannelBusy => EventKind::ChannelBusy(chpid?),
            Word::ControlUnitBusy => EventKind::ControlUnitBusy(control_unit?),
            Word::PathLost => EventKind::PathLost(chpid?),
            Word::InterconnectLost => EventKind::InterconnectLost(domain?),
            Word::VaryPath => EventKind::VaryPath { chpid: chpid?, control_unit: control_unit?, lpar: lpar? },
            Word::ConfigChp => EventKind::ConfigChp { chpid: chpid?, lpar: lpar? },
        };
        let (at, lasts) = (at_s?.value, lasts_s?.value);
        Some(Event { at: Span::from_s_f64(at), lasts: Span::from_s_f64(lasts), cpc, kind })
    })
}

fn channel_path(text: &str) -> Option<(u8, u8)> {
    let (css, chpid) = text.split_once('.')?;
    Some((hex(css, 1)? as u8, hex(chpid, 2)? as u8))
}

//! `[[event]]`: something that happens to the machine in the run.

use halftrack_catalog::{Expect, Fields, numbers};
use halftrack_deck::model::Located;
use halftrack_engine::SimDuration;

use crate::place::hex;

/// Longest time from the start of a run, s.
const TIME_MAX_S: f64 = 2_592_000.0;

/// One disturbance, its target as written.
#[derive(Debug, Clone)]
pub struct Event {
    /// When, from the start of the run, warm-up included.
    pub at: SimDuration,
    /// For how long.
    pub lasts: SimDuration,
    /// What happens to what.
    pub kind: EventKind,
}

/// What happens, and to which channel path (CSS, CHPID) or control-unit number.
#[derive(Debug, Clone)]
pub enum EventKind {
    /// The channel answers every start busy.
    ChannelBusy(Located<(u8, u8)>),
    /// The control unit's image answers every command busy.
    ControlUnitBusy(Located<u16>),
    /// Both directions of the channel's fibre are dark.
    PathLost(Located<(u8, u8)>),
}

#[derive(Clone, Copy, PartialEq)]
enum Word {
    ChannelBusy,
    ControlUnitBusy,
    PathLost,
}

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
            ]),
        );
        let chpid_words = "a channel path such as \"0.40\": channel subsystem, point, CHPID";
        let chpid = event.optional("chpid", Expect::parsed(chpid_words, channel_path));
        let unit_words = "a control-unit number of four hexadecimal digits such as \"1000\"";
        let parse = |text: &str| hex(text, 4).map(|number| number as u16);
        let control_unit = event.optional("control_unit", Expect::parsed(unit_words, parse));
        let word = word?.value;
        let wants = if word == Word::ControlUnitBusy { "control_unit" } else { "chpid" };
        let other = if word == Word::ControlUnitBusy { "chpid" } else { "control_unit" };
        if !event.has(wants) || event.has(other) {
            let message = format!("this kind of event needs `{wants}` and no `{other}`");
            let fix = format!("say what it happens to with `{wants}`");
            event.error(numbers::CHOOSE_ONE, event.span(), message, fix);
            return None;
        }
        let kind = match word {
            Word::ChannelBusy => EventKind::ChannelBusy(chpid?),
            Word::ControlUnitBusy => EventKind::ControlUnitBusy(control_unit?),
            Word::PathLost => EventKind::PathLost(chpid?),
        };
        let (at, lasts) = (at_s?.value, lasts_s?.value);
        Some(Event { at: SimDuration::from_s_f64(at), lasts: SimDuration::from_s_f64(lasts), kind })
    })
}

fn channel_path(text: &str) -> Option<(u8, u8)> {
    let (css, chpid) = text.split_once('.')?;
    Some((hex(css, 1)? as u8, hex(chpid, 2)? as u8))
}

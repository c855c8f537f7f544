//! Files of scripts.

use std::sync::Arc;

use halftrack_base::Span;
use halftrack_input::messages::{faults as numbers, toml_file};
use halftrack_input::{Diagnostic, Expect, Fields, Located, SourceFile, read_document};

use super::{FaultKind, Target};

/// Longest run of a script, s.
const TIME_MAX_S: f64 = 3600.0;
/// Longest delay of a frame, us.
const LATE_MAX_US: u64 = 60_000_000;

/// An event as written.
#[derive(Debug, Clone)]
pub struct WrittenEvent {
    /// When, from the start of the streams.
    pub at: Located<Span>,
    /// For how long.
    pub lasts: Located<Span>,
    /// Kind.
    pub kind: FaultKind,
    /// Key and name of the part; nothing for the control unit.
    pub part: Option<(Target, Located<String>)>,
    /// Share of what crosses a link.
    pub share: f64,
    /// Lateness of frames.
    pub late: Span,
}

/// A script by meaning.
#[derive(Debug, Clone)]
pub struct ScriptFile {
    /// The text that the spans point into.
    pub source: Arc<SourceFile>,
    /// Seed of the machine that it is about, where it states one.
    pub seed: Option<u64>,
    /// How long the streams run.
    pub duration: Span,
    /// Events as they stand.
    pub events: Vec<WrittenEvent>,
}

/// Reads a script; the messages are about this file alone.
pub fn read_script(source: &Arc<SourceFile>) -> (Option<ScriptFile>, Vec<Diagnostic>) {
    read_document(source, |fields| {
        let seed = fields.optional("seed", Expect::integer(0..=u64::MAX >> 1));
        let duration = fields.required("duration_s", Expect::positive(TIME_MAX_S));
        let events = fields.tables("event", read_event);
        let duration = Span::from_s_f64(duration?.value);
        for event in &events {
            check_times(fields, duration, event);
        }
        Some(ScriptFile { source: Arc::clone(source), seed: seed.map(|seed| seed.value), duration, events })
    })
}

fn read_event(event: &mut Fields<'_>) -> Option<WrittenEvent> {
    let at = event.required("at_s", Expect::number(0.0..=TIME_MAX_S));
    let lasts = event.required("lasts_s", Expect::positive(TIME_MAX_S));
    let kind = event.required("kind", Expect::one_of(FaultKind::ALL.map(|kind| (kind.word(), kind))));
    let named = Target::ALL.map(|target| event.optional(target.key(), Expect::text()));
    let share = event.optional("share", Expect::positive(1.0));
    let late = event.optional("late_us", Expect::integer(1..=LATE_MAX_US));
    let kind = kind?.value;
    let mut parts: Vec<_> =
        Target::ALL.into_iter().zip(named).filter_map(|(target, name)| Some((target, name?))).collect();
    let is_named = match parts.as_slice() {
        [] => kind.is_of_control_unit(),
        [(target, _)] => kind.targets().contains(target),
        _ => false,
    };
    if !is_named {
        let keys: Vec<_> = kind.targets().iter().map(|target| format!("`{}`", target.key())).collect();
        let wants = match (keys.is_empty(), kind.is_of_control_unit()) {
            (true, _) => "no key that names a part".to_owned(),
            (false, false) => format!("one of {}", keys.join(", ")),
            (false, true) => format!("{} or no key that names a part", keys.join(", ")),
        };
        let message = format!("this kind of event needs {wants}");
        event.error(toml_file::CHOOSE_ONE, event.span(), message, format!("give it {wants}"));
    }
    let too_much = [("share", kind.has_share()), ("late_us", kind.has_lateness())];
    for (key, is_needed) in too_much {
        if event.has(key) != is_needed {
            let (verb, fix) = if is_needed { ("needs", "add") } else { ("has no", "remove") };
            let message = format!("this kind of event {verb} `{key}`");
            event.error(toml_file::CHOOSE_ONE, event.span(), message, format!("{fix} `{key}`"));
        }
    }
    let span = |at: Located<f64>| Located::new(Span::from_s_f64(at.value), at.span);
    Some(WrittenEvent {
        at: span(at?),
        lasts: span(lasts?),
        kind,
        part: parts.pop(),
        share: share.map_or(1.0, |share| share.value),
        late: Span::from_us(late.map_or(0, |late| late.value)),
    })
}

/// Reports an event that begins or ends after the streams do.
fn check_times(fields: &Fields<'_>, duration: Span, event: &WrittenEvent) {
    let seconds = duration.as_s_f64();
    if event.at.value >= duration {
        let message = format!("the event begins after the streams have ended, at {seconds} s");
        let fix = "begin earlier, or raise `duration_s`";
        fields.error(numbers::PAST_END, event.at.span.clone(), message, fix);
    } else if event.at.value.saturating_add(event.lasts.value) > duration {
        let message = format!("the event lasts beyond the end of the streams, at {seconds} s");
        let fix = "let the part come back before the end, or raise `duration_s`";
        fields.error(numbers::LOST_FOR_EVER, event.lasts.span.clone(), message, fix);
    }
}

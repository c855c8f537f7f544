//! Files of scripts.

use std::sync::Arc;

use halftrack_base::Span;
use halftrack_input::messages::faults as numbers;
use halftrack_input::{Diagnostic, Expect, Fields, Located, SourceFile, read_document};

use super::{Event, FaultKind, Hosts, Scope, Target, read_event};

/// An event of a working link as written.
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
    /// Hosts of that machine, where it states them.
    pub hosts: Option<Hosts>,
    /// How long the streams run.
    pub duration: Span,
    /// Events as they stand.
    pub events: Vec<WrittenEvent>,
}

/// Reads a script for a working link; the messages are about this file alone.
pub fn read_script(source: &Arc<SourceFile>) -> (Option<ScriptFile>, Vec<Diagnostic>) {
    read_document(source, |fields| {
        let hosts = fields.optional("hosts", Expect::one_of(Hosts::ALL.map(|hosts| (hosts.word(), hosts))));
        let hosts = hosts.map(|hosts| hosts.value);
        let (seed, duration, events) = read(fields, Scope::Link)?;
        let events = events.into_iter().filter_map(written).collect();
        Some(ScriptFile { source: Arc::clone(source), seed, hosts, duration, events })
    })
}

/// Reads the events of a script for a study, whose machine and seed are its own; the messages are about this file alone.
pub fn read_study_script(source: &Arc<SourceFile>) -> (Option<Vec<Event>>, Vec<Diagnostic>) {
    read_document(source, |fields| read(fields, Scope::Twin).map(|(_, _, events)| events))
}

fn read(fields: &mut Fields<'_>, scope: Scope) -> Option<(Option<u64>, Span, Vec<Event>)> {
    let seed = fields.optional("seed", Expect::integer(0..=u64::MAX >> 1));
    let duration = fields.required("duration_s", scope.time_s());
    let events = fields.tables("event", |event| read_event(event, scope));
    let duration = Span::from_s_f64(duration?.value);
    for event in &events {
        check_times(fields, duration, event);
    }
    Some((seed.map(|seed| seed.value), duration, events))
}

/// Returns the event as a working link has it; `None` for one that only a study has, which is reported.
fn written(event: Event) -> Option<WrittenEvent> {
    let Event { at, lasts, kind, part, share, late, .. } = event;
    Some(WrittenEvent { at, lasts, kind: kind.value.on_link()?, part, share, late })
}

/// Reports an event that begins or ends after the streams do.
fn check_times(fields: &Fields<'_>, duration: Span, event: &Event) {
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

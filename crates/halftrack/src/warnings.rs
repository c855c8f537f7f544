//! Warnings about a machine before it runs, and about events of a run that had no effect.

use halftrack_config::{Configuration, DisturbanceKind, StudyFiles, read_workload};
use halftrack_drawing::number;
use halftrack_input::messages::study as numbers;
use halftrack_input::{Diagnostic, Label, Severity};
use halftrack_record::{Moment, OfferedRate, OfferedTooMuch};

/// Returns a warning for each of `offered`, at the stream with the largest demand in the workload of `files`. The other
/// streams stand beside it.
pub fn offered_warnings(files: &StudyFiles, offered: &[OfferedTooMuch]) -> Vec<Diagnostic> {
    let streams = read_workload(&files.workload).0.map(|workload| workload.streams).unwrap_or_default();
    let span = |name: &str| {
        let place = streams.iter().find(|stream| stream.name.value == name);
        place.map_or(0..0, |stream| stream.name.span.clone())
    };
    let warning = |one: &OfferedTooMuch| {
        let first = span(&one.streams.first()?.stream);
        let warning = Diagnostic::error(numbers::OFFERED_TOO_MUCH, &files.workload, first, message(one))
            .severity(Severity::Warning)
            .fix(fix(one));
        Some(one.streams.iter().skip(1).fold(warning, |warning, OfferedRate { stream, per_s }| {
            let words = format!("stream {stream} offers {} there too", number::rate(*per_s));
            warning.other(Label::new(&files.workload, span(stream), words))
        }))
    };
    offered.iter().filter_map(warning).collect()
}

fn message(one: &OfferedTooMuch) -> String {
    let (name, offered_per_s) =
        one.streams.first().map_or(("", 0.0), |first| (first.stream.as_str(), first.per_s));
    let others = if one.streams.len() > 1 { " beside the others" } else { "" };
    format!(
        "stream {name} offers {} I/Os a second, and {} allows {} of them at most{others}",
        number::rate(offered_per_s),
        one.station,
        number::rate(one.bound_per_s())
    )
}

fn fix(one: &OfferedTooMuch) -> String {
    let rates = if one.streams.len() > 1 { "the rates" } else { "the rate" };
    format!("lower {rates} to {:.0} %, or add to what is in the way", (100.0 * one.served).floor())
}

/// Returns a line for each event of the study that was refused up to `moment`.
pub fn refused_events(configuration: &Configuration, moment: &Moment) -> Vec<String> {
    let line = |index: &u32| {
        let event = &configuration.disturbances[*index as usize];
        let (DisturbanceKind::VaryPath { lpar, channel, .. } | DisturbanceKind::ConfigChp { lpar, channel }) =
            event.kind
        else {
            return None;
        };
        let name = &configuration.lpars[lpar as usize].name;
        let chpid = configuration.channels[channel as usize].chpid;
        let at_s = event.at.as_s_f64();
        Some(format!("at {at_s} s: CHPID {chpid:02X} stays online to {name}: it is the last path to devices"))
    };
    moment.refused.iter().filter_map(line).collect()
}

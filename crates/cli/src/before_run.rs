//! Warnings before a run, on standard error: links that are short of credits, streams that offer too much.

use std::io::{self, Write};

use halftrack::{Simulation, Study, StudyFiles};
use halftrack_config::read_workload;
use halftrack_drawing::number;
use halftrack_input::messages::study as numbers;
use halftrack_input::{Diagnostic, Label, Severity};
use halftrack_record::{OfferedRate, OfferedTooMuch};
use halftrack_report::credit_words;

use crate::diagnostics;

/// Warns of what is known of `simulation` before it runs.
///
/// # Errors
/// When standard error cannot be written.
pub fn warn(study: &Study, simulation: &Simulation) -> io::Result<()> {
    for words in credit_words(&simulation.credit_shortages()) {
        writeln!(io::stderr().lock(), "halftrack: warning: {words}")?;
    }
    let offered = simulation.offered_too_much();
    let warnings = study.files().map(|files| offered_warnings(files, &offered));
    diagnostics::show(&warnings.unwrap_or_default())
}

/// Makes a warning for each of `offered` at the stream with the highest rate in the workload of `files`, with the
/// others beside it.
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

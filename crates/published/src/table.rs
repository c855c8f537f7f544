//! The scoreboard as text.

use std::fmt::Write;

use crate::digits::digits;
use crate::library::Library;
use crate::row::{Row, Status};
use crate::scoreboard::Scoreboard;
use crate::tally::Tally;

/// Headings, and columns that are set to the right.
const HEADINGS: [(&str, bool); 8] = [
    ("figure", false),
    ("published", true),
    ("simulated", true),
    ("error %", true),
    ("holds", false),
    ("status", false),
    ("independent", false),
    ("bottleneck", false),
];
/// Missed figures that the summary lists.
const MISSED_SHOWN: usize = 40;

/// Parts of a table beside the figures that are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Shown {
    /// The figures that nothing answers, too.
    pub all: bool,
    /// The reasons beneath the lines, and the experiments.
    pub explained: bool,
}

/// Returns the rows with columns in line, the notes beneath them, and the summary.
pub fn table(board: &Scoreboard, library: &Library, shown: Shown) -> String {
    let is_shown = |row: &&Row| shown.all || row.status != Status::NotCovered;
    let rows: Vec<&Row> = board.rows.iter().filter(is_shown).collect();
    let cells: Vec<[String; 8]> = rows.iter().map(|row| cells(row)).collect();
    let mut widths = HEADINGS.map(|(heading, _)| heading.len());
    for row in &cells {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut text = String::new();
    let mut source = "";
    for (row, cells) in rows.iter().zip(&cells) {
        if row.source != source {
            source = &row.source;
            let gap = if text.is_empty() { "" } else { "\n" };
            let _ = writeln!(text, "{gap}{source}");
            line(&mut text, &HEADINGS.map(|(heading, _)| heading.to_owned()), &widths);
        }
        line(&mut text, cells, &widths);
        let reasons = row.reasons.iter().filter(|_| shown.explained);
        for remark in row.remarks.iter().chain(reasons) {
            let _ = writeln!(text, "    {remark}");
        }
    }
    if !text.is_empty() {
        text.push('\n');
    }
    if shown.explained {
        text.push_str(&experiments(&rows, library));
    }
    text.push_str(&summary(&board.tally()));
    text
}

/// Returns the experiments that answer the rows: study, channel programs and notes.
fn experiments(rows: &[&Row], library: &Library) -> String {
    let mut text = String::new();
    let answers = |name: &str| rows.iter().any(|row| row.experiment.as_deref() == Some(name));
    for experiment in library.experiments.iter().filter(|one| answers(&one.name)) {
        let study =
            experiment.study.as_ref().map_or_else(String::new, |study| format!(", study {}", study.name));
        let _ = writeln!(text, "experiment {}{study}", experiment.name);
        if !experiment.program.is_empty() {
            let _ = writeln!(text, "    {}", experiment.program);
        }
        if !experiment.note.is_empty() {
            let _ = writeln!(text, "    {}", experiment.note);
        }
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

/// Returns the summary as text.
pub fn summary(tally: &Tally) -> String {
    let mut text = String::new();
    if let Some(share) = tally.share_independent_percent() {
        let _ = writeln!(
            text,
            "independent predictions: {}, of which {} within 5 % ({share:.1} %), {} counting a printed bound that holds",
            tally.independent,
            tally.independent_within_5_percent,
            tally.independent_within_5_percent_or_bound
        );
    }
    let _ = writeln!(
        text,
        "{} figures: {} predicted, {} fitted, {} by definition, {} contradicted, {} not covered",
        tally.figures, tally.predicted, tally.fitted, tally.definition, tally.contradicted, tally.not_covered
    );
    let _ = writeln!(
        text,
        "measured and predicted: {}, of which {} within 5 % and {} within 15 %; fitted within 1 %: {} of {}",
        tally.measured_predictions,
        tally.within_5_percent,
        tally.within_15_percent,
        tally.fitted_within_1_percent,
        tally.fitted
    );
    if let Some(share) = tally.share_met_percent() {
        let _ = writeln!(
            text,
            "counting a printed bound that holds as met: {} of {} ({share:.1} %)",
            tally.within_5_percent_or_bound, tally.measured_predictions
        );
    }
    if let Some(ratio) = tally.predictions_per_parameter {
        let parameters = tally.fitted_parameters;
        let _ = writeln!(
            text,
            "fitted numbers of the catalog in use: {parameters}; {ratio:.1} measured predictions for each"
        );
    }
    if !tally.missed.is_empty() {
        let _ = writeln!(text, "missed (predicted by more than 5 %, fitted by more than 1 %):");
    }
    for one in tally.missed.iter().take(MISSED_SHOWN) {
        let error = one.error_percent.map_or_else(|| "no error".to_owned(), |error| format!("{error:+.1} %"));
        let holds = if one.holds == Some(true) { ", its relation holds" } else { "" };
        let _ = writeln!(text, "  {} {error} ({}{holds})", one.id, one.status.word());
    }
    if tally.missed.len() > MISSED_SHOWN {
        let _ = writeln!(text, "  and {} more", tally.missed.len() - MISSED_SHOWN);
    }
    text
}

/// Formats the printed part of a row: relation, value or range, unit.
pub(crate) fn printed(row: &Row) -> String {
    let printed = match (row.published, row.low, row.high) {
        (Some(value), ..) => digits(value),
        (None, Some(low), Some(high)) => format!("{}..{}", digits(low), digits(high)),
        _ => String::new(),
    };
    let relation = if row.relation == "=" { String::new() } else { format!("{} ", row.relation) };
    let gap = if row.unit.is_empty() { "" } else { " " };
    format!("{relation}{printed}{gap}{}", row.unit)
}

fn cells(row: &Row) -> [String; 8] {
    [
        row.id.clone(),
        printed(row),
        row.simulated.map_or_else(String::new, digits),
        row.error_percent.map_or_else(String::new, |error| format!("{error:+.1}")),
        row.holds.map_or("", |holds| if holds { "yes" } else { "no" }).to_owned(),
        row.status.word().to_owned(),
        if row.independent { "yes" } else { "" }.to_owned(),
        row.bottleneck.clone().unwrap_or_default(),
    ]
}

fn line(text: &mut String, cells: &[String; 8], widths: &[usize; 8]) {
    let mut line = String::new();
    for ((cell, width), (_, right)) in cells.iter().zip(widths).zip(HEADINGS) {
        let fill = " ".repeat(width - cell.chars().count());
        let (before, after) = if right { (fill.as_str(), "") } else { ("", fill.as_str()) };
        let _ = write!(line, "{before}{cell}{after}  ");
    }
    let _ = writeln!(text, "{}", line.trim_end());
}

//! Messages in JSON.

use halftrack_input::{Diagnostic, Label, Severity};
use serde::Serialize;

#[derive(Debug, Serialize)]
struct Place<'a> {
    file: &'a str,
    line: usize,
    column: usize,
    /// Characters that are underlined.
    length: usize,
    text: &'a str,
}

impl<'a> Place<'a> {
    fn of(label: &'a Label) -> Self {
        let (line, column) = label.source.position(label.span.start);
        Self { file: &label.source.name, line, column, length: length(label), text: &label.text }
    }
}

/// One message.
#[derive(Debug, Serialize)]
pub struct MessageRecord<'a> {
    code: String,
    severity: &'static str,
    ibm: Option<String>,
    file: &'a str,
    line: usize,
    column: usize,
    /// Characters that are underlined.
    length: usize,
    message: &'a str,
    expected: Option<&'a str>,
    help: Option<&'a str>,
    others: Vec<Place<'a>>,
}

impl<'a> MessageRecord<'a> {
    /// Builds the record of `message`.
    pub fn of(message: &'a Diagnostic) -> Self {
        let (line, column) = message.position();
        Self {
            code: message.code(),
            severity: severity(message.severity),
            ibm: message.ibm(),
            file: &message.at.source.name,
            line,
            column,
            length: length(&message.at),
            message: &message.message,
            expected: message.expected.as_deref(),
            help: message.fix.as_deref(),
            others: message.others.iter().map(Place::of).collect(),
        }
    }
}

/// Characters that are underlined.
fn length(label: &Label) -> usize {
    label.source.text.get(label.span.clone()).map_or(0, |text| text.chars().count())
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Advice => "advice",
        Severity::Info => "information",
        Severity::Caution => "caution",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}

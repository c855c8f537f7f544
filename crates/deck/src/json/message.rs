//! Messages in JSON.

use halftrack_input::{Diagnostic, Label};
use serde::Serialize;

#[derive(Debug, Serialize)]
struct Place<'a> {
    card: usize,
    column: usize,
    /// Characters that are underlined.
    length: usize,
    text: &'a str,
}

impl<'a> Place<'a> {
    fn of(label: &'a Label) -> Self {
        let (card, column) = label.source.position(label.span.start);
        let underlined = label.source.text.get(label.span.clone());
        Self { card, column, length: underlined.map_or(0, |text| text.chars().count()), text: &label.text }
    }
}

/// One message.
#[derive(Debug, Serialize)]
pub struct MessageRecord<'a> {
    code: String,
    ibm: Option<String>,
    text: &'a str,
    at: Place<'a>,
    others: Vec<Place<'a>>,
    fix: Option<&'a str>,
}

impl<'a> MessageRecord<'a> {
    /// `message`.
    pub fn of(message: &'a Diagnostic) -> Self {
        Self {
            code: message.code(),
            ibm: message.ibm(),
            text: &message.message,
            at: Place::of(&message.at),
            others: message.others.iter().map(Place::of).collect(),
            fix: message.fix.as_deref(),
        }
    }
}

//! Messages about the user's input, shown all together: drawn with the offending lines on a terminal, as plain
//! lines that begin with number, file, line and column anywhere else.

use std::io::{self, IsTerminal, Write};
use std::ops::Range;
use std::sync::Arc;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};
use halftrack_deck::formats::json::MessageRecord;
use halftrack_input::{Diagnostic, Label, Severity, has_errors, together};
use serde_json::json;

use crate::standard_error::standard_error;
use crate::standard_output;

/// End of a message that stands for others, where `--all` shows each.
pub const ALL_HINT: &str = " (--all shows each)";

/// Shows the messages on standard error, those of one cause as one, then how many there were.
///
/// # Errors
/// When standard error cannot be written.
pub fn show(found: &[Diagnostic]) -> io::Result<()> {
    show_of(&together(found, ""), found)
}

/// Shows the messages on standard error as `form` has them; as JSON on standard output, where one is an error.
///
/// # Errors
/// When they cannot be written.
pub fn show_as(found: &[Diagnostic], form: MessageForm) -> io::Result<()> {
    match form {
        MessageForm::Json if has_errors(found) => {
            let messages: Vec<MessageRecord> = found.iter().map(MessageRecord::of).collect();
            standard_output::print(&format!("{:#}\n", json!({ "messages": messages })))
        }
        MessageForm::All => show_of(found, found),
        MessageForm::Together | MessageForm::Json => show_of(&together(found, ALL_HINT), found),
    }
}

/// How the messages about a study are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageForm {
    /// Messages of one cause shown as one.
    Together,
    /// Each.
    All,
    /// As JSON where the study cannot be run.
    Json,
}

impl MessageForm {
    /// Selects the form by `--all` and `--json`.
    pub fn new(all: bool, json: bool) -> Self {
        if json {
            Self::Json
        } else if all {
            Self::All
        } else {
            Self::Together
        }
    }
}

/// Shows `shown`, and how many there are in `found`.
fn show_of(shown: &[Diagnostic], found: &[Diagnostic]) -> io::Result<()> {
    let mut out = standard_error();
    if io::stderr().is_terminal() {
        drawn(shown, &Renderer::styled(), &mut out)?;
    } else {
        plain(shown, &mut out)?;
    }
    totals(found, &mut out)
}

fn drawn(found: &[Diagnostic], renderer: &Renderer, out: &mut dyn Write) -> io::Result<()> {
    for diagnostic in found {
        writeln!(out, "{}\n", renderer.render(&drawing(diagnostic)))?;
    }
    Ok(())
}

fn plain(found: &[Diagnostic], out: &mut dyn Write) -> io::Result<()> {
    for diagnostic in found {
        writeln!(out, "{diagnostic}")?;
    }
    Ok(())
}

/// Writes `2 errors, 1 warning`; nothing where there is no message.
fn totals(found: &[Diagnostic], out: &mut dyn Write) -> io::Result<()> {
    if found.is_empty() {
        return Ok(());
    }
    let count =
        |severities: &[Severity]| found.iter().filter(|one| severities.contains(&one.severity)).count();
    let errors = counted(count(&[Severity::Error]), "error");
    let warnings = counted(count(&[Severity::Warning, Severity::Caution]), "warning");
    writeln!(out, "{errors}, {warnings}")
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// Arranges a message with its source lines: those of its own file first, then those of each other place.
fn drawing(diagnostic: &Diagnostic) -> [Group<'_>; 1] {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning | Severity::Caution => Level::WARNING,
        Severity::Info => Level::INFO,
        Severity::Advice => Level::NOTE,
    };
    let mut group = level.primary_title(&diagnostic.message).id(diagnostic.code()).elements(snippet(
        &diagnostic.at,
        diagnostic.others.iter().filter(|other| Arc::ptr_eq(&other.source, &diagnostic.at.source)),
    ));
    for other in &diagnostic.others {
        if !Arc::ptr_eq(&other.source, &diagnostic.at.source) {
            group = group.elements(snippet(other, std::iter::empty()));
        }
    }
    if let Some(fix) = &diagnostic.fix {
        group = group.element(Level::HELP.message(fix));
    }
    [group]
}

/// Arranges the lines of `first` and `others`, places in one file. There are none where the file could not be read
/// and has no text, since its name stands in the message.
fn snippet<'a>(
    first: &'a Label,
    others: impl Iterator<Item = &'a Label>,
) -> Option<Snippet<'a, Annotation<'a>>> {
    let source = &first.source;
    (!source.text.is_empty()).then(|| {
        let others = others.map(|other| AnnotationKind::Context.span(within_text(other)).label(&*other.text));
        Snippet::source(&*source.text)
            .path(&*source.name)
            .annotation(AnnotationKind::Primary.span(within_text(first)).label(&*first.text))
            .annotations(others)
    })
}

/// Returns the place of `label`, at the end of the text where it lies outside.
fn within_text(label: &Label) -> Range<usize> {
    let length = label.source.text.len();
    let start = label.span.start.min(length);
    start..label.span.end.clamp(start, length)
}

#[cfg(test)]
mod tests {
    use halftrack_input::SourceFile;

    use super::*;

    const DECK: &str = "         CHPID PATH=(CSS(0),40),PCHID=1F0,TYPE=FC\n";
    const PLANT: &str = "[[card]]\npchids = [\"100\", \"101\"]\n";

    /// Makes an error that names two files and a warning in one.
    fn found() -> Vec<Diagnostic> {
        let (deck, plant) = (SourceFile::new("deck.iocp", DECK), SourceFile::new("plant.toml", PLANT));
        let pchid = DECK.find("PCHID").expect("a PCHID");
        let no_card = Diagnostic::error(903, &deck, pchid..pchid + 9, "the plant has no card for PCHID 1F0")
            .other(Label::new(&plant, 0..8, "the cards of the plant"))
            .fix("add `1F0` to the `pchids` of a card");
        let warning = Diagnostic::error(830, &plant, 0..0, "not read").severity(Severity::Warning);
        vec![no_card, warning]
    }

    fn text(show: impl Fn(&mut dyn Write) -> io::Result<()>) -> String {
        let mut written = Vec::new();
        show(&mut written).expect("memory takes everything");
        String::from_utf8(written).expect("text")
    }

    fn drawn_text(found: &[Diagnostic]) -> String {
        text(|out| drawn(found, &Renderer::plain(), out))
    }

    #[test]
    fn plain_messages_begin_with_number_file_line_and_column() {
        let expected = "HTK903E deck.iocp:1:33 the plant has no card for PCHID 1F0\n  \
                        see: plant.toml:1:1 the cards of the plant\n  \
                        fix: add `1F0` to the `pchids` of a card\n\
                        HTK830W plant.toml:1:1 not read\n";
        assert_eq!(text(|out| plain(&found(), out)), expected);
    }

    #[test]
    fn drawn_messages_show_the_lines_of_both_files() {
        let drawn = drawn_text(&found());
        for part in [
            "HTK903E",
            "the plant has no card for PCHID 1F0",
            "deck.iocp:1:33",
            DECK.trim_end(),
            "plant.toml:1:1",
            "the cards of the plant",
            "add `1F0` to the `pchids` of a card",
        ] {
            assert!(drawn.contains(part), "{part} is missing in:\n{drawn}");
        }
    }

    #[test]
    fn a_drawing_is_headed_by_the_place_of_the_message_itself() {
        let deck = SourceFile::new("deck.iocp", format!("{DECK}{DECK}"));
        let second = Diagnostic::error(207, &deck, DECK.len() + 15..DECK.len() + 19, "PCHID 1F0 has a CHPID")
            .other(Label::new(&deck, 15..19, "the other one"));
        let drawn = drawn_text(&[second]);
        assert!(drawn.contains("deck.iocp:2:16"), "{drawn}");
        assert!(drawn.contains("the other one"), "{drawn}");
    }

    #[test]
    fn places_outside_the_text_are_drawn_at_its_end() {
        let empty = SourceFile::new("study/plant.toml", "");
        let short = SourceFile::new("deck.iocp", "ID");
        let found = [
            Diagnostic::error(890, &empty, 0..0, "study/plant.toml cannot be read"),
            Diagnostic::error(862, &short, 7..99, "there is no CHPID"),
        ];
        let drawn = drawn_text(&found);
        assert!(drawn.contains("study/plant.toml cannot be read"), "{drawn}");
        assert!(drawn.contains("deck.iocp:1:"), "{drawn}");
    }

    #[test]
    fn without_messages_nothing_is_said() {
        assert_eq!(text(|out| plain(&[], out).and_then(|()| totals(&[], out))), "");
        assert_eq!(text(|out| totals(&found(), out)), "1 error, 1 warning\n");
    }
}

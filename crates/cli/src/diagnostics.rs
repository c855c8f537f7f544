//! Messages about the user's input, shown all together: drawn with the offending lines on a terminal, as plain
//! lines that begin with number, file, line and column anywhere else.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;

use halftrack_deck::diagnostic::{Diagnostic, Label, Severity, SourceFile};
use miette::{
    LabeledSpan, MietteError, MietteHandlerOpts, MietteSpanContents, ReportHandler, SourceCode, SourceSpan,
    SpanContents,
};

/// Shows every message on standard error, then how many there were.
///
/// # Errors
/// When standard error cannot be written.
pub fn show(found: &[Diagnostic]) -> io::Result<()> {
    let stderr = io::stderr();
    if stderr.is_terminal() {
        drawn(found, &MietteHandlerOpts::new().build(), &mut stderr.lock())
    } else {
        plain(found, &mut stderr.lock())
    }
}

fn drawn(found: &[Diagnostic], handler: &dyn ReportHandler, out: &mut dyn Write) -> io::Result<()> {
    for diagnostic in found {
        let message = Message::new(diagnostic);
        writeln!(out, "{}", Drawing { message: &message, handler })?;
    }
    totals(found, out)
}

fn plain(found: &[Diagnostic], out: &mut dyn Write) -> io::Result<()> {
    for diagnostic in found {
        writeln!(out, "{diagnostic}")?;
    }
    totals(found, out)
}

/// `2 errors, 1 warning`; nothing where there is no message.
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

/// A message drawn by a miette handler, which writes to formatters only.
struct Drawing<'a> {
    message: &'a Message,
    handler: &'a dyn ReportHandler,
}

impl fmt::Display for Drawing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.handler.debug(self.message, f)
    }
}

/// A diagnostic, or one of its other places, as miette wants it: one file each.
#[derive(Debug)]
struct Message {
    severity: Severity,
    code: Option<String>,
    text: String,
    fix: Option<String>,
    file: File,
    labels: Vec<LabeledSpan>,
    elsewhere: Vec<Message>,
}

impl Message {
    fn new(diagnostic: &Diagnostic) -> Self {
        let file = &diagnostic.at.source;
        let (here, elsewhere): (Vec<&Label>, Vec<&Label>) =
            diagnostic.others.iter().partition(|other| Arc::ptr_eq(&other.source, file));
        Self {
            severity: diagnostic.severity,
            code: Some(diagnostic.code()),
            text: diagnostic.message.clone(),
            fix: diagnostic.fix.clone(),
            file: File(Arc::clone(file)),
            // The drawing is headed by the line of the primary label, wherever the others lie.
            labels: std::iter::once(labeled(&diagnostic.at, LabeledSpan::new_primary_with_span))
                .chain(here.into_iter().map(|label| labeled(label, LabeledSpan::new_with_span)))
                .collect(),
            elsewhere: elsewhere.into_iter().map(Self::elsewhere).collect(),
        }
    }

    fn elsewhere(label: &Label) -> Self {
        Self {
            severity: Severity::Advice,
            code: None,
            text: format!("see {}", label.source.name),
            fix: None,
            file: File(Arc::clone(&label.source)),
            labels: vec![labeled(label, LabeledSpan::new_primary_with_span)],
            elsewhere: Vec::new(),
        }
    }
}

fn labeled(label: &Label, drawn: fn(Option<String>, SourceSpan) -> LabeledSpan) -> LabeledSpan {
    let length = label.source.text.len();
    let start = label.span.start.min(length);
    let end = label.span.end.clamp(start, length);
    let words = (!label.text.is_empty()).then(|| label.text.clone());
    drawn(words, (start, end - start).into())
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Message {}

impl miette::Diagnostic for Message {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.code.as_ref().map(|code| Box::new(code) as Box<dyn fmt::Display>)
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning | Severity::Caution => miette::Severity::Warning,
            Severity::Info | Severity::Advice => miette::Severity::Advice,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.fix.as_ref().map(|fix| Box::new(fix) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        // A file that could not be read has no text to draw; its name stands in the message.
        (!self.file.0.text.is_empty()).then_some(&self.file as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.labels.iter().cloned()))
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn miette::Diagnostic> + 'a>> {
        Some(Box::new(self.elsewhere.iter().map(|place| place as &dyn miette::Diagnostic)))
    }
}

/// A source file with its name, without a copy of its text.
#[derive(Debug)]
struct File(Arc<SourceFile>);

impl SourceCode for File {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        lines_before: usize,
        lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let contents = self.0.text.as_str().read_span(span, lines_before, lines_after)?;
        Ok(Box::new(MietteSpanContents::new_named(
            self.0.name.clone(),
            contents.data(),
            *contents.span(),
            contents.line(),
            contents.column(),
            contents.line_count(),
        )))
    }
}

#[cfg(test)]
mod tests {
    use miette::{GraphicalReportHandler, GraphicalTheme};

    use super::*;

    const DECK: &str = "         CHPID PATH=(CSS(0),40),PCHID=1F0,TYPE=FC\n";
    const PLANT: &str = "[[card]]\npchids = [\"100\", \"101\"]\n";

    /// An error that names two files and a warning in one.
    fn found() -> Vec<Diagnostic> {
        let (deck, plant) = (SourceFile::new("deck.iocp", DECK), SourceFile::new("plant.toml", PLANT));
        let pchid = DECK.find("PCHID").expect("a PCHID");
        let no_card = Diagnostic::error(903, &deck, pchid..pchid + 9, "the plant has no card for PCHID 1F0")
            .other(Label::new(&plant, 0..8, "the cards of the plant"))
            .fix("add `1F0` to the `pchids` of a card");
        let warning = Diagnostic::error(858, &plant, 0..0, "not read").severity(Severity::Warning);
        vec![no_card, warning]
    }

    fn text(show: impl Fn(&mut dyn Write) -> io::Result<()>) -> String {
        let mut written = Vec::new();
        show(&mut written).expect("memory takes everything");
        String::from_utf8(written).expect("text")
    }

    fn drawn_text(found: &[Diagnostic]) -> String {
        let handler = GraphicalReportHandler::new_themed(GraphicalTheme::none()).with_width(100);
        text(|out| drawn(found, &handler, out))
    }

    #[test]
    fn plain_messages_begin_with_number_file_line_and_column() {
        let expected = "HTK903E deck.iocp:1:33 the plant has no card for PCHID 1F0\n  \
                        see: plant.toml:1:1 the cards of the plant\n  \
                        fix: add `1F0` to the `pchids` of a card\n\
                        HTK858W plant.toml:1:1 not read\n\
                        1 error, 1 warning\n";
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
            "1 error, 1 warning",
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
            Diagnostic::error(850, &empty, 0..0, "study/plant.toml cannot be read"),
            Diagnostic::error(100, &short, 7..99, "there is no CHPID"),
        ];
        let drawn = drawn_text(&found);
        assert!(drawn.contains("study/plant.toml cannot be read"), "{drawn}");
        assert!(drawn.contains("deck.iocp:1:"), "{drawn}");
        assert!(drawn.ends_with("2 errors, 0 warnings\n"), "{drawn}");
    }

    #[test]
    fn without_messages_nothing_is_said() {
        assert_eq!(text(|out| plain(&[], out)), "");
    }
}

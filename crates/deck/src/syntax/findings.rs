//! The messages of one reading while they are being found.

use std::ops::Range;
use std::sync::Arc;

use halftrack_input::{Diagnostic, Label, Severity, SourceFile};

/// Collects diagnostics about one source.
#[derive(Debug)]
pub(crate) struct Findings {
    source: Arc<SourceFile>,
    subject: String,
    list: Vec<Diagnostic>,
    errors: usize,
    /// What IOCP refuses but can be read as meant is no error.
    lenient: bool,
}

impl Findings {
    /// No findings yet about `source`.
    pub(crate) fn new(source: &Arc<SourceFile>) -> Self {
        Self {
            source: Arc::clone(source),
            subject: String::new(),
            list: Vec::new(),
            errors: 0,
            lenient: false,
        }
    }

    /// Subject of the findings.
    pub(crate) fn source(&self) -> &Arc<SourceFile> {
        &self.source
    }

    /// The same for who reads leniently.
    pub(crate) fn lenient(self, lenient: bool) -> Self {
        Self { lenient, ..self }
    }

    /// True for who reads leniently.
    pub(crate) fn is_lenient(&self) -> bool {
        self.lenient
    }

    /// A message about something that IOCP refuses and that is read as it is meant: the error `strict`, or the
    /// warning `lenient` for who reads leniently.
    pub(crate) fn mended(
        &self,
        (strict, lenient): (u16, u16),
        span: &Range<usize>,
        message: impl AsRef<str>,
        fix: &str,
    ) -> Diagnostic {
        if self.lenient {
            self.error(lenient, span, message).severity(Severity::Warning).fix(fix)
        } else {
            self.error(strict, span, message).fix(format!("{fix}; --lenient reads it as it is"))
        }
    }

    /// From now on messages begin with `subject`, such as `CHPID 40`.
    pub(crate) fn about(&mut self, subject: impl Into<String>) {
        self.subject = subject.into();
    }

    /// An error about the current subject, not yet reported.
    pub(crate) fn error(&self, number: u16, span: &Range<usize>, message: impl AsRef<str>) -> Diagnostic {
        let message = if self.subject.is_empty() {
            message.as_ref().to_owned()
        } else {
            format!("{}: {}", self.subject, message.as_ref())
        };
        Diagnostic::error(number, &self.source, self.whole(span), message)
    }

    /// A label over `span` of the same source.
    pub(crate) fn label(&self, span: &Range<usize>, text: impl Into<String>) -> Label {
        Label::new(&self.source, self.whole(span), text)
    }

    /// `span` inside the text and over whole characters: a blank may stand for a longer character, or for the end
    /// of a card.
    fn whole(&self, span: &Range<usize>) -> Range<usize> {
        let text = &self.source.text;
        let boundary = |at: usize| (at.min(text.len())..=text.len()).find(|&at| text.is_char_boundary(at));
        let start = boundary(span.start).unwrap_or(text.len());
        start..boundary(span.end).unwrap_or(text.len()).max(start)
    }

    /// Adds `diagnostic`.
    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        if diagnostic.severity == Severity::Error {
            self.errors += 1;
        }
        self.list.push(diagnostic);
    }

    /// How many errors so far: compared before and after a step, it tells whether the step was clean.
    pub(crate) fn errors(&self) -> usize {
        self.errors
    }

    /// Everything found, in the order found.
    pub(crate) fn into_list(self) -> Vec<Diagnostic> {
        self.list
    }
}

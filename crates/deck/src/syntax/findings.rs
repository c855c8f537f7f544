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
    /// Text that IOCP refuses and whose meaning is clear is no error.
    lenient: bool,
}

impl Findings {
    /// Begins without findings about `source`.
    pub(crate) fn new(source: &Arc<SourceFile>) -> Self {
        Self {
            source: Arc::clone(source),
            subject: String::new(),
            list: Vec::new(),
            errors: 0,
            lenient: false,
        }
    }

    /// Returns the subject of the findings.
    pub(crate) fn source(&self) -> &Arc<SourceFile> {
        &self.source
    }

    /// Sets whether the reading is lenient.
    pub(crate) fn lenient(self, lenient: bool) -> Self {
        Self { lenient, ..self }
    }

    /// Returns true when the reading is lenient.
    pub(crate) fn is_lenient(&self) -> bool {
        self.lenient
    }

    /// Builds a message about text that IOCP refuses and that is read as it is meant. It is the error `strict`, or in
    /// a lenient reading the warning `lenient`.
    pub(crate) fn accepted_leniently(
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

    /// Begins messages from now on with `subject`, such as `CHPID 40`.
    pub(crate) fn about(&mut self, subject: impl Into<String>) {
        self.subject = subject.into();
    }

    /// Builds an error about the current subject, not yet reported.
    pub(crate) fn error(&self, number: u16, span: &Range<usize>, message: impl AsRef<str>) -> Diagnostic {
        let message = if self.subject.is_empty() {
            message.as_ref().to_owned()
        } else {
            format!("{}: {}", self.subject, message.as_ref())
        };
        Diagnostic::error(number, &self.source, self.whole(span), message)
    }

    /// Builds a label over `span` of the same source.
    pub(crate) fn label(&self, span: &Range<usize>, text: impl Into<String>) -> Label {
        Label::new(&self.source, self.whole(span), text)
    }

    /// Returns `span` inside the text and over whole characters. A blank may be the place of a longer character, or
    /// of the end of a card.
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

    /// Counts the errors so far: a step was clean when the count before it and after it is the same.
    pub(crate) fn errors(&self) -> usize {
        self.errors
    }

    /// Returns everything found, in the order found.
    pub(crate) fn into_list(self) -> Vec<Diagnostic> {
        self.list
    }
}

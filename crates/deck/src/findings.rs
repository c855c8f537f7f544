//! The messages of one reading while they are being found.

use std::ops::Range;
use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Label, Severity, SourceFile};

/// Collects diagnostics about one source.
#[derive(Debug)]
pub(crate) struct Findings {
    source: Arc<SourceFile>,
    subject: String,
    list: Vec<Diagnostic>,
    errors: usize,
}

impl Findings {
    /// No findings yet about `source`.
    pub(crate) fn new(source: &Arc<SourceFile>) -> Self {
        Self { source: Arc::clone(source), subject: String::new(), list: Vec::new(), errors: 0 }
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
        Diagnostic::error(number, &self.source, span.clone(), message)
    }

    /// A label over `span` of the same source.
    pub(crate) fn label(&self, span: &Range<usize>, text: impl Into<String>) -> Label {
        Label::new(&self.source, span.clone(), text)
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

//! Messages about a user's file: the place, the mistake, the expected value, the fix.
//!
//! One type serves the deck, plant, workload and catalog readers, so that one run can show every error of
//! every file together. Rendering with colours is the application's; the one-line form is [`Diagnostic::line`].

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::messages;
use crate::source_file::SourceFile;

/// How bad it is, with the letter that IOCP-style message numbers end in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Advice of ours; no rule is broken (`A`).
    Advice,
    /// Information (`I`).
    Info,
    /// Accepted, but very likely not what was meant (`C`).
    Caution,
    /// Accepted and corrected or ignored (`W`).
    Warning,
    /// The input cannot be used (`E`).
    Error,
}

impl Severity {
    /// Returns the letter that ends a message number.
    pub fn letter(self) -> char {
        match self {
            Severity::Advice => 'A',
            Severity::Info => 'I',
            Severity::Caution => 'C',
            Severity::Warning => 'W',
            Severity::Error => 'E',
        }
    }
}

/// A place in a source file, with words about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// The file.
    pub source: Arc<SourceFile>,
    /// Byte range in the file's text.
    pub span: Range<usize>,
    /// Words beside the underlined text; may be empty.
    pub text: String,
}

impl Label {
    /// Creates a label over `span` of `source`.
    pub fn new(source: &Arc<SourceFile>, span: Range<usize>, text: impl Into<String>) -> Self {
        Self { source: Arc::clone(source), span, text: text.into() }
    }
}

/// One message about a user's input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Message number without severity letter: three digits, equal to those of the IBM message of the same
    /// meaning where there is one (reference: IOCP messages ICPnnnI), 700 and up where there is none.
    pub number: u16,
    /// The mistake and the expected value, in one sentence.
    pub message: String,
    /// Where.
    pub at: Label,
    /// The other places involved (the other card, the other file).
    pub others: Vec<Label>,
    /// Expectation there, where it is known apart from the message.
    pub expected: Option<String>,
    /// How to mend it.
    pub fix: Option<String>,
}

impl Diagnostic {
    /// Returns an error at `span` of `source`.
    pub fn error(
        number: u16,
        source: &Arc<SourceFile>,
        span: Range<usize>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            severity: Severity::Error,
            number,
            message: message.into(),
            at: Label::new(source, span, ""),
            others: Vec::new(),
            expected: None,
            fix: None,
        }
    }

    /// Replaces the severity.
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// Adds what is expected there, which the message has in its words already.
    #[must_use]
    pub fn expected(mut self, expected: impl Into<String>) -> Self {
        self.expected = Some(expected.into());
        self
    }

    /// Adds words about the fix.
    #[must_use]
    pub fn fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }

    /// Adds another place to show.
    #[must_use]
    pub fn other(mut self, label: Label) -> Self {
        self.others.push(label);
        self
    }

    /// Returns the message number as shown: `HTK226E`.
    pub fn code(&self) -> String {
        debug_assert!(
            messages::find(self.number, self.severity).is_some(),
            "{} {:?} is not in the register of messages",
            self.number,
            self.severity
        );
        messages::code(self.number, self.severity)
    }

    /// Returns the number of the IBM message of the same meaning: `ICP226I`.
    pub fn ibm(&self) -> Option<String> {
        messages::find(self.number, self.severity)?.ibm()
    }

    /// Returns the line and column of the place, both from 1.
    pub fn position(&self) -> (usize, usize) {
        self.at.source.position(self.at.span.start)
    }

    /// Returns the one-line form: `HTK226E deck.iocp:112:24 message`.
    pub fn line(&self) -> String {
        let (line, column) = self.position();
        format!("{} {}:{line}:{column} {}", self.code(), self.at.source.name, self.message)
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.line())?;
        for other in &self.others {
            let (line, column) = other.source.position(other.span.start);
            write!(f, "\n  see: {}:{line}:{column} {}", other.source.name, other.text)?;
        }
        if let Some(fix) = &self.fix {
            write!(f, "\n  fix: {fix}")?;
        }
        Ok(())
    }
}

/// Returns true when any of `diagnostics` makes the input unusable.
pub fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_names_file_line_and_column() {
        let source = SourceFile::new("deck.iocp", "one\ntwo three\n");
        let diagnostic = Diagnostic::error(131, &source, 8..13, "no").fix("yes");
        assert_eq!(diagnostic.line(), "HTK131E deck.iocp:2:5 no");
        assert_eq!(diagnostic.to_string(), "HTK131E deck.iocp:2:5 no\n  fix: yes");
    }

    #[test]
    fn the_message_of_ibm_is_named_where_there_is_one() {
        let source = SourceFile::new("d", "");
        let ibm = |number| Diagnostic::error(number, &source, 0..0, "").ibm();
        assert_eq!(ibm(226).as_deref(), Some("ICP226I"));
        assert_eq!(ibm(903), None);
    }

    #[test]
    #[should_panic(expected = "not in the register")]
    fn a_number_that_is_not_registered_is_a_mistake_of_the_program() {
        Diagnostic::error(999, &SourceFile::new("d", ""), 0..0, "").code();
    }
}

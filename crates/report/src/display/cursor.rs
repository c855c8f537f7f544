//! Reading an operator's command from left to right.

use std::ops::Range;
use std::sync::Arc;

use halftrack_input::messages::display as numbers;
use halftrack_input::{Diagnostic, SourceFile};

/// An operator's command, and how far it has been read.
#[derive(Debug)]
pub(super) struct Cursor {
    source: Arc<SourceFile>,
    at: usize,
}

impl Cursor {
    pub(super) fn new(text: &str) -> Self {
        Self { source: SourceFile::new("command", text), at: 0 }
    }

    fn rest(&self) -> &str {
        &self.source.text[self.at..]
    }

    /// Returns true when nothing but blanks is left.
    pub(super) fn is_over(&self) -> bool {
        self.rest().trim().is_empty()
    }

    /// Passes blanks; true when there were some.
    pub(super) fn blanks(&mut self) -> bool {
        let rest = self.rest();
        let blanks = rest.len() - rest.trim_start().len();
        self.at += blanks;
        blanks > 0
    }

    /// Returns the word that comes next: letters and digits, in capitals, and where it stands. It may be empty.
    pub(super) fn word(&mut self) -> (String, Range<usize>) {
        let length = self.rest().bytes().take_while(u8::is_ascii_alphanumeric).count();
        let span = self.at..self.at + length;
        self.at = span.end;
        (self.source.text[span.clone()].to_ascii_uppercase(), span)
    }

    /// Returns true when `mark` comes next.
    pub(super) fn is_next(&self, mark: char) -> bool {
        self.rest().starts_with(mark)
    }

    /// Passes `mark` if it comes next.
    pub(super) fn take(&mut self, mark: char) -> bool {
        let is_next = self.is_next(mark);
        self.at += if is_next { mark.len_utf8() } else { 0 };
        is_next
    }

    /// Passes `mark`, which must come next.
    pub(super) fn expect(&mut self, mark: char, example: &str) -> Result<(), Box<Diagnostic>> {
        if self.take(mark) {
            return Ok(());
        }
        Err(self.error(self.here(), format!("`{mark}` is expected here"), example))
    }

    /// Refuses anything more.
    pub(super) fn end(&mut self, example: &str) -> Result<(), Box<Diagnostic>> {
        self.blanks();
        if self.is_over() {
            return Ok(());
        }
        Err(self.error(self.here(), "nothing more is expected here".to_owned(), example))
    }

    /// Returns the character that comes next, or the place behind the last.
    pub(super) fn here(&self) -> Range<usize> {
        self.at..self.at + self.rest().chars().next().map_or(0, char::len_utf8)
    }

    /// Returns `span`, or the next characters where it is empty.
    pub(super) fn at_least(&self, span: Range<usize>) -> Range<usize> {
        if span.is_empty() { self.here() } else { span }
    }

    /// Returns the message about a mistake at `span`; `example` shows the syntax.
    pub(super) fn error(&self, span: Range<usize>, message: String, example: &str) -> Box<Diagnostic> {
        let error = Diagnostic::error(numbers::NO_SUCH_COMMAND, &self.source, span, message);
        Box::new(error.fix(format!("write for instance `{example}`")))
    }

    /// Returns the message about a command at `span` that z/OS has and this program does not answer.
    pub(super) fn no_answer(&self, span: Range<usize>, what: &str) -> Box<Diagnostic> {
        let message = format!("z/OS has {what}, but the twin has nothing to answer it with");
        Box::new(Diagnostic::error(numbers::NO_ANSWER, &self.source, span, message).fix(ANSWERED))
    }
}

/// The commands that are answered.
pub(super) const ANSWERED: &str = "the commands are D M=DEV(..), D M=CHP, D M=CHP(..), D M=CU(..), D IOS,CONFIG, \
                                   D PCIE, D U,DASD, DS P,.. and QUERY ISLINK";

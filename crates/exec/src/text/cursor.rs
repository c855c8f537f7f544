//! The place in the tokens of a text that is being read.

use std::ops::Range;
use std::sync::Arc;

use halftrack_input::messages::exec as message;
use halftrack_input::{Diagnostic, SourceFile};

use crate::content::{AddressText, Base};
use crate::text::token::{Token, TokenKind, tokens};

/// Result of reading, or its error.
pub(crate) type Read<T> = Result<T, Box<Diagnostic>>;

/// Most octets that the constants of a text may come to.
const CONTENT_BYTES_MAX: u64 = 64 << 20;

/// How deep blocks of parameters may lie in each other.
const DEPTH_MAX: u32 = 8;

/// Reads the files that a text names.
pub type ReadFile<'a> = &'a dyn Fn(&str) -> Result<Vec<u8>, String>;

/// A place in the tokens.
pub(crate) struct Cursor<'a> {
    pub source: Arc<SourceFile>,
    pub files: ReadFile<'a>,
    tokens: Vec<Token>,
    at: usize,
    content_bytes: u64,
    depth: u32,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(source: &Arc<SourceFile>, files: ReadFile<'a>) -> Self {
        let tokens = tokens(&source.text);
        Self { source: Arc::clone(source), files, tokens, at: 0, content_bytes: 0, depth: 0 }
    }

    /// Returns the token here. Behind the last one it is the last end.
    pub(crate) fn here(&self) -> &Token {
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    pub(crate) fn kind(&self) -> &TokenKind {
        &self.here().kind
    }

    pub(crate) fn span(&self) -> Range<usize> {
        self.here().span.clone()
    }

    /// Returns the kind of the token after this one.
    pub(crate) fn next_kind(&self) -> &TokenKind {
        &self.tokens[(self.at + 1).min(self.tokens.len() - 1)].kind
    }

    pub(crate) fn is_at_end_of_text(&self) -> bool {
        self.at + 1 >= self.tokens.len()
    }

    pub(crate) fn advance(&mut self) {
        self.at += 1;
    }

    /// Goes behind the end of the line.
    pub(crate) fn skip_line(&mut self) {
        while !self.is_at_end_of_text() && *self.kind() != TokenKind::End {
            self.advance();
        }
        self.advance();
    }

    pub(crate) fn error(
        &self,
        number: u16,
        span: Range<usize>,
        message: impl Into<String>,
    ) -> Box<Diagnostic> {
        Box::new(Diagnostic::error(number, &self.source, span, message))
    }

    /// Says that something else is expected here.
    pub(crate) fn expected(&self, what: &str) -> Box<Diagnostic> {
        let found = match self.kind() {
            TokenKind::End => "the end of the line".to_owned(),
            TokenKind::Open => "text without a closing apostrophe".to_owned(),
            TokenKind::Other(char) => format!("the character `{char}`"),
            TokenKind::LargeNumber => "a number of more than 64 bits".to_owned(),
            _ => format!("`{}`", &self.source.text[self.span()]),
        };
        let number = match self.kind() {
            TokenKind::Open => message::CONSTANT,
            TokenKind::Other(_) => message::CHARACTER,
            TokenKind::LargeNumber => message::NUMBER,
            _ => message::EXPECTED,
        };
        let error = self.error(number, self.span(), format!("{found} where {what} is expected"));
        match self.kind() {
            TokenKind::Open => Box::new(error.fix("write ' at its end; an apostrophe within it is doubled")),
            _ => error,
        }
    }

    pub(crate) fn is_sign(&self, sign: char) -> bool {
        *self.kind() == TokenKind::Sign(sign)
    }

    /// Goes over a sign, if it is here.
    pub(crate) fn take_sign(&mut self, sign: char) -> bool {
        let there = self.is_sign(sign);
        if there {
            self.advance();
        }
        there
    }

    pub(crate) fn sign(&mut self, sign: char) -> Read<()> {
        if self.take_sign(sign) { Ok(()) } else { Err(self.expected(&format!("`{sign}`"))) }
    }

    /// Returns the word here, if there is one.
    pub(crate) fn peek_word(&self) -> Option<&str> {
        match self.kind() {
            TokenKind::Word(word) => Some(word),
            _ => None,
        }
    }

    pub(crate) fn word(&mut self, what: &str) -> Read<(String, Range<usize>)> {
        let TokenKind::Word(word) = self.kind() else { return Err(self.expected(what)) };
        let found = (word.clone(), self.span());
        self.advance();
        Ok(found)
    }

    /// Returns a number of at most `max`.
    pub(crate) fn number(&mut self, what: &str, max: u64) -> Read<u64> {
        let TokenKind::Number(number) = *self.kind() else { return Err(self.expected(what)) };
        if number > max {
            let message = format!("{number} where {what} of at most {max} is expected");
            return Err(self.error(message::NUMBER, self.span(), message));
        }
        self.advance();
        Ok(number)
    }

    /// Returns a string in apostrophes.
    pub(crate) fn text(&mut self, what: &str) -> Read<(String, Range<usize>)> {
        let TokenKind::Text(text) = self.kind() else { return Err(self.expected(what)) };
        let found = (text.clone(), self.span());
        self.advance();
        Ok(found)
    }

    /// Reads something that lies one block deeper.
    pub(crate) fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth == DEPTH_MAX {
            let message = format!("blocks of parameters are nested at most {DEPTH_MAX} deep");
            return Err(self.error(message::PARENTHESIS, self.span(), message));
        }
        self.depth += 1;
        let found = read(self);
        self.depth -= 1;
        found
    }

    /// Counts octets of constants.
    pub(crate) fn count_content(&mut self, bytes: u64, span: &Range<usize>) -> Read<()> {
        self.content_bytes = self.content_bytes.saturating_add(bytes);
        if self.content_bytes > CONTENT_BYTES_MAX {
            let message = format!(
                "the constants of a text have at most {CONTENT_BYTES_MAX} bytes together; this is more"
            );
            return Err(self.error(message::STORAGE, span.clone(), message));
        }
        Ok(())
    }

    /// Returns an address, behind the `@` when there is one: a number, a label or `*`, and what is added or taken off.
    pub(crate) fn address(&mut self) -> Read<AddressText> {
        let start = self.span().start;
        let (base, mut offset) = match self.kind().clone() {
            TokenKind::Number(number) => (Base::Absolute, i128::from(number)),
            TokenKind::Sign('*') => (Base::Here, 0),
            TokenKind::Word(word) => (Base::Label(word), 0),
            _ => return Err(self.expected("an address: a number, a label, or `*` for this place")),
        };
        let mut end = self.span().end;
        self.advance();
        loop {
            let sign = if self.take_sign('+') {
                1
            } else if self.take_sign('-') {
                -1
            } else {
                break;
            };
            end = self.span().end;
            // Not saturated: each term has 64 bits, and a text has fewer terms than 2 to the 62nd.
            offset += sign * i128::from(self.number("a number of bytes", u64::MAX)?);
        }
        Ok(AddressText { base, offset, span: start..end })
    }
}

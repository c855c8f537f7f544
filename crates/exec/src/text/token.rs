//! The words, numbers, constants and signs that a program text is made of.

use std::ops::Range;

/// Kind of token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A name: letters, digits, underscores, and hyphens before a letter.
    Word(String),
    /// A number: decimal, `0x` hexadecimal, or decimal with K, M or G for powers of 1024.
    Number(u64),
    /// A number that does not fit 64 bits.
    LargeNumber,
    /// A constant in the manner of the assembler: `3CL8'ABC'`.
    Constant(ConstantText),
    /// A string in apostrophes.
    Text(String),
    /// A constant or string without its closing apostrophe.
    Open,
    /// One of `( ) @ : * + - / , =`.
    Sign(char),
    /// The end of a line outside parentheses.
    End,
    /// Any other character.
    Other(char),
}

/// A constant as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ConstantText {
    /// Duplication factor, 1 when none is written.
    pub duplication: u64,
    /// Type in capitals: `X`, `C` or `CA`.
    pub kind: String,
    /// Length modifier in bytes.
    pub length: Option<u64>,
    /// Text between the apostrophes, doubled ones made single.
    pub value: String,
}

/// A token and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    pub kind: TokenKind,
    pub span: Range<usize>,
}

/// Returns the tokens of a text. Ends of lines within parentheses are left out; a last [`TokenKind::End`] is always there.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let mut reader = Reader { text, at: 0, depth: 0, found: Vec::new() };
    while let Some(first) = reader.rest().chars().next() {
        reader.one(first);
    }
    reader.push(TokenKind::End, text.len());
    reader.found
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    found: Vec<Token>,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn push(&mut self, kind: TokenKind, end: usize) {
        self.found.push(Token { kind, span: self.at..end });
        self.at = end;
    }

    fn one(&mut self, first: char) {
        let after = self.at + first.len_utf8();
        match first {
            '\n' if self.depth == 0 => self.push(TokenKind::End, after),
            '#' => self.at += self.rest().find('\n').unwrap_or(self.rest().len()),
            _ if first.is_whitespace() => self.at = after,
            '\'' => self.string(),
            _ if first.is_ascii_digit() => self.number_or_constant(),
            _ if first.is_ascii_alphabetic() || first == '_' => self.word_or_constant(),
            '(' | ')' | '@' | ':' | '*' | '+' | '-' | '/' | ',' | '=' => {
                match first {
                    '(' => self.depth += 1,
                    ')' => self.depth = self.depth.saturating_sub(1),
                    _ => {}
                }
                self.push(TokenKind::Sign(first), after);
            }
            _ => self.push(TokenKind::Other(first), after),
        }
    }

    fn string(&mut self) {
        match quoted(self.rest()) {
            Some((value, length)) => self.push(TokenKind::Text(value), self.at + length),
            None => self.open(),
        }
    }

    /// Reads an apostrophe without a partner, with the rest of its line.
    fn open(&mut self) {
        let line = self.rest().find('\n').unwrap_or(self.rest().len());
        self.push(TokenKind::Open, self.at + line.max(1));
    }

    fn number_or_constant(&mut self) {
        let rest = self.rest();
        if let Some(digits) = rest.strip_prefix("0x") {
            let length = digits.find(|char: char| !char.is_ascii_hexdigit()).unwrap_or(digits.len());
            let number = u64::from_str_radix(&digits[..length], 16).ok();
            let kind = match (length, number) {
                (0, _) => TokenKind::Other('x'),
                (_, Some(number)) => TokenKind::Number(number),
                (_, None) => TokenKind::LargeNumber,
            };
            return self.push(kind, self.at + 2 + length);
        }
        let length = digits(rest);
        let number: Option<u64> = rest[..length].parse().ok();
        if let Some(head) = constant_head(&rest[length..]) {
            return self.constant(number.unwrap_or(u64::MAX), length, head);
        }
        let (scale, suffix) = match rest[length..].chars().next() {
            Some('K') => (1 << 10, 1),
            Some('M') => (1 << 20, 1),
            Some('G') => (1 << 30, 1),
            _ => (1, 0),
        };
        let scaled = number.and_then(|number| number.checked_mul(scale));
        let kind = scaled.map_or(TokenKind::LargeNumber, TokenKind::Number);
        self.push(kind, self.at + length + suffix);
    }

    fn word_or_constant(&mut self) {
        let rest = self.rest();
        if let Some(head) = constant_head(rest) {
            return self.constant(1, 0, head);
        }
        let length = word_length(rest);
        self.push(TokenKind::Word(rest[..length].to_owned()), self.at + length);
    }

    /// Reads a constant whose duplication factor is the first `factor_length` bytes.
    fn constant(&mut self, duplication: u64, factor_length: usize, head: Head) {
        let value_at = factor_length + head.bytes;
        match quoted(&self.rest()[value_at..]) {
            Some((value, length)) => {
                let constant = ConstantText { duplication, kind: head.kind, length: head.length, value };
                self.push(TokenKind::Constant(constant), self.at + value_at + length);
            }
            None => self.open(),
        }
    }
}

/// Part of a constant before its apostrophe, without the duplication factor.
struct Head {
    kind: String,
    length: Option<u64>,
    bytes: usize,
}

fn constant_head(text: &str) -> Option<Head> {
    let upper = |length: usize| text.get(..length).map(str::to_ascii_uppercase);
    let kind = match (upper(2).as_deref(), upper(1).as_deref()) {
        (Some("CA"), _) => "CA",
        (_, Some("C")) => "C",
        (_, Some("X")) => "X",
        _ => return None,
    };
    let mut bytes = kind.len();
    let mut length = None;
    if let Some(rest) = text[bytes..].strip_prefix(['L', 'l']) {
        let count = digits(rest);
        if count == 0 {
            return None;
        }
        length = Some(rest[..count].parse().unwrap_or(u64::MAX));
        bytes += 1 + count;
    }
    text[bytes..].starts_with('\'').then(|| Head { kind: kind.to_owned(), length, bytes })
}

fn digits(text: &str) -> usize {
    text.find(|char: char| !char.is_ascii_digit()).unwrap_or(text.len())
}

/// Returns the length of the word at the start of `text`: a hyphen belongs to it only when a letter follows.
fn word_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let letter = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphabetic);
    let mut at = 0;
    while at < bytes.len() {
        let part = bytes[at].is_ascii_alphanumeric() || bytes[at] == b'_';
        let hyphen = bytes[at] == b'-' && letter(at + 1);
        if !(part || hyphen) {
            break;
        }
        at += 1;
    }
    at
}

/// Returns the string that `text` begins with, apostrophes off and doubled ones single, and its length as written. It ends
/// in its line.
fn quoted(text: &str) -> Option<(String, usize)> {
    let mut value = String::new();
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, char)) = chars.next() {
        match char {
            '\n' => return None,
            '\'' if chars.next_if(|(_, next)| *next == '\'').is_some() => value.push('\''),
            '\'' => return Some((value, at + 1)),
            _ => value.push(char),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<TokenKind> {
        tokens(text).into_iter().map(|token| token.kind).collect()
    }

    fn word(text: &str) -> TokenKind {
        TokenKind::Word(text.to_owned())
    }

    #[test]
    fn a_hyphen_before_a_letter_belongs_to_the_word() {
        let expected = [
            word("tic"),
            TokenKind::Sign('*'),
            TokenKind::Sign('-'),
            TokenKind::Number(8),
            TokenKind::End,
            word("read-data"),
            word("buffer"),
            TokenKind::Sign('-'),
            TokenKind::Number(8),
            TokenKind::End,
        ];
        assert_eq!(kinds("tic *-8 # back\nread-data buffer-8"), expected);
    }

    #[test]
    fn numbers_are_decimal_hexadecimal_or_with_a_unit() {
        let expected = [0x63, 4096, 65536, 1 << 30].map(TokenKind::Number);
        assert_eq!(kinds("0x63 4096 64K 1G")[..4], expected);
        assert_eq!(kinds("99999999999999999999")[0], TokenKind::LargeNumber);
        assert_eq!(kinds("0x")[0], TokenKind::Other('x'));
    }

    #[test]
    fn constants_have_factor_type_and_length() {
        let constant = |duplication, kind: &str, length, value: &str| {
            TokenKind::Constant(ConstantText {
                duplication,
                kind: kind.to_owned(),
                length,
                value: value.to_owned(),
            })
        };
        assert_eq!(kinds("80C' '")[0], constant(80, "C", None, " "));
        assert_eq!(kinds("xl8'00'")[0], constant(1, "X", Some(8), "00"));
        assert_eq!(kinds("CA'it''s'")[0], constant(1, "CA", None, "it's"));
        assert_eq!(kinds("CC 'x'")[0], word("CC"));
    }

    #[test]
    fn an_open_apostrophe_ends_with_its_line() {
        assert_eq!(kinds("C'abc\nread"), [TokenKind::Open, TokenKind::End, word("read"), TokenKind::End]);
    }

    #[test]
    fn lines_go_on_within_parentheses() {
        assert_eq!(kinds("(a\nb)\nc").iter().filter(|kind| **kind == TokenKind::End).count(), 2);
    }

    #[test]
    fn spans_are_those_of_the_text() {
        let text = "é 4K C'ü'";
        let found: Vec<&str> = tokens(text).into_iter().map(|token| &text[token.span]).collect();
        assert_eq!(found, ["é", "4K", "C'ü'", ""]);
    }
}

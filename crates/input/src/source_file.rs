//! A file as read, with the lines and columns of its text.

use std::sync::{Arc, OnceLock};

/// A file as read, kept so that a diagnostic can show the offending line.
#[derive(Debug, Clone)]
pub struct SourceFile {
    /// Path as the user gave it.
    pub name: String,
    /// The whole text.
    pub text: String,
    /// Byte offsets at which lines begin, computed on first use.
    line_starts: OnceLock<Vec<usize>>,
}

impl PartialEq for SourceFile {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.text == other.text
    }
}

impl Eq for SourceFile {}

impl SourceFile {
    /// Creates a shared source of `text` under the display name `name`.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Arc<Self> {
        Arc::new(Self { name: name.into(), text: text.into(), line_starts: OnceLock::new() })
    }

    fn line_starts(&self) -> &[usize] {
        self.line_starts.get_or_init(|| {
            let bytes = self.text.as_bytes();
            // A CR alone ends a line too, as it ends a card.
            let ends = |at: &usize| match bytes[*at] {
                b'\n' => true,
                b'\r' => bytes.get(at + 1) != Some(&b'\n'),
                _ => false,
            };
            std::iter::once(0).chain((0..bytes.len()).filter(ends).map(|at| at + 1)).collect()
        })
    }

    /// Returns the text of line `line`, counted from 1, without its line end.
    pub fn line(&self, line: usize) -> &str {
        let starts = self.line_starts();
        let Some(&start) = line.checked_sub(1).and_then(|index| starts.get(index)) else { return "" };
        let end = starts.get(line).copied().unwrap_or(self.text.len());
        let text = self.text.get(start..end).unwrap_or_default();
        let text = text.strip_suffix('\n').unwrap_or(text);
        text.strip_suffix('\r').unwrap_or(text)
    }

    /// Returns the line and column, both from 1 and the column in characters, of byte offset `at`. An offset past the
    /// end gives the position after the last character.
    pub fn position(&self, at: usize) -> (usize, usize) {
        let mut at = at.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        let starts = self.line_starts();
        let line = starts.partition_point(|&start| start <= at);
        let start = starts.get(line.saturating_sub(1)).copied().unwrap_or_default();
        (line, self.text[start..at].chars().count() + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_from_one_and_have_no_end() {
        let source = SourceFile::new("d", "one\r\ntwo\n\nfour");
        let lines: Vec<&str> = (0..6).map(|line| source.line(line)).collect();
        assert_eq!(lines, ["", "one", "two", "", "four", ""]);
        let source = SourceFile::new("d", "one\rtwo\r\nthree");
        assert_eq!((source.line(2), source.position(4), source.position(9)), ("two", (2, 1), (3, 1)));
    }

    #[test]
    fn a_position_past_the_end_or_inside_a_character_is_clamped() {
        let source = SourceFile::new("x", "aé");
        assert_eq!(source.position(2), (1, 2));
        assert_eq!(source.position(99), (1, 3));
    }
}

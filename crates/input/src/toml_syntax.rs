//! Syntax errors of a TOML text: the mistakes, and how many errors follow from each.
//!
//! A bracket that is missing makes the parser report an error on most lines behind it. An error is a mistake of its own
//! when the text read from the next statement on still has it.

use std::ops::Range;
use std::sync::Arc;

use toml::de::{DeTable, Error};

use crate::diagnostic::Diagnostic;
use crate::messages::toml_file::NOT_TOML;
use crate::source_file::SourceFile;

/// Most mistakes that are distinguished in one text; each costs a reading of the rest.
const MISTAKES_MAX: usize = 100;

/// A syntax error: where, what, and the number of errors that follow from it.
#[derive(Debug, PartialEq, Eq)]
struct Mistake {
    span: Range<usize>,
    words: String,
    following: usize,
}

/// Returns one message for each mistake of `source`, whose errors by one reading are `errors`.
pub(crate) fn syntax_messages(source: &Arc<SourceFile>, errors: &[Error]) -> Vec<Diagnostic> {
    let message = |mistake: Mistake| {
        let following = match mistake.following {
            0 => String::new(),
            1 => "; 1 more error follows from it".to_owned(),
            count => format!("; {count} more errors follow from it"),
        };
        let words = format!("not TOML: {}{following}", mistake.words);
        Diagnostic::error(NOT_TOML, source, mistake.span, words)
    };
    mistakes(&source.text, errors).into_iter().map(message).collect()
}

fn mistakes(text: &str, errors: &[Error]) -> Vec<Mistake> {
    let mut places: Vec<usize> = errors.iter().map(|error| within(text, error).start).collect();
    places.sort_unstable();
    // A duplicate key is no slip of syntax: nothing follows from it.
    let (duplicates, slips): (Vec<&Error>, Vec<&Error>) =
        errors.iter().partition(|error| is_duplicate(error));
    let mut found: Vec<Mistake> = Vec::new();
    let mut first =
        slips.into_iter().min_by_key(|error| within(text, error).start).map(|error| of(text, error, 0));
    while let Some(mistake) = first {
        let restart = next_statement(text, mistake.span.start);
        found.push(mistake);
        let has_room = found.len() < MISTAKES_MAX;
        first = restart.filter(|_| has_room).and_then(|at| {
            let (_, errors) = DeTable::parse_recoverable(&text[at..]);
            let slips = errors.iter().filter(|error| !is_duplicate(error));
            slips.map(|error| of(&text[at..], error, at)).min_by_key(|mistake| mistake.span.start)
        });
    }
    let begin = found.first().map_or(text.len(), |mistake| mistake.span.start);
    let before = duplicates.into_iter().filter(|error| within(text, error).start < begin);
    let before: Vec<Mistake> = before.map(|error| of(text, error, 0)).collect();
    for at in 0..found.len() {
        let end = found.get(at + 1).map_or(usize::MAX, |next| next.span.start);
        let start = found[at].span.start;
        found[at].following = places.iter().filter(|&&place| start < place && place < end).count();
    }
    before.into_iter().chain(found).collect()
}

/// Locates `error` of the text from `offset` on.
fn of(text: &str, error: &Error, offset: usize) -> Mistake {
    let span = within(text, error);
    Mistake { span: span.start + offset..span.end + offset, words: error.message().to_owned(), following: 0 }
}

fn is_duplicate(error: &Error) -> bool {
    error.message().starts_with("duplicate key")
}

/// Finds the next table header or `key =` in column 1, on a line behind `at`.
fn next_statement(text: &str, at: usize) -> Option<usize> {
    let mut begin = at;
    loop {
        begin += text[begin..].find('\n')? + 1;
        let line = text[begin..].lines().next().unwrap_or_default();
        if is_header(line) || is_assignment(line) {
            return Some(begin);
        }
    }
}

fn is_header(line: &str) -> bool {
    let line = line.split('#').next().unwrap_or_default().trim_end();
    let inner = line.strip_prefix("[[").and_then(|rest| rest.strip_suffix("]]"));
    let inner = inner.or_else(|| line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')));
    inner.is_some_and(|name| !name.is_empty() && name.chars().all(is_of_key))
}

fn is_assignment(line: &str) -> bool {
    line.split_once('=').is_some_and(|(key, _)| {
        let key = key.trim_end();
        key.starts_with(|first: char| is_of_key(first) && first != ' ') && key.chars().all(is_of_key)
    })
}

fn is_of_key(char: char) -> bool {
    char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '.' | '"' | ' ')
}

/// Returns the place of `error` cut to the text and to character boundaries, which errors at the end of a file may
/// overstep.
fn within(text: &str, error: &Error) -> Range<usize> {
    let span = error.span().unwrap_or(0..0);
    let clamp = |at: usize| text.floor_char_boundary(at.min(text.len()));
    let start = clamp(span.start);
    start..clamp(span.end).max(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        let source = SourceFile::new("t.toml", text);
        let (_, errors) = DeTable::parse_recoverable(&source.text);
        syntax_messages(&source, &errors).iter().map(Diagnostic::line).collect()
    }

    #[test]
    fn one_missing_bracket_is_one_error_and_what_follows_is_counted() {
        let cards: String =
            (0..30).map(|card| format!("[[card]]\nslot = {card}\nports = [1, 2]\n")).collect();
        let text = format!("ports = [1, 2\n{cards}");
        let found = lines(&text);
        assert_eq!(found.len(), 1, "{found:#?}");
        assert!(found[0].contains("follow from it"), "{found:#?}");
        let (_, errors) = DeTable::parse_recoverable(&text);
        assert!(errors.len() > 1, "the parser has one error only");
    }

    #[test]
    fn mistakes_in_two_tables_are_two_errors() {
        let found = lines("[a]\nx = [1, 2\ny = 3\n[b]\nz = \nw = 4\n[c]\nv = 'open\n");
        assert_eq!(found.len(), 3, "{found:#?}");
    }

    #[test]
    fn every_duplicate_key_is_reported() {
        let found = lines("a = 1\na = 2\nb = 1\nb = 2\n");
        assert_eq!(found.len(), 2, "{found:#?}");
    }
}

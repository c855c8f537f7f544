//! Messages of one cause as one message with a count.

use std::collections::HashMap;

use crate::diagnostic::{Diagnostic, Severity};

/// Most messages of one cause that are shown each.
const EACH_MAX: usize = 3;
/// Most lines that are named of those that are not shown.
const LINES_MAX: usize = 5;

/// Summarises each cause of `found` with more than three messages by its first message. That one gives the number and
/// lines of the others and then `hint`. Of one cause are messages of one file and code whose words differ in numbers
/// and names only.
pub fn together(found: &[Diagnostic], hint: &str) -> Vec<Diagnostic> {
    let mut causes: HashMap<Cause, Vec<usize>> = HashMap::new();
    for (index, one) in found.iter().enumerate() {
        causes.entry(Cause::of(one)).or_default().push(index);
    }
    let shown = |(index, one): (usize, &Diagnostic)| {
        let alike = &causes[&Cause::of(one)];
        if alike.len() <= EACH_MAX {
            return Some(one.clone());
        }
        (alike[0] == index).then(|| {
            let mut first = one.clone();
            let others: Vec<&Diagnostic> = alike[1..].iter().map(|&other| &found[other]).collect();
            first.message += &format!("; {} more like it, {}{hint}", others.len(), lines(&others));
            first
        })
    };
    found.iter().enumerate().filter_map(shown).collect()
}

/// Properties that messages of one cause have in common.
#[derive(PartialEq, Eq, Hash)]
struct Cause {
    number: u16,
    severity: Severity,
    file: String,
    words: Vec<String>,
}

impl Cause {
    fn of(one: &Diagnostic) -> Self {
        let words = one.message.split_whitespace().map(masked).collect();
        Self { number: one.number, severity: one.severity, file: one.at.source.name.clone(), words }
    }
}

/// Formats `word` without what differs between messages of one cause: numbers, quoted names, hexadecimal digits.
fn masked(word: &str) -> String {
    let is_hex = word.trim_end_matches([',', ':', ';']).chars().all(|char| "0123456789ABCDEF".contains(char));
    let varies = is_hex || word.contains(|char: char| char.is_ascii_digit() || matches!(char, '`' | '"'));
    if varies { "#".to_owned() } else { word.to_owned() }
}

/// Formats `at lines 3, 4 and 9`, or the first of them.
fn lines(others: &[&Diagnostic]) -> String {
    let mut numbers: Vec<usize> = others.iter().map(|one| one.position().0).collect();
    numbers.dedup();
    let listed: Vec<String> = numbers.iter().take(LINES_MAX).map(usize::to_string).collect();
    let words = if numbers.len() == 1 { "at line" } else { "at lines" };
    let further = if numbers.len() > LINES_MAX { " and further" } else { "" };
    format!("{words} {}{further}", listed.join(", "))
}

#[cfg(test)]
mod tests {
    use crate::source_file::SourceFile;

    use super::*;

    #[test]
    fn many_messages_of_one_cause_are_one_with_a_count() {
        let source = SourceFile::new("d", "a\n".repeat(100));
        let message = |line: usize, words: String| Diagnostic::error(303, &source, 2 * line..2 * line, words);
        let mut found: Vec<Diagnostic> = (0..90)
            .map(|line| {
                message(line, format!("IODEVICE {line:04X}: CNTLUNIT {line:04X} has no such address"))
            })
            .collect();
        found.insert(1, message(95, "something else".to_owned()));
        let shown = together(&found, " (--all shows each)");
        let lines: Vec<String> = shown.iter().map(Diagnostic::line).collect();
        assert_eq!(
            lines,
            [
                "HTK303E d:1:1 IODEVICE 0000: CNTLUNIT 0000 has no such address; 89 more like it, at lines 2, 3, 4, 5, 6 \
                 and further (--all shows each)",
                "HTK303E d:96:1 something else",
            ]
        );
        assert_eq!(together(&found[..4], ""), found[..4]);
    }
}

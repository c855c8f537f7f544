//! ACTIVATE ISLINK statements of a SYSTEM CONFIG.

use std::ops::Range;
use std::sync::Arc;

use halftrack_input::messages::deck::ISLINK_STATEMENT;
use halftrack_input::{Diagnostic, SourceFile};

/// A word and its place.
type Word<'a> = (&'a str, Range<usize>);

/// Devices that one statement names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Activation {
    /// Node at the other end, in capitals, and where it is named.
    pub node: Option<(String, Range<usize>)>,
    /// Device numbers and where they are named.
    pub devices: Vec<(u16, Range<usize>)>,
}

/// Returns the statements of `source`, and the errors of those that cannot be used.
pub(super) fn activations(source: &Arc<SourceFile>) -> (Vec<Activation>, Vec<Diagnostic>) {
    let mut found = Vec::new();
    let mut errors = Vec::new();
    let text = without_comments(&source.text);
    for statement in statements(&text) {
        let is = |at: usize, word: &str| {
            statement.get(at).is_some_and(|(one, _): &Word<'_>| one.eq_ignore_ascii_case(word))
        };
        if is(0, "ACTIVATE") && is(1, "ISLINK") {
            let fault = |span: Range<usize>, words: String| {
                Diagnostic::error(ISLINK_STATEMENT, source, span, words)
                    .fix("write ACTIVATE ISLINK, device numbers, then NODE and the name of the other system")
            };
            match activation(&statement) {
                Ok(activation) => found.push(activation),
                Err((span, words)) => errors.push(fault(span, words)),
            }
        }
    }
    (found, errors)
}

/// Reads the operands of ACTIVATE ISLINK.
fn activation(statement: &[Word<'_>]) -> Result<Activation, (Range<usize>, String)> {
    let mut devices = Vec::new();
    let mut node = None;
    let mut words = statement.iter().skip(2);
    let end = statement.last().map(|(_, span)| span.clone()).unwrap_or_default();
    while let Some((word, span)) = words.next() {
        let value = |value: Option<&Word<'_>>| {
            let (text, at) = value.ok_or_else(|| (span.clone(), format!("{word} has no value")))?;
            Ok(((*text).to_owned(), at.clone()))
        };
        if is_short_for(word, "NODE", 3) {
            let (name, at) = value(words.next())?;
            if name.len() > 8 {
                return Err((at, format!("{name} has more than 8 characters, and names a node")));
            }
            node = Some((name.to_uppercase(), at));
        } else if is_short_for(word, "BUFFERS", 2) {
            value(words.next())?;
        } else {
            let range = numbers(word);
            let range = range.ok_or_else(|| {
                let words = format!("{word} is no device number (1 to 4 hexadecimal digits), and no operand");
                (span.clone(), words)
            })?;
            devices.extend(range.map(|number| (number, span.clone())));
        }
    }
    if devices.is_empty() {
        return Err((end, "ACTIVATE ISLINK names no device".to_owned()));
    }
    Ok(Activation { node, devices })
}

/// Returns true for `long` or its first letters, `least` or more.
fn is_short_for(word: &str, long: &str, least: usize) -> bool {
    word.len() >= least && long.get(..word.len()).is_some_and(|short| short.eq_ignore_ascii_case(word))
}

/// Parses `D000`, and `D000-D003` as RDEVICE has it.
fn numbers(word: &str) -> Option<std::ops::RangeInclusive<u16>> {
    let number = |digits: &str| {
        let is_hex = (1..=4).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        is_hex.then(|| u16::from_str_radix(digits, 16).ok()).flatten()
    };
    let (first, last) = word.split_once('-').unwrap_or((word, word));
    let range = number(first)?..=number(last)?;
    (!range.is_empty()).then_some(range)
}

/// Returns `text` with blanks instead of comments, so that places stay. A comment that is not ended goes to the end.
fn without_comments(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("/*") {
        let end = rest[start + 2..].find("*/").map_or(rest.len(), |at| start + 2 + at + 2);
        plain.push_str(&rest[..start]);
        // Lines stay lines: a comment may stand before a statement that goes on.
        plain.extend(rest[start..end].bytes().map(|octet| if octet == b'\n' { '\n' } else { ' ' }));
        rest = &rest[end..];
    }
    plain + rest
}

/// Returns the statements, each as its words.
fn statements(text: &str) -> Vec<Vec<Word<'_>>> {
    let at = |part: &str| part.as_ptr() as usize - text.as_ptr() as usize;
    let mut found: Vec<Vec<Word<'_>>> = Vec::new();
    let mut goes_on = false;
    for line in text.lines() {
        let trimmed = line.trim_end();
        let whole = trimmed.strip_suffix(',').unwrap_or(trimmed);
        let words = whole.split_whitespace().map(|word| (word, at(word)..at(word) + word.len()));
        match found.last_mut().filter(|_| goes_on) {
            Some(last) => last.extend(words),
            None => found.push(words.collect()),
        }
        // A line that is blank, or was a comment, does not end the statement around it.
        goes_on = if trimmed.is_empty() { goes_on } else { whole.len() < trimmed.len() };
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Vec<Activation>, Vec<String>) {
        let (found, errors) = activations(&SourceFile::new("system.config", text));
        (found, errors.iter().map(Diagnostic::line).collect())
    }

    #[test]
    fn statements_go_on_behind_a_comma_and_comments_are_blank() {
        let (found, errors) = read(
            "/* links\n of this system */\nactivate islink d000 D001 , /* more */\n\n  D002-D003 Node vmb Buffers 5\n\
             RDEVICE D000-D003 TYPE CTCA\nActivate ISLINK E000",
        );
        assert_eq!(errors, [""; 0]);
        let numbers: Vec<Vec<u16>> =
            found.iter().map(|one| one.devices.iter().map(|(number, _)| *number).collect()).collect();
        assert_eq!(numbers, [vec![0xD000, 0xD001, 0xD002, 0xD003], vec![0xE000]]);
        assert_eq!(found[0].node.as_ref().map(|(name, _)| name.as_str()), Some("VMB"));
    }

    #[test]
    fn what_is_no_operand_is_reported_at_its_place() {
        let (found, errors) = read(
            "ACTIVATE ISLINK D00G NODE B\nACTIVATE ISLINK NODE B\nACTIVATE ISLINK D000 NODE\n\
             ACTIVATE ISLINK D003-D000\nACTIVATE ISLINK D000 NODE NINECHARS",
        );
        assert_eq!(found, []);
        let places: Vec<&str> =
            errors.iter().map(|line| line.split(' ').nth(1).unwrap_or_default()).collect();
        let expected = ["1:17", "2:22", "3:22", "4:17", "5:27"];
        assert_eq!(places, expected.map(|place| format!("system.config:{place}")));
    }

    #[test]
    fn a_comment_of_wide_characters_moves_no_place() {
        let (_, errors) = read("/* \u{e4}\u{20ac} */ ACTIVATE ISLINK XYZ");
        assert!(errors[0].contains("XYZ is no device number"), "{errors:?}");
    }
}

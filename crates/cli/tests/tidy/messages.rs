//! Numbers of messages in the sources against the register of messages.

use std::collections::BTreeSet;

use halftrack_input::messages;

use crate::source::{SourceText, rust_sources, texts};

/// Directory of the register.
const REGISTER: &str = "crates/input/src/messages/";

/// Words before a literal number of a message.
const REPORTED: [&str; 3] = ["error(", "mended((", "rule("];

/// Finds literal numbers that code reports and the register does not have.
pub fn unregistered_literals() -> Vec<String> {
    let is_known = |number: u16| messages::with_number(number).next().is_some();
    let mut found = Vec::new();
    for source in product() {
        let numbers = literals(&source.code());
        found.extend(
            numbers
                .into_iter()
                .filter(|number| !is_known(*number))
                .map(|number| format!("{} reports {number}, which is not in {REGISTER}", source.name)),
        );
    }
    found
}

/// Codes that texts and tests name and the register does not have.
pub fn unregistered_codes() -> Vec<String> {
    let known: Vec<String> = messages::all().flat_map(messages::Message::codes).collect();
    let mut found = Vec::new();
    for text in texts().iter().filter(|text| !text.name.ends_with("tidy/messages.rs")) {
        for code in codes(&text.text) {
            if !known.iter().any(|one| one == code) {
                found.push(format!("{} names {code}, which is not in {REGISTER}", text.name));
            }
        }
    }
    found
}

/// Finds messages of the register that nothing reports.
pub fn unreported() -> Vec<String> {
    let readers = rust_sources().into_iter().filter(|source| source.is_in(&["crates/input/src/"]));
    let readers = readers.filter(|source| !source.is_in(&[REGISTER]));
    let words: BTreeSet<String> = product().chain(readers).flat_map(|source| words(&source.code())).collect();
    let register = rust_sources().into_iter().filter(|source| source.is_in(&[REGISTER]));
    let mut found = Vec::new();
    for file in register {
        for (name, number) in rows(&file.text) {
            let word = if name == "_" { number } else { name };
            if !words.contains(word) {
                found.push(format!("{}: nothing reports {word}", file.name));
            }
        }
    }
    found
}

/// Names and numbers in `code`.
fn words(code: &str) -> Vec<String> {
    let is_word = |char: char| char.is_alphanumeric() || char == '_';
    code.split(|char| !is_word(char)).filter(|word| word.len() > 2).map(str::to_owned).collect()
}

/// Sources of the product, without tests and the register.
fn product() -> impl Iterator<Item = SourceText> {
    let is_product = |source: &SourceText| {
        source.name.contains("/src/") && !source.is_in(&["crates/input/"]) && !source.is_bench()
    };
    rust_sources().into_iter().filter(is_product)
}

/// Returns the literal numbers of messages in `code`.
fn literals(code: &str) -> Vec<u16> {
    let after =
        REPORTED.iter().flat_map(|word| code.match_indices(word).map(|(at, _)| &code[at + word.len()..]));
    let numbers = after.map(|rest| {
        let rest = rest.trim_start();
        &rest[..rest.find(|char: char| !char.is_ascii_digit()).unwrap_or(rest.len())]
    });
    numbers.filter(|digits| digits.len() == 3).filter_map(|digits| digits.parse().ok()).collect()
}

/// Codes such as HTK226E in `text`.
fn codes(text: &str) -> Vec<&str> {
    let places = text.match_indices("HTK").filter_map(|(at, _)| text.get(at..at + 7));
    let is_code = |code: &&str| {
        code.as_bytes()[3..6].iter().all(u8::is_ascii_digit) && b"EWICA".contains(&code.as_bytes()[6])
    };
    places.filter(is_code).collect()
}

/// Names and numbers of the rows of a file of the register.
fn rows(text: &str) -> Vec<(&str, &str)> {
    fn row(line: &str) -> Option<(&str, &str)> {
        let (name, rest) = line.strip_prefix("    ")?.split_once(" = ")?;
        let number = rest.get(..3).filter(|number| number.bytes().all(|digit| digit.is_ascii_digit()))?;
        (!name.contains(' ')).then_some((name, number))
    }
    text.lines().filter_map(row).collect()
}

#[test]
fn literals_codes_and_rows_are_found() {
    assert_eq!(literals("findings.error(226, x); Diagnostic::error( 903, y); error(X)"), [226, 903]);
    assert_eq!(codes("HTK226E HTKnnn HTK9"), ["HTK226E"]);
    assert_eq!(
        rows("    NAME = 801 A \"t\"\n    _ = 103 W \"t\"\n        rule \"r\""),
        [("NAME", "801"), ("_", "103")]
    );
}

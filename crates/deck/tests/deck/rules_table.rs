//! Every rule has a deck that breaks it and nothing else, and one, a small change away, that breaks none.
//!
//! `tests/decks/rules/Rnnn/bad.iocp` gives message nnn alone, or the codes of its first card, `* EXPECT ...`, where a
//! second rule cannot be kept apart; `good.iocp` gives no message.

use crate::support::pairs::{Messages, Pairs, as_expected};
use crate::support::{codes, reading};
use halftrack_deck::rules::RULES;

/// Returns the messages about `text`.
fn messages(text: &str) -> Messages {
    let reading = reading(text);
    let lines: Vec<String> = reading.diagnostics.iter().map(ToString::to_string).collect();
    (codes(&reading), lines.join("\n"))
}

#[test]
fn each_rule_has_a_deck_that_breaks_it_alone_and_one_that_keeps_it() {
    let numbers: Vec<u16> = RULES.iter().map(|rule| rule.number).collect();
    Pairs { directory: "rules", letter: 'R' }.hold(&numbers, |number, bad, good| {
        let rule = RULES.iter().find(|rule| rule.number == number).expect("it is of the table");
        let own = format!("{number:03}{}", rule.severity.letter());
        let first = bad.lines().next().unwrap_or_default();
        let expected: Vec<String> = match first.strip_prefix("* EXPECT ") {
            Some(words) => words.split(' ').map(str::to_owned).collect(),
            None => vec![own.clone()],
        };
        if !expected.contains(&own) {
            return Err(format!("the bad deck does not expect {own}"));
        }
        as_expected(messages(bad), &expected, messages(good))
    });
}

/// The IBM messages that the reference lists (IOCP, section 4). ICP360I, which it gives as one with ICP238I, is not
/// separate from it.
const LISTED: [u16; 90] = [
    103, 104, 110, 111, 112, 113, 114, 115, 117, 122, 123, 126, 131, 137, 139, 140, 145, 148, 149, 153, 155,
    156, 157, 162, 164, 165, 167, 179, 180, 183, 184, 188, 190, 192, 200, 201, 202, 203, 204, 205, 206, 207,
    208, 209, 210, 215, 216, 217, 219, 220, 225, 226, 229, 230, 232, 233, 234, 235, 236, 237, 238, 243, 244,
    245, 246, 248, 250, 251, 252, 253, 255, 256, 300, 302, 303, 304, 308, 310, 311, 313, 315, 323, 325, 352,
    357, 359, 361, 369, 371, 374,
];

#[test]
fn every_listed_message_has_a_rule_and_every_rule_is_listed() {
    let mut rules: Vec<u16> = RULES.iter().map(|rule| rule.number).collect();
    rules.sort_unstable();
    assert_eq!(rules, LISTED);
}

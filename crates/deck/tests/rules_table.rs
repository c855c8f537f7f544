//! Every rule has a deck that breaks it and nothing else, and one, a small change away, that breaks none.
//!
//! `tests/decks/rules/Rnnn/bad.iocp` gives message nnn alone, or the codes of its first card, `* EXPECT ...`, where a
//! second rule cannot be kept apart; `good.iocp` gives no message.

mod support;

use halftrack_deck::rules::RULES;
use support::pairs::{Pairs, Said, as_expected};
use support::{codes, reading};

/// What reading `text` says.
fn said(text: &str) -> Said {
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
        as_expected(said(bad), &expected, said(good))
    });
}

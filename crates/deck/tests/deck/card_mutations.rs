//! Right decks with one card broken at a time, thousands of them: the mistake is reported at the card or beside it,
//! or with the number that was lost; an unreported mutation is still right by the rules, and then the model has the
//! change.
//!
//! `HALFTRACK_MUTATIONS=all` tries every mutation in place of a share of them.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use crate::support::reading;
use halftrack_deck::difference::difference;
use halftrack_deck::syntax::keyword::Operation;
use halftrack_deck::syntax::operand::Item;
use halftrack_deck::syntax::statement::Statement;
use halftrack_deck::{CardRole, Reading};
use halftrack_input::{Diagnostic, Severity};

/// Without the variable, every so many mutations one is tried.
const SHARE: usize = 12;

/// Returns the printed decks, and the right deck of every rule.
fn decks() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/decks");
    let printed =
        ["example_a.iocp", "example_b.iocp", "example_c.iocp", "hcd_z9.iocp"].map(|name| root.join(name));
    let rules = std::fs::read_dir(root.join("rules")).expect("the decks are committed");
    let mut rules: Vec<_> = rules.map(|entry| entry.expect("an entry").path().join("good.iocp")).collect();
    rules.sort();
    let text = |path: &Path| {
        (path.display().to_string(), std::fs::read_to_string(path).expect("a deck").replace("\r\n", "\n"))
    };
    printed.iter().chain(&rules).map(|path| text(path)).collect()
}

/// One mutation.
struct Case {
    name: String,
    text: String,
    /// Lines, from 1, at which a message is at the mistake or next to it.
    near: Range<usize>,
    /// Words that a message elsewhere must have: the numbers and names that were changed or lost.
    words: Vec<String>,
}

/// A deck as cards.
struct Deck {
    reading: Reading,
    lines: Vec<String>,
}

impl Deck {
    fn new(text: &str) -> Self {
        let reading = reading(text);
        Self { reading, lines: text.lines().map(str::to_owned).collect() }
    }

    /// Returns the statement that has card `index`.
    fn statement(&self, index: usize) -> Option<&Statement> {
        self.reading.script.statements.iter().find(|one| one.cards.contains(&index))
    }

    /// Returns the lines of the statements that have `cards`, with one line on either side.
    fn near(&self, cards: Range<usize>) -> Range<usize> {
        let own = cards.clone().filter_map(|card| self.statement(card)).map(|one| one.cards.clone());
        let (start, end) =
            own.fold((cards.start, cards.end), |(start, end), own| (start.min(own.start), end.max(own.end)));
        start..end + 2
    }

    /// Builds a mutation of `cards`: `new` in place of all lines.
    fn case(&self, name: &str, cards: Range<usize>, new: &[String]) -> Case {
        let lost: Vec<String> = cards.clone().flat_map(|card| tokens(&self.lines[card])).collect();
        let text: String = new.iter().map(|line| format!("{line}\n")).collect();
        Case {
            name: format!("{name} of {}", self.lines[cards.start]),
            text,
            near: self.near(cards),
            words: lost,
        }
    }

    fn with(&self, index: usize, line: String) -> Vec<String> {
        let mut lines = self.lines.clone();
        lines[index] = line;
        lines
    }

    /// Returns mutations with cards dropped, doubled, exchanged, and without their mark.
    fn of_cards(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        for (index, line) in self.lines.iter().enumerate() {
            let mut lines = self.lines.clone();
            lines.remove(index);
            cases.push(self.case("drop", index..index + 1, &lines));
            let mut lines = self.lines.clone();
            lines.insert(index, line.clone());
            cases.push(self.case("double", index..index + 1, &lines));
            if index + 1 < self.lines.len() {
                let mut lines = self.lines.clone();
                lines.swap(index, index + 1);
                cases.push(self.case("swap", index..index + 2, &lines));
            }
            if line.chars().count() >= 72 {
                let unmarked: String = line.chars().take(71).collect();
                cases.push(self.case("no mark", index..index + 1, &self.with(index, unmarked)));
            }
            cases.push(self.case("to the right", index..index + 1, &self.with(index, format!(" {line}"))));
            if let Some(shifted) = line.strip_prefix(' ') {
                cases.push(self.case("to the left", index..index + 1, &self.with(index, shifted.to_owned())));
            }
            cases.push(self.case("lower case", index..index + 1, &self.with(index, line.to_lowercase())));
        }
        cases
    }

    /// Returns mutations with letters, digits and signs of statements mistyped, one at a time.
    fn of_characters(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        for (index, line) in self.lines.iter().enumerate() {
            if self.reading.script.cards[index].role != CardRole::Statement || !line.is_ascii() {
                continue;
            }
            let mut changed = |name: &str, at: usize, new: &str| {
                let mut line = line.clone();
                // What stands behind the place stays where it is, so that the mark keeps its column.
                let short = 1isize - new.len() as isize;
                line.replace_range(at..at + 1, new);
                if line.len() > 70 && short > 0 {
                    let end = line[..(71 - short as usize).min(line.len())].trim_end().len();
                    line.insert_str(end, &" ".repeat(short as usize));
                }
                let mut case = self.case(name, index..index + 1, &self.with(index, line.clone()));
                case.words.extend(tokens(&line));
                cases.push(case);
            };
            for (at, ch) in line.char_indices().take(71) {
                match ch {
                    ',' | '(' | ')' | '=' | '\'' => {
                        changed("sign dropped", at, "");
                        changed("sign changed", at, if ch == ',' { "." } else { "," });
                    }
                    '0'..='9' => changed("digit", at, if ch == '9' { "8" } else { "9" }),
                    'A'..='Z' => {
                        changed("letter dropped", at, "");
                        changed("letter", at, if ch == 'Q' { "X" } else { "Q" });
                    }
                    _ => {}
                }
            }
        }
        cases
    }
}

/// Returns words and numbers of `text`.
fn tokens(text: &str) -> Vec<String> {
    let words = text.split(|ch: char| !ch.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(|word| word.to_ascii_uppercase()).collect()
}

/// How a mutation ended.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    Reported,
    ReportedByName,
    MeansTheSame,
    MeansAnother,
}

/// Returns operands, without those that mean nothing to the channel subsystem, by statement; numbers without leading
/// zeros. Of ID it has the machine, wherever that comes from: the limits level selects the checks of the deck and
/// defines nothing.
fn operands(reading: &Reading) -> Vec<String> {
    let is_free = |item: &Item| {
        let word = item.keyword.as_ref().map(|word| word.value.as_str());
        matches!(word, Some("MSG1" | "MSG2" | "TOK" | "SYSTEM"))
    };
    let one = |statement: &Statement| {
        let mut items: Vec<String> = statement
            .items
            .iter()
            .filter(|item| !is_free(item))
            .map(|item| plain(&item.to_string()))
            .collect();
        items.sort();
        format!("{} {}", statement.operation.value, items.join(","))
    };
    let mut all: Vec<String> = reading.script.statements.iter().map(one).filter(|one| one != "ID ").collect();
    all.push(format!("SYSTEM {}", reading.machine.machine_type));
    all.sort();
    // UUID named twice for a partition is UUID.
    all.dedup_by(|one, other| one == other && one.starts_with("UUID"));
    all
}

/// Returns `text` with its numbers without leading zeros.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    for mut piece in text.split_inclusive(|ch: char| !ch.is_ascii_alphanumeric()) {
        while piece.starts_with('0') && piece[1..].starts_with(|ch: char| ch.is_ascii_alphanumeric()) {
            piece = &piece[1..];
        }
        plain += piece;
    }
    plain
}

/// Returns the end of the case when `message` reports the mistake. `machine` is that of the deck, when it is another
/// than before.
fn is_reported(message: &Diagnostic, case: &Case, machine: Option<u16>) -> Option<End> {
    let mut labels = std::iter::once(&message.at).chain(&message.others);
    if labels.any(|label| case.near.contains(&label.source.position(label.span.start).0)) {
        return Some(End::Reported);
    }
    let mut words = tokens(&message.message);
    for label in std::iter::once(&message.at).chain(&message.others) {
        words.extend(tokens(&label.text));
        words.extend(tokens(&label.source.text[label.span.clone()]));
    }
    let is_number = |word: &str| word.len() < 5 && u64::from_str_radix(word, 16).is_ok();
    // `0041` and `41` are one number.
    let is_same = |a: &str, b: &str| {
        a == b || (is_number(a) && is_number(b) && a.trim_start_matches('0') == b.trim_start_matches('0'))
    };
    let machine = machine.map(|machine| machine.to_string());
    case.words
        .iter()
        .chain(&machine)
        .any(|word| words.iter().any(|other| is_same(word, other)))
        .then_some(End::ReportedByName)
}

/// Judges the end of `case`, with the number of errors, or returns its fault.
fn judge(before: &Reading, case: &Case) -> Result<(End, usize), String> {
    let after = reading(&case.text);
    let shown = || after.diagnostics.iter().map(Diagnostic::to_string).collect::<Vec<_>>().join("\n");
    let old: Vec<(u16, &str)> =
        before.diagnostics.iter().map(|one| (one.number, one.message.as_str())).collect();
    let is_new = |one: &&Diagnostic| !old.contains(&(one.number, one.message.as_str()));
    let errors = after.diagnostics.iter().filter(|one| one.severity == Severity::Error).count();
    if let Some(first) = after.diagnostics.iter().find(is_new) {
        let machine = after.machine.machine_type;
        let machine = Some(machine).filter(|_| machine != before.machine.machine_type);
        return is_reported(first, case, machine)
            .map(|end| (end, errors))
            .ok_or_else(|| format!("told elsewhere:\n{}", shown()));
    }
    let (Some(old), Some(new)) = (&before.deck, &after.deck) else {
        return Err(format!("nothing new told:\n{}", shown()));
    };
    let is_same = operands(before) == operands(&after);
    match (difference(old, new).is_empty(), is_same) {
        (true, true) => Ok((End::MeansTheSame, 0)),
        (false, false) => Ok((End::MeansAnother, 0)),
        (true, false) => Err("not told, and the model does not have it".to_owned()),
        (false, true) => Err("the operands are the same, and the model has changed".to_owned()),
    }
}

/// Returns the lines of `after` that `before` does not have.
fn changed(before: &str, after: &str) -> String {
    let new = after.lines().filter(|line| !before.lines().any(|old| old == *line));
    new.map(|line| format!("{line}\n")).collect()
}

/// Checks that `reading` without error has the deck whole, statement by statement.
fn is_whole(reading: &Reading) -> Result<(), String> {
    let errors = reading.diagnostics.iter().filter(|one| one.severity == Severity::Error).count();
    let Some(deck) = &reading.deck else {
        return if errors > 0 { Ok(()) } else { Err("no deck, and no error".to_owned()) };
    };
    if !reading.left_out.is_empty() {
        return Err(format!("{} statements left out of a deck", reading.left_out.len()));
    }
    let statements = &reading.script.statements;
    let coded = |operation| statements.iter().filter(|one| one.kind == Some(operation)).count();
    for (operation, defined) in [
        (Operation::Chpid, deck.channel_paths.len()),
        (Operation::Cntlunit, deck.control_units.len()),
        (Operation::Iodevice, deck.devices.len()),
        (Operation::Function, deck.functions.len()),
    ] {
        if coded(operation) != defined {
            return Err(format!("{} {} coded, {defined} read", coded(operation), operation.word()));
        }
    }
    let unread = statements.iter().find(|one| one.kind.is_none() || !one.well_formed);
    unread.map_or(Ok(()), |one| Err(format!("{} was not read", one.operation.value)))
}

/// Varies the deck of `case`, so that reading ends early in each of its ways. The variants have an unknown operation
/// at the head, have one at the end, and miss the text before the first channel.
fn with_unknown(text: &str) -> [String; 4] {
    const UNKNOWN: &str = "         BOGUS X=1\n";
    let headless: String = text
        .split_inclusive('\n')
        .skip_while(|line| !line.contains(" CHPID ") || line.starts_with('*'))
        .collect();
    [text.to_owned(), format!("{UNKNOWN}{text}"), format!("{text}{UNKNOWN}"), format!("{headless}{UNKNOWN}")]
}

#[test]
fn what_was_not_read_to_its_end_has_an_error() {
    let (mut tried, mut failures) = (0, Vec::new());
    for (name, text) in decks() {
        let deck = Deck::new(&text);
        let characters = deck.of_characters().into_iter().step_by(SHARE * 27);
        for case in deck.of_cards().into_iter().step_by(9).chain(characters) {
            for text in with_unknown(&case.text) {
                tried += 1;
                if let Err(reason) = is_whole(&reading(&text)) {
                    failures.push(format!("{name}: {}: {reason}", case.name));
                }
            }
        }
    }
    assert!(tried > 3000, "only {tried} decks");
    assert!(
        failures.is_empty(),
        "{} of {tried}:\n{}",
        failures.len(),
        failures[..failures.len().min(20)].join("\n")
    );
}

#[test]
fn every_broken_card_is_told_or_in_the_model() {
    let all = std::env::var("HALFTRACK_MUTATIONS").is_ok_and(|value| value == "all");
    let share = if all { 1 } else { SHARE };
    let (mut ends, mut many, mut tried, mut failures) = (BTreeMap::new(), 0, 0, Vec::new());
    for (name, text) in decks() {
        let deck = Deck::new(&text);
        assert!(deck.reading.deck.is_some(), "{name}");
        let cases = deck.of_cards().into_iter().chain(deck.of_characters().into_iter().step_by(share));
        for case in cases {
            tried += 1;
            match judge(&deck.reading, &case) {
                Ok((end, errors)) => {
                    *ends.entry(end).or_insert(0) += 1;
                    many += usize::from(errors > 3);
                }
                Err(reason) => {
                    failures.push(format!("{name}: {}\n{}{reason}", case.name, changed(&text, &case.text)))
                }
            }
        }
    }
    println!("{tried} mutations: {ends:?}, {many} with more than three errors");
    let shown = failures[..failures.len().min(30)].join("\n\n");
    assert!(failures.is_empty(), "{} of {tried} {ends:?}:\n{shown}", failures.len());
}

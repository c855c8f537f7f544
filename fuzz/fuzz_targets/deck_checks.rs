//! Laws for any octets that are taken for decks. The tests of `deck` run the committed corpora through the same
//! functions.

use std::sync::Arc;

use halftrack_deck::difference::{as_written, difference};
use halftrack_deck::formats::json;
use halftrack_deck::model::placement::ByNumber;
use halftrack_deck::reports::REPORTS;
use halftrack_deck::syntax::keyword::{Operation, canonical};
use halftrack_deck::syntax::operand::Item;
use halftrack_deck::syntax::script::Script;
use halftrack_deck::syntax::statement::Statement;
use halftrack_deck::{
    CsvTable, DeckFile, Edits, ReadOptions, Reading, Selection, advise, csv, ctc, format, listing, read,
    read_with,
};
use halftrack_input::{Diagnostic, SourceFile, has_errors};

fn source(octets: &[u8]) -> Arc<SourceFile> {
    SourceFile::new("fuzz.iocp", String::from_utf8_lossy(octets))
}

fn assert_spans(found: &[Diagnostic], source: &SourceFile) {
    for message in found {
        for label in std::iter::once(&message.at).chain(&message.others) {
            assert!(source.text.get(label.span.clone()).is_some(), "{message}");
        }
    }
}

/// Checks that a deck is read if and only if it has no error. Every span is inside the text, the cards together are
/// the text, and everything that was understood has a display.
pub fn deck(octets: &[u8]) {
    let source = source(octets);
    for lenient in [false, true] {
        let reading = read_with(source.clone(), &ReadOptions { lenient, ..ReadOptions::default() });
        assert_eq!(reading.deck.is_some(), !has_errors(&reading.diagnostics));
        assert!(reading.deck.is_none() || reading.left_out.is_empty());
        assert_spans(&reading.diagnostics, &source);
        let _ = listing(&reading.diagnostics);
        let _ = reading.taken_in();
        show_all(&reading);
    }
    let script = Script::parse(&source);
    let cards: String = script.cards.iter().map(|card| &source.text[card.line.clone()]).collect();
    assert_eq!(cards, source.text);
    // Cards with uncertain boundaries may be divided otherwise once others are laid out.
    if !has_errors(&script.diagnostics) {
        let once = format(&script);
        let formatted = Script::parse(&SourceFile::new("fuzz.iocp", once.as_str()));
        assert_eq!(format(&formatted), once);
    }
}

/// Reports, lists, JSON, CSV, advice and CTC pairs of what was understood.
fn show_all(reading: &Reading) {
    let Some(deck) = reading.understood() else { return };
    let selection = Selection::all(deck);
    for report in REPORTS {
        let _ = report.of(&selection);
    }
    use CsvTable::{Chpid, ControlUnit, Device, Function, Path};
    for table in [Chpid, ControlUnit, Device, Function, Path] {
        let _ = csv(&selection, table);
    }
    let file = DeckFile::from_bytes("fuzz.iocp", reading.script.source.text.clone().into_bytes());
    if let Ok(file) = file {
        let _ = json::json(&file, reading, &selection);
    }
    assert_spans(&advise(deck, &ByNumber), &reading.script.source);
    let _ = ctc::connections(&[deck], &[]);
    assert!(difference(deck, deck).is_empty(), "a deck differs from itself");
}

/// Checks that every file taken for a deck is written back unchanged.
pub fn deck_bytes(octets: &[u8]) {
    let Ok(file) = DeckFile::from_bytes("fuzz.iocp", octets.to_vec()) else { return };
    let text = Edits::new(&Script::parse(&file.source)).finish();
    assert_eq!(file.to_bytes(&text).expect("every character came from a byte"), octets);
}

/// Compares two decks, one behind the other with a card `*** B` between them. Additions of one are deletions of the
/// other, and a deck does not differ from itself.
pub fn deck_diff(octets: &[u8]) {
    let text = String::from_utf8_lossy(octets);
    let (a, b) = text.split_once("*** B\n").unwrap_or((&text, ""));
    let (a, b) = (read(SourceFile::new("a.iocp", a)), read(SourceFile::new("b.iocp", b)));
    let (there, back) = (as_written(&a, &b), as_written(&b, &a));
    assert_eq!((&there.deleted, &there.added), (&back.added, &back.deleted));
    assert_eq!(
        (as_written(&a, &a).deleted.len(), there.is_empty()),
        (0, a.left_out.len() + b.left_out.len() == 0)
    );
    let (Some(a), Some(b)) = (a.understood(), b.understood()) else { return };
    use halftrack_deck::difference::ChangeKind::{Added, Deleted, Modified};
    let (there, back) = (difference(a, b), difference(b, a));
    let _ = there.to_string();
    assert_eq!(
        (there.count(Added), there.count(Deleted), there.count(Modified)),
        (back.count(Deleted), back.count(Added), back.count(Modified))
    );
    assert!(difference(a, a).is_empty() && difference(b, b).is_empty());
}

/// Applies an edit to a statement whose cards are certain. The input is a statement number, a kind of edit, then a
/// deck without errors of form: the statement reads as before with that edit, and the cards of all others are
/// unchanged.
pub fn deck_edit(octets: &[u8]) {
    let [index, kind, octets @ ..] = octets else { return };
    let before = Script::parse(&source(octets));
    if has_errors(&before.diagnostics) {
        return;
    }
    let index = usize::from(*index) % before.statements.len().max(1);
    let Some(statement) = before.statements.get(index) else { return };
    let mut edits = Edits::new(&before);
    let mut expected = statements(&before);
    let own = &mut expected[index];
    match kind % 6 {
        0 => {
            edits.set(index, "PCHID", "1F0");
            own.set("PCHID", "1F0", statement);
        }
        1 => {
            let long = format!("({})", ["40"; 60].join(","));
            edits.set(index, "PATH", &long);
            own.set("PATH", &long, statement);
        }
        2 => {
            let first = statement.items.first().and_then(|item| item.keyword.as_ref());
            let keyword = first.map_or("UNIT", |word| word.value.as_str());
            edits.remove(index, keyword);
            own.remove(keyword, statement);
        }
        3 => {
            edits.delete(index);
            expected.remove(index);
        }
        4 => {
            let operands = ["PATH=(CSS(0),40)", "TYPE=FC"].map(str::to_owned);
            edits.insert_after(index, Operation::Chpid, &operands);
            expected.insert(index + 1, StatementText::new(Operation::Chpid, &operands));
        }
        _ => {
            edits.set(index, "TYPE", "FC");
            edits.set(index, "PCHID", "1F0");
            edits.remove(index, "SHARED");
            own.set("TYPE", "FC", statement);
            own.set("PCHID", "1F0", statement);
            own.remove("SHARED", statement);
        }
    }
    let after = Script::parse(&SourceFile::new("fuzz.iocp", edits.finish()));
    let seen = statements(&after);
    assert_eq!(seen.len(), expected.len(), "{:?}", after.source.text);
    for (seen, expected) in seen.iter().zip(&expected) {
        assert!(seen.is_as(expected), "{seen:?}, not {expected:?} in {:?}", after.source.text);
    }
}

/// A statement as it reads, or verbatim.
#[derive(Debug)]
struct StatementText {
    operation: Option<Operation>,
    items: Vec<String>,
    /// Its cards, unless it was edited.
    cards: Option<String>,
}

fn statements(script: &Script) -> Vec<StatementText> {
    let seen = |statement: &Statement| StatementText {
        operation: statement.kind,
        items: statement.items.iter().map(Item::to_string).collect(),
        cards: Some(
            script.cards[statement.cards.clone()]
                .iter()
                .map(|card| &script.source.text[card.text.clone()])
                .collect::<Vec<_>>()
                .join("\n"),
        ),
    };
    script.statements.iter().map(seen).collect()
}

impl StatementText {
    fn new(operation: Operation, operands: &[String]) -> Self {
        Self { operation: Some(operation), items: operands.to_vec(), cards: None }
    }

    /// Follows the rule of [`Edits::set`]: a statement that cannot be read stays.
    fn set(&mut self, keyword: &str, value: &str, statement: &Statement) {
        if !statement.well_formed {
            return;
        }
        self.cards = None;
        match self.items.iter_mut().find(|item| is_named(item, keyword)) {
            Some(item) => *item = format!("{}={value}", item.split('=').next().unwrap_or(keyword)),
            None => self.items.push(format!("{keyword}={value}")),
        }
    }

    fn remove(&mut self, keyword: &str, statement: &Statement) {
        if statement.well_formed {
            self.cards = None;
            self.items.retain(|item| !is_named(item, keyword));
        }
    }

    fn is_as(&self, expected: &Self) -> bool {
        match &expected.cards {
            Some(_) => self.cards == expected.cards,
            None => self.operation == expected.operation && self.items == expected.items,
        }
    }
}

fn is_named(item: &str, keyword: &str) -> bool {
    canonical(item.split('=').next().unwrap_or_default()) == canonical(keyword)
}

//! Right decks with one thing broken at a time, thousands of them: each mistake is found, at the statement that was
//! broken, and few messages report it.
//!
//! The expected message comes with the mutation, not from the checker.

use crate::support::{cards, reading};
use halftrack_deck::Reading;
use halftrack_deck::syntax::keyword::{Operation, canonical};
use halftrack_deck::syntax::script::Script;
use halftrack_input::{Label, Severity, SourceFile};

const DECKS: [&str; 4] = [
    include_str!("../decks/example_a.iocp"),
    include_str!("../decks/example_b.iocp"),
    include_str!("../decks/example_c.iocp"),
    include_str!("../decks/hcd_z9.iocp"),
];

/// A statement as operation and operands.
#[derive(Clone)]
struct Line {
    operation: Operation,
    operands: Vec<String>,
}

fn lines(deck: &str) -> Vec<Line> {
    let script = Script::parse(&SourceFile::new("deck.iocp", deck));
    let line = |statement: &halftrack_deck::syntax::statement::Statement| Line {
        operation: statement.kind.expect("a right deck"),
        operands: statement.items.iter().map(ToString::to_string).collect(),
    };
    script.statements.iter().map(line).collect()
}

/// Returns the deck, and the lines of the text that statement `index` takes.
fn text(lines: &[Line], index: usize) -> (String, std::ops::Range<usize>) {
    let (mut text, mut own) = (String::new(), 0..0);
    for (at, line) in lines.iter().enumerate() {
        let before = text.lines().count();
        text += &cards(&format!("{} {}", line.operation.word(), line.operands.join(",")));
        if at == index {
            own = before + 1..text.lines().count() + 1;
        }
    }
    (text, own)
}

/// Returns true for keywords whose value is free text, so that any word is right.
fn is_free(keyword: &str) -> bool {
    matches!(keyword, "UNIT" | "MODEL" | "TOK" | "LSYSTEM" | "CSYSTEM" | "IOCLUSTER" | "PNETID")
}

fn keyword_of(operand: &str) -> Option<&str> {
    operand.split_once('=').map(|(keyword, _)| keyword).filter(|keyword| !keyword.contains('('))
}

fn is_required(operation: Operation, keyword: &str) -> bool {
    let required: &[&str] = match operation {
        Operation::Resource | Operation::Uuid => &["PART"],
        Operation::Chpid => &["PATH", "TYPE"],
        Operation::Cntlunit => &["CUNUMBR", "PATH", "UNIT"],
        Operation::Iodevice => &["ADDRESS", "CUNUMBR", "UNIT"],
        Operation::Function => &["FID", "PART"],
        Operation::Id => &[],
    };
    required.contains(&canonical(keyword))
}

/// Returns the mutations of one operand that must be found, by name: the operand, or operands, in its place.
fn broken(operation: Operation, operand: &str) -> Vec<(&'static str, Option<String>)> {
    let mut all = vec![("twice", Some(format!("{operand},{operand}")))];
    let Some(keyword) = keyword_of(operand) else { return all };
    let value = &operand[keyword.len() + 1..];
    all.push(("misspelt", Some(format!("{keyword}QX={value}"))));
    all.push(("without value", Some(format!("{keyword}="))));
    all.push(("opened", Some(format!("{keyword}=({value}"))));
    all.push(("closed", Some(format!("{keyword}={value})"))));
    all.push(("open string", Some(format!("{keyword}='{}", value.replace('\'', "")))));
    if is_required(operation, keyword) {
        all.push(("dropped", None));
    }
    // ZZ is the name of a partition as good as any.
    if !is_free(canonical(keyword)) && operation != Operation::Resource {
        all.push(("junk", Some(format!("{keyword}=ZZ"))));
    }
    if !is_free(canonical(keyword)) {
        all.push(("huge", Some(format!("{keyword}=FFFFFFFFF"))));
    }
    // Six unit addresses are right where the type takes no UNITADD and it is ignored.
    if !is_free(canonical(keyword)) && keyword != "UNITADD" {
        all.push(("list", Some(format!("{keyword}=(1,2,3,4,5,6)"))));
    }
    all
}

fn is_in(label: &Label, own: &std::ops::Range<usize>) -> bool {
    own.contains(&label.source.position(label.span.start).0)
}

/// Counts errors of `reading`; the second result is true when the first one points at `own` or names it.
fn errors(reading: &Reading, own: &std::ops::Range<usize>) -> (usize, bool) {
    let mut errors = reading.diagnostics.iter().filter(|one| one.severity == Severity::Error);
    let count = errors.clone().count();
    let points = errors
        .next()
        .is_some_and(|first| std::iter::once(&first.at).chain(&first.others).any(|label| is_in(label, own)));
    (count, points)
}

#[test]
fn every_broken_operand_is_found_where_it_is() {
    let (mut tried, mut many, mut failures) = (0, 0, Vec::new());
    for deck in DECKS {
        let lines = lines(deck);
        for (index, line) in lines.iter().enumerate() {
            for (at, operand) in line.operands.iter().enumerate() {
                for (name, new) in broken(line.operation, operand) {
                    let mut mutated = lines.clone();
                    match new {
                        Some(new) => mutated[index].operands[at] = new,
                        None => drop(mutated[index].operands.remove(at)),
                    }
                    let (text, own) = text(&mutated, index);
                    let reading = reading(&text);
                    let (count, points) = errors(&reading, &own);
                    tried += 1;
                    many += usize::from(count > 2);
                    if !points {
                        let shown: Vec<String> = reading.diagnostics.iter().map(|one| one.line()).collect();
                        failures.push(format!("{name} {} {operand}: {shown:?}", line.operation.word()));
                    }
                }
            }
        }
    }
    assert!(tried > 3000, "only {tried} mutations");
    assert!(
        failures.is_empty(),
        "{} of {tried}:\n{}",
        failures.len(),
        failures[..failures.len().min(40)].join("\n")
    );
    // A broken RESOURCE or channel may be felt in several statements, but a cascade is rare.
    assert!(many * 100 <= tried * 2, "{many} of {tried} give more than two errors");
}

#[test]
fn every_statement_twice_or_in_another_form_is_found() {
    for deck in DECKS {
        let lines = lines(deck);
        for (index, line) in lines.iter().enumerate() {
            if line.operation == Operation::Id {
                continue;
            }
            let mut twice = lines.clone();
            twice.insert(index, line.clone());
            let (text_of_two, own) = text(&twice, index + 1);
            let found = reading(&text_of_two);
            assert!(errors(&found, &own).1, "{} {:?} twice", line.operation.word(), line.operands);
        }
    }
}

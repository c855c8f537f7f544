//! Right decks with one meaning broken: the number of the message, the card that it draws and the other card beside it
//! are those of the mistake.

use std::ops::Range;

use halftrack_deck::Reading;
use halftrack_deck::syntax::keyword::Operation;
use halftrack_deck::syntax::script::Script;
use halftrack_deck::{Edits, read};
use halftrack_input::{Severity, SourceFile};

const DECKS: [&str; 4] = [
    include_str!("../decks/example_a.iocp"),
    include_str!("../decks/example_b.iocp"),
    include_str!("../decks/example_c.iocp"),
    include_str!("../decks/hcd_z9.iocp"),
];

/// The message that a mistake must give.
struct Mistake {
    number: u16,
    /// Statement that is drawn.
    at: usize,
    /// Statement that is drawn beside it.
    other: Option<usize>,
}

fn lines(script: &Script, statement: usize) -> Range<usize> {
    let cards = &script.statements[statement].cards;
    cards.start + 1..cards.end + 1
}

/// Returns true when the first error of `reading` is that of `mistake`.
fn is_reported(reading: &Reading, mistake: &Mistake) -> bool {
    let Some(first) = reading.diagnostics.iter().find(|one| one.severity == Severity::Error) else {
        return false;
    };
    let is_in = |label: &halftrack_input::Label, statement: usize| {
        lines(&reading.script, statement).contains(&label.source.position(label.span.start).0)
    };
    first.number == mistake.number
        && is_in(&first.at, mistake.at)
        && mistake.other.is_none_or(|other| first.others.iter().any(|label| is_in(label, other)))
}

/// Breaks every statement of `operation` with `break_one`, and returns how many were broken. `break_one` changes the
/// statement and returns the message that must be reported.
fn broken(
    operation: Operation,
    break_one: impl Fn(&Script, &mut Edits<'_>, usize) -> Option<Mistake>,
) -> usize {
    let mut tried = 0;
    for text in DECKS {
        let script = Script::parse(&SourceFile::new("deck.iocp", text));
        let own = (0..script.statements.len()).filter(|&at| script.statements[at].kind == Some(operation));
        for at in own {
            let mut edits = Edits::new(&script);
            let Some(mistake) = break_one(&script, &mut edits, at) else { continue };
            let reading = read(SourceFile::new("deck.iocp", edits.finish()));
            let shown: Vec<String> = reading.diagnostics.iter().map(ToString::to_string).collect();
            let subject = script.statements[at].subject();
            assert!(is_reported(&reading, &mistake), "{subject}, {}:\n{}", mistake.number, shown.join("\n"));
            tried += 1;
        }
    }
    tried
}

/// Returns the statement of `operation` before `at`.
fn before(script: &Script, at: usize, operation: Operation) -> Option<usize> {
    (0..at).rev().find(|&other| script.statements[other].kind == Some(operation))
}

fn coded(script: &Script, at: usize, keyword: &str) -> Option<String> {
    script.statements[at].value(keyword).map(ToString::to_string)
}

/// Sets the value of `keyword` of the statement before on this one, which must give `number`.
fn doubled(operation: Operation, keyword: &str, number: u16) -> usize {
    broken(operation, |script, edits, at| {
        let other = before(script, at, operation)?;
        let value = coded(script, other, keyword)?;
        coded(script, at, keyword)?;
        // Of another type it may break another rule first.
        (coded(script, at, "TYPE") == coded(script, other, "TYPE")).then_some(())?;
        edits.set(at, keyword, &value);
        Some(Mistake { number, at, other: Some(other) })
    })
}

#[test]
fn a_number_that_another_statement_has() {
    let counts = [
        doubled(Operation::Chpid, "PATH", 200),
        doubled(Operation::Cntlunit, "CUNUMBR", 230),
        doubled(Operation::Function, "FID", 207),
    ];
    assert!(counts[0] >= 10 && counts[1] >= 10 && counts[2] >= 1, "{counts:?}");
}

#[test]
fn a_control_unit_that_is_not_defined() {
    let tried = broken(Operation::Iodevice, |_, edits, at| {
        edits.set(at, "CUNUMBR", "(FFFE)");
        Some(Mistake { number: 308, at, other: None })
    });
    assert!(tried >= 20);
}

#[test]
fn a_device_outside_the_unit_addresses_of_its_control_unit() {
    let tried = broken(Operation::Iodevice, |script, edits, at| {
        let units = script.statements[at].value("CUNUMBR")?.leaves();
        let number = units.first()?.text()?;
        let is_it = |other: &usize| {
            let other = &script.statements[*other];
            let own =
                other.value("CUNUMBR").and_then(|own| own.text().map(|own| own.trim_start_matches('0')));
            other.kind == Some(Operation::Cntlunit) && own == Some(number.trim_start_matches('0'))
        };
        let unit = (0..at).find(is_it)?;
        // What an OSA answers to is its own affair.
        (coded(script, unit, "UNIT")? != "OSA").then_some(())?;
        let [first, count] = script.statements[unit].value("UNITADD")?.leaves()[..] else { return None };
        let count: u16 = count.text()?.parse().ok()?;
        // So do control units of 256 unit addresses.
        let beyond = u8::try_from(u16::from_str_radix(first.text()?, 16).ok()? + count).ok()?;
        let number = script.statements[at].value("ADDRESS")?.leaves()[0].text()?;
        edits.set(at, "ADDRESS", &format!("({number},1)"));
        edits.set(at, "UNITADD", &format!("{beyond:02X}"));
        Some(Mistake { number: 303, at, other: Some(unit) })
    });
    assert!(tried >= 3, "{tried}");
}

#[test]
fn a_channel_type_that_does_not_exist() {
    let tried = broken(Operation::Chpid, |_, edits, at| {
        edits.set(at, "TYPE", "FX");
        Some(Mistake { number: 140, at, other: None })
    });
    assert!(tried >= 20);
}

#[test]
fn more_links_than_paths() {
    let tried = broken(Operation::Cntlunit, |script, edits, at| {
        let link = coded(script, at, "LINK")?;
        edits.set(at, "LINK", &link.replacen("))", ",C0))", 1));
        Some(Mistake { number: 245, at, other: None })
    });
    assert!(tried >= 5, "{tried}");
}

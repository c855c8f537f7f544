//! Every kind of advice has a deck that it is given for and nothing else, and one, a small change away, without any.
//!
//! `tests/decks/advice/Annn/bad.iocp` is valid and gives advice nnn alone; `good.iocp` is valid and gives none.

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use halftrack_deck::advice::{ADVICES, Advice};
use halftrack_deck::advise;
use halftrack_deck::message_numbers::ONE_BLADE;
use halftrack_deck::placement::{ByNumber, Place, Placement, WithBlades};
use support::{codes, reading};

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/decks/advice")
}

fn name(advice: &Advice) -> String {
    format!("A{:03}", advice.number)
}

/// The advice for `text`, as codes and as words; what is wrong with it as an error.
fn advised(text: &str, placement: &dyn Placement) -> Result<(Vec<String>, String), String> {
    let reading = reading(text);
    let deck = reading.deck.as_ref().filter(|_| reading.diagnostics.is_empty());
    let deck = deck.ok_or_else(|| format!("not valid: {:?}", codes(&reading)))?;
    let notes = advise(deck, placement);
    let numbered = notes.iter().map(|note| format!("{:03}{}", note.number, note.severity.letter()));
    Ok((numbered.collect(), notes.iter().map(|note| format!("{note}\n")).collect()))
}

fn checked(advice: &Advice) -> Result<(), String> {
    let text = |file: &str| {
        let path = directory().join(name(advice)).join(file);
        fs::read_to_string(path).map_err(|error| format!("{file}: {error}"))
    };
    // Where blades are is told for the advice about them alone: elsewhere nobody knows.
    let blades = WithBlades { ports: &ByNumber, ports_per_blade: 16 };
    let known: &dyn Placement = if advice.number == ONE_BLADE { &blades } else { &ByNumber };
    let (bad, shown) = advised(&text("bad.iocp")?, known).map_err(|error| format!("bad: {error}"))?;
    if bad != [format!("{:03}{}", advice.number, advice.severity.letter())] {
        return Err(format!("bad gives {bad:?}\n{shown}"));
    }
    let (good, shown) = advised(&text("good.iocp")?, known).map_err(|error| format!("good: {error}"))?;
    if good.is_empty() { Ok(()) } else { Err(format!("good gives {good:?}\n{shown}")) }
}

#[test]
fn each_advice_has_a_deck_that_it_is_given_for_and_one_without() {
    let failures: Vec<String> = ADVICES
        .iter()
        .filter_map(|advice| checked(advice).err().map(|reason| format!("{}: {reason}", name(advice))))
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_pair_belongs_to_an_advice_and_numbers_ascend() {
    for entry in fs::read_dir(directory()).expect("the decks are committed") {
        let found = entry.expect("an entry").file_name();
        assert!(ADVICES.iter().any(|advice| found.to_str() == Some(&name(advice))), "{found:?}");
    }
    assert!(ADVICES.windows(2).all(|pair| pair[0].number < pair[1].number));
}

/// Advice on example A is what its author meant: it has two directors, several cards and both halves of the machine.
#[test]
fn the_worked_example_gives_no_advice() {
    let (codes, shown) = advised(include_str!("decks/example_a.iocp"), &ByNumber).expect("a valid deck");
    assert_eq!(codes, [""; 0], "{shown}");
}

/// Hardware of one domain.
struct OneDomain;

impl Placement for OneDomain {
    fn place(&self, pchid: u16) -> Option<Place> {
        let card = Some(format!("{pchid:03X}"));
        Some(Place { card, domain: Some("Z22B-0".to_owned()), ..Place::default() })
    }
}

#[test]
fn who_knows_the_hardware_is_told_of_domains() {
    let (codes, shown) = advised(include_str!("decks/example_a.iocp"), &OneDomain).expect("a valid deck");
    assert!(!codes.is_empty() && codes.iter().all(|code| code == "801A"), "{shown}");
    let words = "all 8 paths are on I/O domain Z22B-0 (CSS 0); so with 3 more control units";
    assert!(shown.contains(words), "{shown}");
}

#[test]
fn of_blades_nothing_is_said_to_who_does_not_know_them() {
    let text = include_str!("decks/advice/A802/bad.iocp");
    assert_eq!(advised(text, &ByNumber).expect("a valid deck").0, [""; 0]);
    let blades = |ports_per_blade| WithBlades { ports: &ByNumber, ports_per_blade };
    let (_, shown) = advised(text, &blades(16)).expect("a valid deck");
    assert!(shown.contains("its 2 ports on director 11 are all on blade 00-0F"), "{shown}");
    assert_eq!(advised(text, &blades(8)).expect("a valid deck").0, [""; 0]);
}

/// A801 to A810 are listed (reference: IOCP, section 4.7); the rest is ours.
#[test]
fn all_listed_advice_is_given() {
    let given: Vec<u16> =
        ADVICES.iter().map(|advice| advice.number).filter(|number| *number <= 810).collect();
    assert_eq!(given, (801..=810).collect::<Vec<u16>>());
}

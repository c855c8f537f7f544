//! Every kind of advice has a deck that it is given for and nothing else, and one, a small change away, without any.
//!
//! `tests/decks/advice/Annn/bad.iocp` is valid and gives advice nnn alone; `good.iocp` is valid and gives none.

use crate::support::pairs::{Messages, Pairs, as_expected};
use crate::support::{codes, reading};
use halftrack_deck::advice::ADVICES;
use halftrack_deck::advise;
use halftrack_deck::model::placement::{ByNumber, Place, Placement, WithBlades};
use halftrack_input::messages::deck::ONE_BLADE;

/// Returns the advice for `text`, as codes and as words, or its faults as an error.
fn advised(text: &str, placement: &dyn Placement) -> Result<Messages, String> {
    let reading = reading(text);
    let deck = reading.deck.as_ref().filter(|_| reading.diagnostics.is_empty());
    let deck = deck.ok_or_else(|| format!("not valid: {:?}", codes(&reading)))?;
    let notes = advise(deck, placement);
    let numbered = notes.iter().map(|note| format!("{:03}{}", note.number, note.severity.letter()));
    Ok((numbered.collect(), notes.iter().map(|note| format!("{note}\n")).collect()))
}

#[test]
fn each_advice_has_a_deck_that_it_is_given_for_and_one_without() {
    let numbers: Vec<u16> = ADVICES.iter().map(|advice| advice.number).collect();
    assert!(numbers.is_sorted_by(|one, next| one < next));
    Pairs { directory: "advice", letter: 'A' }.hold(&numbers, |number, bad, good| {
        let advice = ADVICES.iter().find(|advice| advice.number == number).expect("it is of the table");
        let own = format!("{number:03}{}", advice.severity.letter());
        // The blades are given for the advice about them alone: elsewhere they are unknown.
        let blades = WithBlades { ports: &ByNumber, ports_per_blade: 16 };
        let known: &dyn Placement = if number == ONE_BLADE { &blades } else { &ByNumber };
        as_expected(advised(bad, known)?, &[own], advised(good, known)?)
    });
}

/// Advice on example A is what its author meant: it has two directors, several cards and both halves of the machine.
#[test]
fn the_worked_example_gives_no_advice() {
    let (codes, shown) = advised(include_str!("../decks/example_a.iocp"), &ByNumber).expect("a valid deck");
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
    let (codes, shown) = advised(include_str!("../decks/example_a.iocp"), &OneDomain).expect("a valid deck");
    assert!(!codes.is_empty() && codes.iter().all(|code| code == "801A"), "{shown}");
    let words = "all 8 paths are on I/O domain Z22B-0 (CSS 0); so with 3 more control units";
    assert!(shown.contains(words), "{shown}");
}

#[test]
fn of_blades_nothing_is_said_to_who_does_not_know_them() {
    let text = include_str!("../decks/advice/A802/bad.iocp");
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
        ADVICES.iter().map(|advice| advice.number).filter(|number| (801..=810).contains(number)).collect();
    assert_eq!(given, (801..=810).collect::<Vec<u16>>());
}

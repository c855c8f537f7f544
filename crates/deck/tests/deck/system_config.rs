//! Logical links of a z/VM SYSTEM CONFIG: each fault has a file with it and nothing else, and one without.
//!
//! `tests/decks/system_config/Cnnn/bad.config` gives message nnn alone, `good.config` none, both for LP1 of `deck.iocp`.

use std::fs;
use std::path::{Path, PathBuf};

use halftrack_deck::ctc::{Image, connections};
use halftrack_deck::model::Deck;
use halftrack_deck::{check_system_config, system_config};
use halftrack_input::{Diagnostic, SourceFile, messages};
use proptest::prelude::*;

use crate::support::{codes, reading};

const NUMBERS: std::ops::RangeInclusive<u16> = 781..=789;

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/decks/system_config")
}

fn deck() -> Deck {
    let reading = reading(include_str!("../decks/system_config/deck.iocp"));
    assert_eq!(codes(&reading), [""; 0], "{:?}", reading.diagnostics);
    reading.deck.expect("no messages")
}

fn checked(deck: &Deck, text: &str) -> Vec<Diagnostic> {
    check_system_config(deck, "LP1", &SourceFile::new("system.config", text))
}

#[test]
fn each_fault_has_a_file_with_it_alone_and_one_without() {
    let deck = deck();
    for number in NUMBERS {
        let message = messages::with_number(number).next().expect("registered");
        let file = |name: &str| {
            fs::read_to_string(directory().join(format!("C{number}")).join(name)).expect("a file")
        };
        let bad = checked(&deck, &file("bad.config"));
        let found: Vec<String> = bad.iter().map(Diagnostic::code).collect();
        assert_eq!(found, message.codes().collect::<Vec<_>>(), "{bad:?}");
        assert!(bad[0].position().0 >= 3 && bad[0].fix.is_some(), "{}", bad[0]);
        assert_eq!(checked(&deck, &file("good.config")), [], "{number}");
    }
    let found = fs::read_dir(directory()).expect("a directory").count();
    assert_eq!(found, NUMBERS.count() + 1, "a directory for each, and the deck");
}

proptest! {
    /// No text ends the check: each gives messages at places within it.
    #[test]
    fn any_text_is_checked(words in proptest::collection::vec(
        prop_oneof![
            "ACTIVATE ISLINK", "NODE", "BUF", "[D]0[0-5][0-9A-F]", "D0[01][0-9A-F]-D0[0-9A-F]{2}", "/\\*", "\\*/", ",?\n", "\\PC{0,6}",
        ],
        0..40,
    )) {
        let text = words.join(" ");
        for message in checked(&deck(), &text) {
            prop_assert!(message.at.span.end <= text.len() && text.get(message.at.span.clone()).is_some());
        }
    }
}

#[test]
fn a_message_names_device_place_and_control_unit() {
    let deck = deck();
    let shown = |text: &str| {
        checked(&deck, text)
            .iter()
            .map(|one| format!("{one}\n"))
            .collect::<String>()
            .replace("deck.iocp", "DECK")
    };
    assert_eq!(
        shown("activate islink d000,\n  D030 node b"),
        "HTK785E system.config:2:3 device D030 leads to 0.LP3, and D000 of the same link to 0.LP2\n  \
         see: DECK:96:27 its control unit\n  fix: make a link for each partner\n"
    );
    assert!(shown("ACTIVATE ISLINK D050").contains("device D050 is not accessible to LP1\n  see: DECK:"));
    assert!(shown("ACTIVATE ISLINK 2000").contains("device 2000 is not defined in the deck\n"));
    let two = shown("ACTIVATE ISLINK D000 NODE B\nACTIVATE ISLINK D001 NODE C");
    assert!(
        two.starts_with("HTK785E system.config:2:27 another logical link leads to 0.LP2 already"),
        "{two}"
    );
    let one = shown("ACTIVATE ISLINK D000 NODE B\nACTIVATE ISLINK D001 NODE b");
    assert_eq!(one, "");
    let nobody = check_system_config(&deck, "LPX", &SourceFile::new("system.config", ""));
    assert_eq!(nobody[0].message, "the deck has no partition LPX");
}

#[test]
fn statements_are_written_for_each_partner_with_what_a_link_takes() {
    let deck = deck();
    let found = connections(&[&deck], &[]);
    let image = |name: &str| Image::all(&deck, 0).find(|image| image.name == name).expect("a partition");
    let node = |image: &Image| format!("VM{}", image.name);
    let all = system_config(&found, &image("LP1"), &[], &node);
    assert_eq!(all.refused.len(), 2, "{all:?}");
    assert!(all.refused[0].starts_with("2 ESCON devices of the link to VMLP2"), "{all:?}");
    assert!(all.refused[1].contains("19 devices lead there, and a logical link has 16"), "{all:?}");
    assert!(
        all.text.ends_with("RDEVICE D030-D033 TYPE CTCA\nACTIVATE ISLINK D030 D031 D032 D033 NODE VMLP3\n")
    );
    let some = system_config(&found, &image("LP1"), &[0xD000..=0xD00F], &node);
    assert_eq!(some.refused, [""; 0]);
    assert_eq!(checked(&deck, &some.text), []);
    assert_eq!(
        some.text,
        "/* 0.LP1: devices and logical links of ISFC, by the I/O configuration */\nRDEVICE D000-D00F TYPE CTCA\n\
         ACTIVATE ISLINK D000 D001 D002 D003 D004 D005 D006 D007 D008 D009 D00A ,\n   D00B D00C D00D D00E D00F NODE VMLP2\n"
    );
    let none = system_config(&found, &image("LP1"), &[0x1000..=0x1000], &node);
    assert_eq!((none.text.as_str(), none.refused.len()), ("", 0));
}

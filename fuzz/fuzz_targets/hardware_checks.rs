//! Laws for any octets that are taken for a description of hardware. The tests of `plugging` run the committed corpus
//! through the same function.

use halftrack_catalog::Catalog;
use halftrack_deck::Edits;
use halftrack_input::{Diagnostic, SourceFile};
use halftrack_plugging::{
    FarEnds, Hardware, MapOptions, ao_table, balance_line, cable_table, cables, hardware_text, map,
    read_ao_report, read_hardware_file,
};

/// Cards of a hardware on which the deck is mapped.
const CARD_LIMIT: usize = 40;
/// A small deck for the hardware.
const DECK: &str = include_str!("../../crates/deck/tests/decks/example_b.iocp");

/// Reads a configuration report and a hardware file: hardware if and only if there is no error. Every span is inside
/// the text, and hardware that was read is written as a hardware file that reads the same.
pub fn hardware(octets: &[u8], catalog: &Catalog) {
    let source = SourceFile::new("fuzz.txt", String::from_utf8_lossy(octets));
    for (hardware, found) in [read_ao_report(&source, catalog), read_hardware_file(&source, catalog)] {
        assert_eq!(hardware.is_some(), found.is_empty());
        for message in &found {
            for label in std::iter::once(&message.at).chain(&message.others) {
                assert!(source.text.get(label.span.clone()).is_some(), "{message}");
            }
        }
        let Some(hardware) = hardware else { continue };
        let written = SourceFile::new("again.toml", hardware_text(&hardware));
        let (again, found) = read_hardware_file(&written, catalog);
        assert!(
            found.is_empty(),
            "{:?}\n{}",
            found.iter().map(Diagnostic::line).collect::<Vec<_>>(),
            written.text
        );
        assert_eq!(again.as_ref().map(Hardware::cards), Some(hardware.cards()), "{}", written.text);
        plug(&hardware);
    }
}

/// Maps a deck on `hardware`, and lists its cables and tables.
fn plug(hardware: &Hardware) {
    let reading = halftrack_deck::read(SourceFile::new("deck.iocp", DECK));
    let deck = reading.deck.as_ref().expect("a valid deck");
    let _ = (ao_table(hardware), balance_line(hardware));
    let listed = cable_table(&cables(deck, hardware, &FarEnds::default()));
    assert!(!listed.is_empty());
    // The search tries more the more ports there are.
    if hardware.cards().len() <= CARD_LIMIT {
        let mapping = map(deck, hardware, MapOptions { all: true, parity: true });
        let mut edits = Edits::new(&reading.script);
        mapping.apply(deck, &reading.script, &mut edits);
        assert!(halftrack_deck::read(SourceFile::new("mapped.iocp", edits.finish())).deck.is_some());
    }
}

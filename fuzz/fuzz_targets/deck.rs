//! Any bytes are read as a deck: no panic, every span inside the text, a deck if and only if no error, and the
//! cards together are the text.
#![no_main]

use halftrack_deck::diagnostic::{SourceFile, has_errors};
use halftrack_deck::script::Script;
use halftrack_deck::{ReadOptions, listing, read_with};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let source = SourceFile::new("fuzz.iocp", String::from_utf8_lossy(bytes));
    for lenient in [false, true] {
        let reading = read_with(source.clone(), &ReadOptions { lenient, ..ReadOptions::default() });
        assert_eq!(reading.deck.is_some(), !has_errors(&reading.diagnostics));
        for message in &reading.diagnostics {
            for label in std::iter::once(&message.at).chain(&message.others) {
                assert!(source.text.get(label.span.clone()).is_some(), "{message}");
            }
        }
        let _ = listing(&reading.diagnostics);
    }
    let script = Script::parse(&source);
    let cards: String = script.cards.iter().map(|card| &source.text[card.line.clone()]).collect();
    assert_eq!(cards, source.text);
});

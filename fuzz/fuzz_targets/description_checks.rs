//! Laws for any octets that are taken for a short description of a deck. The tests of `generate` run the committed
//! corpus through the same function.

use halftrack_generate::describe;
use halftrack_input::{SourceFile, has_errors};

/// Checks that the result is either a deck or errors; every span is inside its text, and the deck breaks no rule.
pub fn deck_new(octets: &[u8]) {
    let (deck, found) = describe(&SourceFile::new("fuzz.toml", String::from_utf8_lossy(octets)));
    assert_eq!(deck.is_some(), !has_errors(&found));
    for message in &found {
        for label in std::iter::once(&message.at).chain(&message.others) {
            assert!(label.source.text.get(label.span.clone()).is_some(), "{message}");
        }
    }
    if let Some(deck) = deck {
        assert!(halftrack_deck::read(SourceFile::new("deck.iocp", deck)).deck.is_some());
    }
}

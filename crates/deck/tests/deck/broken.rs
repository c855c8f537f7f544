//! A deck with ten mistakes: all of them are shown, each once.

use crate::support::reading;

#[test]
fn a_broken_deck_shows_every_mistake_once() {
    let reading = reading(include_str!("../decks/broken.iocp"));
    let shown: Vec<String> = reading.diagnostics.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(shown.join("\n"));
}

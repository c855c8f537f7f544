//! Any bytes that are taken for a deck file are written back as they were.
#![no_main]

use halftrack_deck::{DeckFile, Edits};
use halftrack_deck::script::Script;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(file) = DeckFile::from_bytes("fuzz.iocp", bytes.to_vec()) else { return };
    let text = Edits::new(&Script::parse(&file.source)).finish();
    assert_eq!(file.to_bytes(&text).expect("every character came from a byte"), bytes);
});

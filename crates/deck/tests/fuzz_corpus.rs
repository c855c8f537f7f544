//! The committed fuzz corpora hold on every run of the tests, without the fuzzer.

use std::path::Path;

use halftrack_deck::diagnostic::{SourceFile, has_errors};
use halftrack_deck::script::Script;
use halftrack_deck::{DeckFile, Edits, ReadOptions, format, read, read_with};

/// Every seed of the target `name`, with its file name.
fn seeds(name: &str) -> Vec<(String, Vec<u8>)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(name);
    let entries = std::fs::read_dir(directory).expect("the corpus is committed");
    let seed = |entry: std::io::Result<std::fs::DirEntry>| {
        let path = entry.expect("a readable directory").path();
        (path.to_string_lossy().into_owned(), std::fs::read(&path).expect("a readable seed"))
    };
    let seeds: Vec<_> = entries.map(seed).collect();
    assert!(seeds.len() >= 12, "only {} seeds", seeds.len());
    seeds
}

#[test]
fn every_seed_is_read_without_panic() {
    for (name, bytes) in seeds("deck") {
        let source = SourceFile::new(name.as_str(), String::from_utf8_lossy(&bytes));
        let reading = read(source.clone());
        assert_eq!(reading.deck.is_some(), !has_errors(&reading.diagnostics), "{name}");
        let lenient = read_with(source, &ReadOptions { lenient: true, ..ReadOptions::default() });
        assert_eq!(lenient.deck.is_some(), !has_errors(&lenient.diagnostics), "{name}");
    }
}

#[test]
fn every_seed_is_written_back_byte_for_byte() {
    let mut decks = 0;
    for (name, bytes) in seeds("deck_bytes").into_iter().chain(seeds("deck")) {
        let Ok(file) = DeckFile::from_bytes(&name, bytes.clone()) else { continue };
        let text = Edits::new(&Script::parse(&file.source)).finish();
        assert_eq!(file.to_bytes(&text).expect("every character came from a byte"), bytes, "{name}");
        decks += 1;
    }
    assert!(decks >= 20, "only {decks} decks");
}

#[test]
fn every_seed_is_formatted_the_same_way_twice() {
    for (name, bytes) in seeds("deck") {
        let parsed = |text: &str| Script::parse(&SourceFile::new("seed", text));
        let once = format(&parsed(&String::from_utf8_lossy(&bytes)));
        assert_eq!(format(&parsed(&once)), once, "{name}");
    }
}

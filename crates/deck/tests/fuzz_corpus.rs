//! The committed fuzz corpus holds on every run of the tests, without the fuzzer.

use std::path::Path;

use halftrack_deck::diagnostic::{SourceFile, has_errors};
use halftrack_deck::read;

#[test]
fn every_seed_is_read_without_panic() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/deck");
    let mut seeds = 0;
    for entry in std::fs::read_dir(directory).expect("the corpus is committed") {
        let path = entry.expect("a readable directory").path();
        let bytes = std::fs::read(&path).expect("a readable seed");
        let reading = read(SourceFile::new(path.to_string_lossy(), String::from_utf8_lossy(&bytes)));
        assert_eq!(reading.deck.is_some(), !has_errors(&reading.diagnostics), "{}", path.display());
        seeds += 1;
    }
    assert!(seeds >= 12, "only {seeds} seeds");
}

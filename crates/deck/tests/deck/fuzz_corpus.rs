//! The committed fuzz corpora hold on every run of the tests, without the fuzzer.
#![cfg(feature = "json")]

use std::path::Path;

#[path = "../../../../fuzz/fuzz_targets/deck_checks.rs"]
mod deck_checks;

/// Fewest seeds of a corpus.
const SEEDS_MIN: usize = 12;

/// Octets at the end of an edited deck that are cut off, one at a time.
const CUT: usize = 400;

fn hold(corpus: &str, check: fn(&[u8])) {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(corpus);
    let mut seeds = 0;
    for entry in std::fs::read_dir(directory).expect("the corpus is committed") {
        let path = entry.expect("a readable directory").path();
        let octets = std::fs::read(&path).expect("a readable seed");
        let held = std::panic::catch_unwind(|| check(&octets));
        assert!(held.is_ok(), "{}", path.display());
        seeds += 1;
    }
    assert!(seeds >= SEEDS_MIN, "only {seeds} seeds of {corpus}");
}

#[test]
fn decks() {
    hold("deck", deck_checks::deck);
}

#[test]
fn deck_files() {
    hold("deck_bytes", deck_checks::deck_bytes);
    hold("deck", deck_checks::deck_bytes);
}

#[test]
fn edits() {
    hold("deck_edit", deck_checks::deck_edit);
}

/// Decks that end anywhere, with every kind of edit.
#[test]
fn edits_of_decks_cut_off() {
    hold("deck_edit", |octets| {
        let cut = octets.len().saturating_sub(CUT)..octets.len();
        for length in cut {
            deck_checks::deck_edit(
                &[&[255, (length % 6) as u8], octets.get(2..length).unwrap_or_default()].concat(),
            );
        }
    });
}

#[test]
fn two_decks() {
    hold("deck_diff", deck_checks::deck_diff);
}

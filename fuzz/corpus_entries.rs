//! Entries of a committed corpus, for the tests that hold what a fuzz target asserts.

use std::fs;
use std::path::Path;

/// Runs `check` on each entry of a corpus and on its beginnings, which grow by `step` octets.
///
/// # Panics
/// When the corpus has fewer than four entries, or cannot be read.
pub fn hold(corpus: &str, step: usize, check: fn(&[u8])) {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(corpus);
    let mut entries = 0;
    for entry in fs::read_dir(directory).expect("the corpus is committed") {
        let octets = fs::read(entry.expect("entry").path()).expect("octets");
        (0..=octets.len()).step_by(step).for_each(|length| check(&octets[..length]));
        entries += 1;
    }
    assert!(entries >= 4, "{entries} entries in the corpus {corpus}");
}

//! The committed fuzz corpus of short descriptions holds on every run of the tests, without the fuzzer.

use std::path::Path;

#[path = "../../../../fuzz/fuzz_targets/description_checks.rs"]
mod description_checks;

#[test]
fn short_descriptions() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/deck_new");
    let mut seeds = 0;
    for entry in std::fs::read_dir(directory).expect("the corpus is committed") {
        let path = entry.expect("a readable directory").path();
        let octets = std::fs::read(&path).expect("a readable seed");
        let check = || description_checks::deck_new(&octets);
        assert!(std::panic::catch_unwind(check).is_ok(), "{}", path.display());
        seeds += 1;
    }
    assert!(seeds >= 12, "only {seeds} seeds");
}

//! The committed fuzz corpus of operators' commands holds on every run of the tests, without the fuzzer.

use std::path::Path;

#[path = "../../../fuzz/fuzz_targets/display_checks.rs"]
mod display_checks;

#[test]
fn commands() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/display_command");
    let mut seeds = 0;
    for entry in std::fs::read_dir(directory).expect("the corpus is committed") {
        let path = entry.expect("a readable directory").path();
        let octets = std::fs::read(&path).expect("a readable seed");
        let check = || display_checks::display_command(&octets);
        assert!(std::panic::catch_unwind(check).is_ok(), "{}", path.display());
        seeds += 1;
    }
    assert!(seeds >= 12, "only {seeds} seeds");
}

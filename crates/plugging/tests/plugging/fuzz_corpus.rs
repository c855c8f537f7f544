//! The committed fuzz corpus of hardware holds on every run of the tests, without the fuzzer.

use std::path::Path;

use halftrack_catalog::Catalog;

#[path = "../../../../fuzz/fuzz_targets/hardware_checks.rs"]
mod hardware_checks;

#[test]
fn reports_and_hardware_files() {
    let (catalog, found) = Catalog::load(&[]);
    assert!(found.is_empty());
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/ao_report");
    let mut seeds = 0;
    for entry in std::fs::read_dir(directory).expect("the corpus is committed") {
        let path = entry.expect("a readable directory").path();
        let octets = std::fs::read(&path).expect("a readable seed");
        let check = || hardware_checks::hardware(&octets, &catalog);
        assert!(std::panic::catch_unwind(check).is_ok(), "{}", path.display());
        seeds += 1;
    }
    assert!(seeds >= 12, "only {seeds} seeds");
}

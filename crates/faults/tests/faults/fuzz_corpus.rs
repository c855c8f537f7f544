//! The committed fuzz corpus of scripts holds on every run of the tests, without the fuzzer; so do their beginnings.

use std::fs;
use std::path::Path;

#[path = "../../../../fuzz/fuzz_targets/fault_script_checks.rs"]
mod fault_script_checks;

use fault_script_checks::fault_script;

#[test]
fn scripts() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/fault_script");
    let mut entries = 0;
    for entry in fs::read_dir(directory).expect("the corpus is committed") {
        let octets = fs::read(entry.expect("entry").path()).expect("octets");
        (0..=octets.len()).for_each(|length| fault_script(&octets[..length]));
        entries += 1;
    }
    assert!(entries >= 4, "{entries} entries");
}

//! The committed fuzz corpus of an FCP target holds on every run of the tests, and so do random octets.

use std::fs;
use std::path::Path;

use halftrack_engine::RandomStream;

#[path = "../../../../fuzz/fuzz_targets/fcp_target_checks.rs"]
mod fcp_target_checks;

use fcp_target_checks::fcp_target;

/// Runs on random octets.
const RUNS: u64 = 300;

#[test]
fn the_corpus_holds_and_so_do_its_beginnings() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/fcp_target");
    let mut entries = 0;
    for entry in fs::read_dir(directory).expect("the corpus is committed") {
        let octets = fs::read(entry.expect("entry").path()).expect("octets");
        (0..=octets.len() / 3).for_each(|steps| fcp_target(&octets[..3 * steps]));
        entries += 1;
    }
    assert!(entries >= 4, "{entries} entries");
}

#[test]
fn random_octets_hold() {
    let mut random = RandomStream::new(1, "FCP target");
    for _ in 0..RUNS {
        let octets: Vec<u8> = (0..600).map(|_| random.below(256) as u8).collect();
        fcp_target(&octets);
    }
}

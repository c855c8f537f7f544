//! The committed fuzz corpus of peers in any state holds on every run of the tests, and so do random octets.

use std::fs;
use std::path::Path;

use halftrack_engine::RandomStream;

#[path = "../../../../fuzz/fuzz_targets/peer_states_checks.rs"]
mod peer_states_checks;

use peer_states_checks::peer_states;

/// Runs on random octets.
const RUNS: u64 = 300;

#[test]
fn the_corpus_holds_and_so_do_its_beginnings() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/peer_states");
    let mut entries = 0;
    for entry in fs::read_dir(directory).expect("the corpus is committed") {
        let octets = fs::read(entry.expect("entry").path()).expect("octets");
        (0..=octets.len() / 2).for_each(|steps| peer_states(&octets[..2 * steps]));
        entries += 1;
    }
    assert!(entries >= 4, "{entries} entries");
}

#[test]
fn random_octets_hold() {
    let mut random = RandomStream::new(1, "peer states");
    for _ in 0..RUNS {
        let octets: Vec<u8> = (0..400).map(|_| random.below(256) as u8).collect();
        peer_states(&octets);
    }
}

//! The committed fuzz corpus of peers in any state holds on every run of the tests, and so do random octets.

use halftrack_engine::RandomStream;

#[path = "../../../../fuzz/corpus_entries.rs"]
mod corpus_entries;
#[path = "../../../../fuzz/fuzz_targets/peer_states_checks.rs"]
mod peer_states_checks;

use corpus_entries::hold;
use peer_states_checks::peer_states;

/// Runs on random octets.
const RUNS: u64 = 300;

#[test]
fn the_corpus_holds_and_so_do_its_beginnings() {
    hold("peer_states", 2, peer_states);
}

#[test]
fn random_octets_hold() {
    let mut random = RandomStream::new(1, "peer states");
    for _ in 0..RUNS {
        let octets: Vec<u8> = (0..400).map(|_| random.below(256) as u8).collect();
        peer_states(&octets);
    }
}

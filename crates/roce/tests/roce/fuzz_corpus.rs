//! The committed fuzz corpus of packets and queue pairs holds on every run of the tests, with its beginnings; so do random
//! octets.

use proptest::prelude::*;

#[path = "../../../../fuzz/corpus_entries.rs"]
mod corpus_entries;
#[path = "../../../../fuzz/fuzz_targets/roce_checks.rs"]
mod roce_checks;

#[test]
fn packets_of_the_corpus() {
    corpus_entries::hold("roce_packet", 16, roce_checks::roce_packet);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn random_packets(octets in prop::collection::vec(any::<u8>(), 0..600)) {
        roce_checks::roce_packet(&octets);
    }
}

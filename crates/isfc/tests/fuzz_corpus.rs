//! The committed fuzz corpora of a logical link and of the adapter below it hold on every run of the tests, with their
//! beginnings; so do random octets.

use proptest::prelude::*;

#[path = "../../../fuzz/corpus_entries.rs"]
mod corpus_entries;
#[path = "../../../fuzz/fuzz_targets/isfc_checks.rs"]
mod isfc_checks;

use corpus_entries::hold;

#[test]
fn blocks_of_the_corpus() {
    hold("isfc_block", 1, isfc_checks::isfc_block);
}

#[test]
fn links_of_the_corpus() {
    hold("isfc_link", 8, isfc_checks::isfc_link);
}

#[test]
fn commands_of_the_corpus() {
    hold("ctc_commands", 3, isfc_checks::ctc_commands);
}

proptest! {
    #[test]
    fn random_links(octets in prop::collection::vec(any::<u8>(), 0..600)) {
        isfc_checks::isfc_link(&octets);
    }

    #[test]
    fn random_commands(octets in prop::collection::vec(any::<u8>(), 0..600)) {
        isfc_checks::ctc_commands(&octets);
    }
}

//! The committed fuzz corpora of messages and of ends hold on every run of the tests, with their beginnings; so do random
//! octets.

use proptest::prelude::*;

#[path = "../../../../fuzz/corpus_entries.rs"]
mod corpus_entries;
#[path = "../../../../fuzz/fuzz_targets/smc_message_checks.rs"]
mod smc_message_checks;
#[path = "../../../../fuzz/fuzz_targets/smc_stack_checks.rs"]
mod smc_stack_checks;

#[test]
fn messages_of_the_corpus() {
    corpus_entries::hold("smc_message", 11, smc_message_checks::smc_message);
}

#[test]
fn ends_of_the_corpus() {
    corpus_entries::hold("smc_stack", 16, smc_stack_checks::smc_stack);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn random_ends(octets in prop::collection::vec(any::<u8>(), 0..300)) {
        smc_stack_checks::smc_stack(&octets);
        smc_message_checks::smc_message(&octets);
    }
}

//! The committed fuzz corpus of hostile programs holds on every run of the tests, with its beginnings.

#[path = "../../../fuzz/corpus_entries.rs"]
mod corpus_entries;
#[path = "../../../fuzz/fuzz_targets/zedc_client_checks.rs"]
mod zedc_client_checks;

#[test]
fn programs_of_the_corpus() {
    corpus_entries::hold("zedc_client", 60, zedc_client_checks::zedc_client);
}

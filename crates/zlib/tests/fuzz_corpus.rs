//! The committed fuzz corpus of streams over cards holds on every run of the tests, with its beginnings.
//!
//! It is a test of its own, since the cards of a process are chosen once. Its functions are those of C.
#![allow(unsafe_code)]

#[allow(dead_code)]
#[path = "zlib/abi.rs"]
mod abi;
#[path = "../../../fuzz/corpus_entries.rs"]
mod corpus_entries;
#[path = "../../../fuzz/fuzz_targets/zedc_zlib_checks.rs"]
mod zedc_zlib_checks;

#[test]
fn streams_of_the_corpus() {
    corpus_entries::hold("zedc_zlib", 60, zedc_zlib_checks::zedc_zlib);
}

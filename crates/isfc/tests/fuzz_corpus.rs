//! The committed fuzz corpora of a logical link and of the adapter below it hold on every run of the tests, with their
//! beginnings; so do random octets.

use std::fs;
use std::path::Path;

use proptest::prelude::*;

#[path = "../../../fuzz/fuzz_targets/isfc_checks.rs"]
mod isfc_checks;

fn hold(corpus: &str, step: usize, check: fn(&[u8])) {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(corpus);
    let mut entries = 0;
    for entry in fs::read_dir(directory).expect("the corpus is committed") {
        let octets = fs::read(entry.expect("entry").path()).expect("octets");
        (0..=octets.len()).step_by(step).for_each(|length| check(&octets[..length]));
        entries += 1;
    }
    assert!(entries >= 4, "{entries} entries in the corpus {corpus}");
}

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

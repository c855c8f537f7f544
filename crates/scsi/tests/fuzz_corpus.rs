//! The committed fuzz corpora of the SCSI target hold on every run of the tests, with their beginnings; so do random octets.

use std::fs;
use std::path::Path;

use proptest::prelude::*;

#[path = "../../../fuzz/fuzz_targets/scsi_checks.rs"]
mod scsi_checks;

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
fn commands_of_the_corpus() {
    hold("scsi_cdb", 1, scsi_checks::scsi_cdb);
}

#[test]
fn states_of_the_corpus() {
    hold("scsi_state", 3, scsi_checks::scsi_state);
}

proptest! {
    #[test]
    fn random_commands(octets in prop::collection::vec(any::<u8>(), 0..400)) {
        scsi_checks::scsi_cdb(&octets);
    }

    #[test]
    fn random_states(octets in prop::collection::vec(any::<u8>(), 0..400)) {
        scsi_checks::scsi_state(&octets);
    }
}

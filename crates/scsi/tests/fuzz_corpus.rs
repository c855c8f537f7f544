//! The committed fuzz corpora of the SCSI target hold on every run of the tests, with their beginnings; so do random octets.

use proptest::prelude::*;

#[path = "../../../fuzz/corpus_entries.rs"]
mod corpus_entries;
#[path = "../../../fuzz/fuzz_targets/scsi_checks.rs"]
mod scsi_checks;

use corpus_entries::hold;

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

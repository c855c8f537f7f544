//! The committed fuzz corpora hold on every run of the tests, without the fuzzer; so do their beginnings and copies with
//! an octet changed.

use std::fs;
use std::path::Path;

#[path = "../../../../fuzz/fuzz_targets/wire_checks.rs"]
mod wire_checks;

/// Octets of an entry that are changed, one at a time.
const CHANGED: usize = 160;

fn hold(corpus: &str, check: fn(&[u8])) {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(corpus);
    let mut entries = 0;
    for entry in fs::read_dir(directory).expect("the corpus is committed") {
        let octets = fs::read(entry.expect("entry").path()).expect("octets");
        check(&octets);
        for length in 0..octets.len() {
            check(&octets[..length]);
        }
        for at in 0..octets.len().min(CHANGED) {
            let mut changed = octets.clone();
            for value in [changed[at] ^ 0x01, !changed[at], 0] {
                changed[at] = value;
                check(&changed);
            }
        }
        entries += 1;
    }
    assert!(entries >= 4, "{entries} entries in the corpus {corpus}");
}

#[test]
fn frames() {
    hold("fc_frame", wire_checks::fc_frame);
}

#[test]
fn link_services() {
    hold("els", wire_checks::els);
}

#[test]
fn information_units() {
    hold("sb_iu", wire_checks::sb_iu);
}

#[test]
fn information_units_of_fcp() {
    hold("fcp_iu", wire_checks::fcp_iu);
}

#[test]
fn streams() {
    hold("fcip", wire_checks::fcip);
}

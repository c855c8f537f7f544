//! Any octets are commands with data for small units, one after the other.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[allow(dead_code)]
mod scsi_checks;

fuzz_target!(|octets: &[u8]| scsi_checks::scsi_cdb(octets));

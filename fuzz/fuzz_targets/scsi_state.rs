//! Any octets lead a SCSI target through commands, functions and losses of several initiators.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[allow(dead_code)]
mod scsi_checks;

fuzz_target!(|octets: &[u8]| scsi_checks::scsi_state(octets));

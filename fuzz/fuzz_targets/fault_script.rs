//! Any octets are read as a script of faults: no panic, and what is accepted prints and reads back as it was.
#![no_main]

use libfuzzer_sys::fuzz_target;

mod fault_script_checks;

fuzz_target!(|octets: &[u8]| fault_script_checks::fault_script(octets));

//! Any octets are an operator's command.
#![no_main]

use libfuzzer_sys::fuzz_target;

mod display_checks;

fuzz_target!(|octets: &[u8]| display_checks::display_command(octets));

//! Any octets are a link service, or what goes to and from the name server.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[allow(dead_code)]
mod wire_checks;

fuzz_target!(|bytes: &[u8]| wire_checks::els(bytes));

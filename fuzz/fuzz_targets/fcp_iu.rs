//! Any octets are an information unit of FCP.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[allow(dead_code)]
mod wire_checks;

fuzz_target!(|bytes: &[u8]| wire_checks::fcp_iu(bytes));

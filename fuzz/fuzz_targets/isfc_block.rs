//! Any octets are a block of a logical link, or the contents of one.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[allow(dead_code)]
mod isfc_checks;

fuzz_target!(|octets: &[u8]| isfc_checks::isfc_block(octets));

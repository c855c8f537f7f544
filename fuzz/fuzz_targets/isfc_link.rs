//! Any octets lead the two ends of a logical link through data, losses, starts and blocks that no end would send.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[allow(dead_code)]
mod isfc_checks;

fuzz_target!(|octets: &[u8]| isfc_checks::isfc_link(octets));

//! Any octets lead the exchanges of an FCP target through messages in any order.
#![no_main]

use libfuzzer_sys::fuzz_target;

mod fcp_target_checks;

fuzz_target!(|octets: &[u8]| fcp_target_checks::fcp_target(octets));

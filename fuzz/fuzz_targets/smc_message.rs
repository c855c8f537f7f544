//! Any octets are messages of SMC-R, of CLC, LLC and CDC, or none.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[allow(dead_code)]
mod smc_message_checks;

fuzz_target!(|octets: &[u8]| smc_message_checks::smc_message(octets));

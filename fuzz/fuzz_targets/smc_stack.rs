//! Any octets lead two ends of a link group through connections, losses, ports, time, and messages that no end would send.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[allow(dead_code)]
mod smc_stack_checks;

fuzz_target!(|octets: &[u8]| smc_stack_checks::smc_stack(octets));

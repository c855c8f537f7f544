//! Any octets lead a hostile program through the socket and the memory of a card that works, beside a program that must not notice.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[allow(dead_code)]
mod zedc_client_checks;

fuzz_target!(|octets: &[u8]| zedc_client_checks::zedc_client(octets));

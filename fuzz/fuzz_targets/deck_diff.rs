//! Any octets are two decks, which are compared.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[allow(dead_code)]
mod deck_checks;

fuzz_target!(|octets: &[u8]| deck_checks::deck_diff(octets));

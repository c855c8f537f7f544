//! Any octets are a short description of a deck.
#![no_main]

use libfuzzer_sys::fuzz_target;

mod description_checks;

fuzz_target!(|octets: &[u8]| description_checks::deck_new(octets));

//! Any octets are read as a deck: no panic, every span inside the text, a deck if and only if no error.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[allow(dead_code)]
mod deck_checks;

fuzz_target!(|octets: &[u8]| deck_checks::deck(octets));

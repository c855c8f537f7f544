//! Any octets that are taken for a deck file are written back as they were.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[allow(dead_code)]
mod deck_checks;

fuzz_target!(|octets: &[u8]| deck_checks::deck_bytes(octets));

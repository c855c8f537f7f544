//! A deck with a statement changed reads as it did with that change, and nothing else of it has changed.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[allow(dead_code)]
mod deck_checks;

fuzz_target!(|octets: &[u8]| deck_checks::deck_edit(octets));

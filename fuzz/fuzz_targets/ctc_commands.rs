//! Any octets are commands, halts and resets of both sides of a channel-to-channel adapter.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[allow(dead_code)]
mod isfc_checks;

fuzz_target!(|octets: &[u8]| isfc_checks::ctc_commands(octets));

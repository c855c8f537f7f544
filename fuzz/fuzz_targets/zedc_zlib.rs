//! Any octets lead streams of the library with the interface of zlib through calls, buffers, and cards that are lost and plugged.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[allow(dead_code)]
#[path = "../../crates/zlib/tests/zlib/abi.rs"]
mod abi;
#[allow(dead_code)]
mod zedc_zlib_checks;

fuzz_target!(|octets: &[u8]| zedc_zlib_checks::zedc_zlib(octets));

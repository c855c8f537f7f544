//! Any octets are packets, or lead two queue pairs through work, losses, time and packets that no end would send.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[allow(dead_code)]
mod roce_checks;

fuzz_target!(|octets: &[u8]| roce_checks::roce_packet(octets));

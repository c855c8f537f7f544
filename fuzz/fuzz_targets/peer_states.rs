//! Any octets lead a channel port and a control-unit port through valid frames in any order.
#![no_main]

use libfuzzer_sys::fuzz_target;

mod peer_states_checks;

fuzz_target!(|octets: &[u8]| peer_states_checks::peer_states(octets));

//! Laws of messages of SMC-R: what is read is written back, and read again as the same. The tests of `smc_stack` run the
//! committed corpus and random octets through the same function.

use halftrack_smc::message::clc::{Clc, announced_bytes};
use halftrack_smc::message::llc::Llc;
use halftrack_smc::message::{Cdc, LINK_MESSAGE_BYTES, LinkMessage, has_tcp_option};

/// Reads octets as messages of every layer.
pub fn smc_message(octets: &[u8]) {
    has_tcp_option(octets);
    if let Some(header) = octets.first_chunk() {
        let _ = announced_bytes(header);
    }
    if let Ok(message) = Clc::decode(octets) {
        assert_eq!(Clc::decode(&message.encode()), Ok(message));
    }
    for piece in octets.chunks(LINK_MESSAGE_BYTES) {
        let mut message: LinkMessage = [0; LINK_MESSAGE_BYTES];
        message[..piece.len()].copy_from_slice(piece);
        check_link_message(&message);
        message[1] = LINK_MESSAGE_BYTES as u8;
        check_link_message(&message);
    }
}

fn check_link_message(octets: &LinkMessage) {
    let is_whole = usize::from(octets[1]) == LINK_MESSAGE_BYTES;
    if let Ok(message) = Llc::decode(octets) {
        assert!(is_whole);
        let written = message.encode();
        assert_eq!((written[0], written[1], Llc::decode(&written)), (octets[0], octets[1], Ok(message)));
        assert!(Cdc::decode(&written).is_err(), "no message is of both layers");
    }
    if let Ok(message) = Cdc::decode(octets) {
        assert!(is_whole);
        assert_eq!(Cdc::decode(&message.encode()), Ok(message));
    }
}

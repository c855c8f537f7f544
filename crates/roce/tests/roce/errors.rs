//! Sentences of errors: each gives its reason.

use halftrack_roce::packet::{NakCode, Opcode, PacketError, Rkey, Syndrome};
use halftrack_roce::queue_pair::{AccessError, Failure, InvalidRequest, PostError};

#[test]
fn errors_give_their_reason() {
    let invalid = InvalidRequest::Payload { opcode: Opcode::WriteLast, bytes: 7 };
    let (rkey, address) = (Rkey(0xA1), 0x1000);
    let refused = Failure::RefusedAccess { rkey, address, length_bytes: 8, error: AccessError::Bounds };
    let sentences = [
        (PacketError::Length(3).to_string(), "3 octets are no packet: 16 to 4132 in steps of 4"),
        (
            PacketError::Icrc { found: 1, computed: 2 }.to_string(),
            "the invariant CRC is 00000001, and the octets give 00000002",
        ),
        (
            refused.to_string(),
            "the peer was refused 8 octets at 0000000000001000 under rkey 000000A1: it lies outside of the memory of the key",
        ),
        (
            PostError::Failed(Failure::InvalidRequest(invalid)).to_string(),
            "the queue pair has failed: the peer sent an invalid request: WriteLast has 7 octets of payload",
        ),
        (
            Failure::NoAcknowledgement(8).to_string(),
            "the peer did not acknowledge a packet that was sent 8 times",
        ),
    ];
    for (sentence, expected) in sentences {
        assert_eq!(sentence, expected);
    }
    assert_eq!(Syndrome::Nak(NakCode::RemoteOperationalError).octet(), 0x63);
}

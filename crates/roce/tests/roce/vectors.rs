//! Packets whose invariant CRC scapy computed: `tests/icrc.py` wrote `tests/icrc.txt`.

use halftrack_roce::packet::{Network, PACKET_BYTES_MAX, Packet};

use crate::datagram::parse;

fn octets(digits: &str) -> Vec<u8> {
    let pairs = (0..digits.len()).step_by(2);
    pairs.map(|at| u8::from_str_radix(&digits[at..at + 2], 16).expect("digits")).collect()
}

#[test]
fn packets_of_scapy_are_read_and_written_the_same() {
    let (mut v4, mut v6, mut opcodes) = (0, 0, Vec::new());
    for line in include_str!("../icrc.txt").lines() {
        let (word, digits) = line.split_once(' ').expect("a word and digits");
        let octets = octets(digits);
        let (path, payload) = parse(&octets);
        let packet = Packet::decode(&path, payload).unwrap_or_else(|error| panic!("{line}: {error}"));
        let mut buffer = [0xEE; PACKET_BYTES_MAX];
        let bytes = packet.encode(&path, &mut buffer).expect("a short payload");
        assert_eq!(word == "exact", &buffer[..bytes] == payload, "{line}");
        assert_eq!(Packet::decode(&path, &buffer[..bytes]), Ok(packet));
        *(if matches!(path.network, Network::V4 { .. }) { &mut v4 } else { &mut v6 }) += 1;
        opcodes.push(packet.operation.opcode().octet());
    }
    opcodes.sort_unstable();
    opcodes.dedup();
    assert_eq!((v4, v6, opcodes.len()), (39, 39, 13));
}

//! Packets written and read back, and octets that are none.

use core::net::{Ipv4Addr, Ipv6Addr};

use proptest::prelude::*;

use super::*;

fn path() -> Path {
    Path::v4(Ipv4Addr::new(10, 1, 0, 1), Ipv4Addr::new(10, 1, 0, 2), 49_152)
}

fn write_only(payload: &[u8]) -> Packet<'_> {
    let heading = Heading::new(QueuePairNumber::new(0x12_3456), Psn::new(0xAB_CDEF));
    let reth =
        Reth { address: 0x0102_0304_0506_0708, rkey: Rkey(0xA1A2_A3A4), length_bytes: payload.len() as u32 };
    Packet { heading, operation: Operation::WriteOnly(reth, Some(Immediate(0xB1B2_B3B4))), payload }
}

fn encoded(packet: &Packet<'_>) -> Vec<u8> {
    let mut buffer = [0xEE; PACKET_BYTES_MAX];
    let bytes = packet.encode(&path(), &mut buffer).expect("a short payload");
    buffer[..bytes].to_vec()
}

/// Ends octets with the CRC that belongs there.
fn sealed(mut octets: Vec<u8>) -> Vec<u8> {
    let at = octets.len() - ICRC_BYTES;
    let crc = icrc(&path(), &octets[..at]);
    octets[at..].copy_from_slice(&crc);
    octets
}

#[test]
fn fields_have_their_places() {
    let octets = encoded(&write_only(b"abcde"));
    let expected = [
        0x0B, 0x70, 0xFF, 0xFF, 0, 0x12, 0x34, 0x56, 0, 0xAB, 0xCD, 0xEF, 1, 2, 3, 4, 5, 6, 7, 8, 0xA1, 0xA2,
        0xA3, 0xA4, 0, 0, 0, 5, 0xB1, 0xB2, 0xB3, 0xB4, b'a', b'b', b'c', b'd', b'e', 0, 0, 0,
    ];
    assert_eq!(octets[..octets.len() - 4], expected);
    let acknowledgement = Packet {
        heading: Heading {
            is_solicited: true,
            is_migrated: false,
            is_acknowledge_requested: true,
            partition_key: 0x8001,
            ..Heading::new(QueuePairNumber::new(1), Psn::new(2))
        },
        operation: Operation::Acknowledge(Aeth {
            syndrome: Syndrome::Nak(NakCode::RemoteAccessError),
            messages: 0x01_0203,
        }),
        payload: &[],
    };
    let octets = encoded(&acknowledgement);
    assert_eq!(octets[..16], [0x11, 0x80, 0x80, 0x01, 0, 0, 0, 1, 0x80, 0, 0, 2, 0x62, 1, 2, 3]);
}

#[test]
fn a_changed_bit_is_found_but_in_the_octet_that_may_change_on_the_way() {
    let octets = encoded(&write_only(b"abcde"));
    for bit in 0..octets.len() * 8 {
        let mut changed = octets.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        let decoded = Packet::decode(&path(), &changed);
        if bit / 8 == 4 {
            assert_eq!(decoded, Ok(write_only(b"abcde")));
        } else {
            assert!(matches!(decoded, Err(PacketError::Icrc { .. })), "bit {bit}: {decoded:?}");
        }
    }
}

#[test]
fn a_packet_is_bound_to_its_path() {
    let octets = encoded(&write_only(b"abcde"));
    let Network::V4 { source, destination, .. } = path().network else { panic!("IPv4") };
    let network = |identification, is_fragment_forbidden| Network::V4 {
        source,
        destination,
        identification,
        is_fragment_forbidden,
    };
    let others = [
        Path { source_port: 49_153, ..path() },
        Path::v4(destination, source, 49_152),
        Path { network: network(1, true), ..path() },
        Path { network: network(0, false), ..path() },
        Path::v6(source.to_ipv6_mapped(), destination.to_ipv6_mapped(), 49_152),
    ];
    assert!(Packet::decode(&path(), &octets).is_ok());
    for other in others {
        assert!(Packet::decode(&other, &octets).is_err(), "{other:?}");
    }
}

#[test]
fn each_malformed_packet_is_refused_with_its_reason() {
    let good = encoded(&write_only(b"abcde"));
    let changed = |at: usize, octet: u8| {
        let mut octets = good.clone();
        octets[at] = octet;
        sealed(octets)
    };
    let cut = |bytes: usize| sealed(good[..bytes].to_vec());
    let acknowledge = |syndrome: u8, bytes: usize| {
        let mut octets = vec![0x11, 0, 0xFF, 0xFF, 0, 0, 0, 1, 0, 0, 0, 2, syndrome, 0, 0, 3];
        octets.resize(octets.len() + bytes, 0);
        sealed(octets)
    };
    let long_send = sealed([[4_u8, 0, 0xFF, 0xFF].as_slice(), &[0; 4096 + 8 + 4 + 4]].concat());
    let cases = [
        (Vec::new(), PacketError::Length(0)),
        (cut(12), PacketError::Length(12)),
        (cut(41), PacketError::Length(41)),
        (vec![0; PACKET_BYTES_MAX + 4], PacketError::Length(PACKET_BYTES_MAX + 4)),
        (changed(1, 0x71), PacketError::Version(1)),
        (changed(0, 0x0C), PacketError::Opcode(0x0C)),
        (changed(0, 0x2A), PacketError::Opcode(0x2A)),
        (cut(32), PacketError::Short(Opcode::WriteOnlyImmediate)),
        (cut(36), PacketError::Short(Opcode::WriteOnlyImmediate)),
        (acknowledge(0x40, 4), PacketError::Syndrome(0x40)),
        (acknowledge(0x64, 4), PacketError::Syndrome(0x64)),
        (acknowledge(0x80, 4), PacketError::Syndrome(0x80)),
        (acknowledge(0x1F, 8), PacketError::Acknowledgement(4)),
        (long_send, PacketError::Payload(4100)),
    ];
    for (octets, error) in cases {
        assert_eq!(Packet::decode(&path(), &octets), Err(error));
    }
    assert!(Packet::decode(&path(), &acknowledge(0x1F, 4)).is_ok());
}

#[test]
fn what_no_packet_has_room_for_is_not_written() {
    let mut buffer = [0; PACKET_BYTES_MAX];
    let long = [0; MTU_BYTES_MAX + 1];
    assert_eq!(write_only(&long).encode(&path(), &mut buffer), Err(PacketError::Payload(4097)));
    assert_eq!(write_only(&long[1..]).encode(&path(), &mut buffer), Ok(PACKET_BYTES_MAX));
    let aeth = Aeth { syndrome: Syndrome::ACK, messages: 0 };
    let acknowledgement = Packet { operation: Operation::Acknowledge(aeth), ..write_only(b"a") };
    assert_eq!(acknowledgement.encode(&path(), &mut buffer), Err(PacketError::Acknowledgement(1)));
}

#[test]
fn numbers_wrap_at_24_bits() {
    let last = Psn::new(0xFFFF_FFFF);
    assert_eq!((last.get(), last.plus(1), Psn::new(0).minus(1)), (0xFF_FFFF, Psn::new(0), last));
    assert_eq!((Psn::new(2).since(last), last.since(Psn::new(2))), (3, 0xFF_FFFD));
    assert_eq!(Psn::new(5).plus(1 << 40), Psn::new(5));
}

#[test]
fn codes_of_sizes_and_timers() {
    assert_eq!(Mtu::ALL.map(Mtu::payload_bytes), [256, 512, 1024, 2048, 4096]);
    assert_eq!(Mtu::ALL.map(|mtu| Mtu::from_code(mtu.code())), Mtu::ALL.map(Some));
    assert_eq!([0, 6].map(Mtu::from_code), [None, None]);
    let delays_us = [0, 1, 2, 3, 5, 14, 30, 31].map(|code| RnrTimer::new(code).delay().as_ps() / 1_000_000);
    assert_eq!(delays_us, [655_360, 10, 20, 30, 60, 1280, 327_680, 491_520]);
    let codes = [0, 10, 11, 1280, 491_520, 491_521, 1_000_000]
        .map(|us| RnrTimer::at_least(halftrack_base::Span::from_us(us)).code());
    assert_eq!(codes, [1, 1, 2, 14, 31, 0, 0]);
}

fn immediate() -> impl Strategy<Value = Option<Immediate>> {
    any::<Option<u32>>().prop_map(|word| word.map(Immediate))
}

fn reth() -> impl Strategy<Value = Reth> {
    any::<(u64, u32, u32)>().prop_map(|(address, rkey, length_bytes)| Reth {
        address,
        rkey: Rkey(rkey),
        length_bytes,
    })
}

fn aeth() -> impl Strategy<Value = Aeth> {
    let codes = [
        NakCode::SequenceError,
        NakCode::InvalidRequest,
        NakCode::RemoteAccessError,
        NakCode::RemoteOperationalError,
    ];
    let syndrome = prop_oneof![
        (0..32_u8).prop_map(|credits| Syndrome::Ack { credits }),
        (0..32_u8).prop_map(|code| Syndrome::ReceiverNotReady(RnrTimer::new(code))),
        (0..4_usize).prop_map(move |at| Syndrome::Nak(codes[at])),
    ];
    (syndrome, 0..1_u32 << 24).prop_map(|(syndrome, messages)| Aeth { syndrome, messages })
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        Just(Operation::SendFirst),
        Just(Operation::SendMiddle),
        immediate().prop_map(Operation::SendLast),
        immediate().prop_map(Operation::SendOnly),
        reth().prop_map(Operation::WriteFirst),
        Just(Operation::WriteMiddle),
        immediate().prop_map(Operation::WriteLast),
        (reth(), immediate()).prop_map(|(reth, immediate)| Operation::WriteOnly(reth, immediate)),
        aeth().prop_map(Operation::Acknowledge),
    ]
}

fn heading() -> impl Strategy<Value = Heading> {
    any::<(bool, bool, bool, u16, u32, u32)>().prop_map(
        |(solicited, migrated, acknowledge, key, number, psn)| Heading {
            is_solicited: solicited,
            is_migrated: migrated,
            partition_key: key,
            destination: QueuePairNumber::new(number),
            is_acknowledge_requested: acknowledge,
            psn: Psn::new(psn),
        },
    )
}

fn any_path() -> impl Strategy<Value = Path> {
    let v4 =
        any::<(u32, u32, u16, bool)>().prop_map(|(from, to, identification, is_forbidden)| Network::V4 {
            source: Ipv4Addr::from_bits(from),
            destination: Ipv4Addr::from_bits(to),
            identification,
            is_fragment_forbidden: is_forbidden,
        });
    let v6 = any::<(u128, u128)>().prop_map(|(from, to)| Network::V6 {
        source: Ipv6Addr::from_bits(from),
        destination: Ipv6Addr::from_bits(to),
    });
    (prop_oneof![v4, v6], any::<u16>()).prop_map(|(network, source_port)| Path { network, source_port })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn packets_are_read_as_they_were_written(
        path in any_path(), heading in heading(), operation in operation(),
        octets in prop::collection::vec(any::<u8>(), 0..600),
    ) {
        let payload = if matches!(operation, Operation::Acknowledge(_)) { &[] } else { &octets[..] };
        let packet = Packet { heading, operation, payload };
        let mut buffer = [0xEE; PACKET_BYTES_MAX];
        let bytes = packet.encode(&path, &mut buffer).expect("a short payload");
        prop_assert_eq!(bytes % 4, 0);
        prop_assert_eq!(Packet::decode(&path, &buffer[..bytes]), Ok(packet));
    }

    #[test]
    fn any_octets_are_read_or_refused(octets in prop::collection::vec(any::<u8>(), 0..120)) {
        let _ = Packet::decode(&path(), &octets);
        if octets.len() >= 4 {
            let octets = sealed(octets);
            if let Ok(packet) = Packet::decode(&path(), &octets) {
                let again = encoded(&packet);
                prop_assert_eq!(Packet::decode(&path(), &again), Ok(packet));
            }
        }
    }
}

//! Any octets: parsed or refused without a panic, and written back the same but for reserved bits.

use proptest::prelude::*;

use crate::message::clc::Clc;
use crate::message::llc::Llc;
use crate::message::*;

/// Zeroes the octets of `ranges`, which are reserved.
fn without(mut octets: Vec<u8>, ranges: &[(usize, usize)]) -> Vec<u8> {
    for &(from, to) in ranges {
        octets[from..to].fill(0);
    }
    octets
}

/// Zeroes what RFC 7609 reserves in a message of a link.
fn without_reserved(octets: &LinkMessage) -> Vec<u8> {
    let mut octets = octets.to_vec();
    let kind = octets[0];
    let flags = match kind {
        1 => 0x83,
        2 => 0xC0,
        4 => 0xE0,
        6 => 0xB0,
        8 | 9 => 0xA0,
        0xFE => 0xFF,
        _ => 0x80,
    };
    octets[3] &= flags;
    if kind == 1 && octets[3] & 3 != 3 {
        octets[3] &= 0x80;
    }
    if kind == 2 && octets[3] & 0x40 != 0 {
        octets[2] &= 0x0F;
    } else if kind != 0xFE {
        octets[2] = 0;
    }
    if kind == 2 {
        octets[32] &= 0x0F;
    }
    let reserved: &[(usize, usize)] = match kind {
        1 => &[(35, 44)],
        2 => &[(10, 12), (36, 44)],
        3 => &[(6, 8), (40, 44)],
        4 => &[(9, 44)],
        5 => &[(4, 44)],
        6 => &[(43, 44)],
        7 => &[(20, 44)],
        8 => &[],
        9 => &[(6, 8), (40, 44)],
        _ => &[(8, 10), (16, 18), (26, 44)],
    };
    without(octets, reserved)
}

/// Generates octets with the eye catchers, a kind, and the right length.
fn clc() -> impl Strategy<Value = Vec<u8>> {
    let lengths = prop_oneof![Just(28_usize), Just(52), Just(68), Just(92), Just(109), 12..300_usize];
    (lengths, 0..6_u8, any::<u8>(), 0..3_u16, any::<[u8; 300]>()).prop_map(
        |(length, kind, flags, area, any)| {
            let mut octets = any[..length].to_vec();
            octets[..4].copy_from_slice(&EYE_CATCHER);
            octets[length - 4..].copy_from_slice(&EYE_CATCHER);
            octets[4] = kind;
            octets[5..7].copy_from_slice(&(length as u16).to_be_bytes());
            octets[7] = flags;
            if length > 95 {
                octets[38..40].copy_from_slice(&(area * 40).to_be_bytes());
                octets[87] %= 10;
            } else if length == 52 {
                octets[38..40].fill(0);
                octets[47] = 0;
            } else if length == 92 {
                octets[38..40].copy_from_slice(&40_u16.to_be_bytes());
                octets[87] = 0;
            }
            octets
        },
    )
}

/// Zeroes what RFC 7609 reserves in a message of CLC with the variant SMC-R and version 1.
fn clc_without_reserved(octets: Vec<u8>) -> Vec<u8> {
    let mut octets = octets;
    let kind = octets[4];
    octets[7] &= if kind == 1 { 0xF3 } else { 0x08 };
    octets[7] |= if kind == 1 { 0 } else { 0x10 };
    match kind {
        1 => {
            let area = usize::from(u16::from_be_bytes([octets[38], octets[39]]));
            let networks = 40 + area;
            let octets = if area == 40 { without(octets, &[(52, 80)]) } else { octets };
            without(octets, &[(networks + 5, networks + 7)])
        }
        2 | 3 => without(octets, &[(51, 52), (60, 61)]),
        _ => without(octets, &[(20, 24)]),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn messages_of_links_are_written_back(
        kind in prop_oneof![0..12_u8, Just(CDC_TYPE)], length in prop_oneof![9 => Just(44_u8), 1 => any::<u8>()],
        first in any::<[u8; 22]>(), second in any::<[u8; 22]>(),
    ) {
        let mut octets: LinkMessage = [0; LINK_MESSAGE_BYTES];
        octets[..22].copy_from_slice(&first);
        octets[22..].copy_from_slice(&second);
        octets[0] = kind;
        octets[1] = length;
        if let Ok(message) = Llc::decode(&octets) {
            prop_assert_eq!(message.encode().to_vec(), without_reserved(&octets));
        }
        if let Ok(message) = Cdc::decode(&octets) {
            prop_assert_eq!(message.encode().to_vec(), without_reserved(&octets));
        }
        let is_known = length == 44 && matches!(kind, 1..=9);
        prop_assert_eq!(Llc::decode(&octets).is_ok(), is_known);
        prop_assert_eq!(Cdc::decode(&octets).is_ok(), length == 44 && kind == CDC_TYPE);
    }

    #[test]
    fn messages_of_clc_are_written_back(octets in clc()) {
        if let Ok(message) = Clc::decode(&octets) {
            let written = message.encode();
            let again = Clc::decode(&written);
            prop_assert_eq!(again.as_ref(), Ok(&message));
            let is_plain = octets[7] >> 4 == 1 && !(octets[4] == 1 && octets[7] & 3 == 1);
            if is_plain {
                let area = u16::from_be_bytes([octets[38.min(octets.len() - 2)], octets[39.min(octets.len() - 1)]]);
                if octets[4] != 1 || area == 0 || area == 40 {
                    prop_assert_eq!(written, clc_without_reserved(octets));
                }
            }
        }
    }

    #[test]
    fn any_octets_are_parsed_or_refused(octets in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(Clc::decode(&octets).is_err());
        has_tcp_option(&octets);
    }
}

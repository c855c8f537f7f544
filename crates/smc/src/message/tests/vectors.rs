//! Messages octet by octet, as the description of the formats has them.

use crate::message::clc::*;
use crate::message::llc::*;
use crate::message::*;

/// Returns the octets of hexadecimal digits; blanks do not count.
fn octets(digits: &str) -> Vec<u8> {
    let digits: Vec<u8> =
        digits.chars().filter_map(|digit| digit.to_digit(16)).map(|digit| digit as u8).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

/// Asserts octets of a message, and the message of octets.
fn check_clc(message: &Clc, digits: &str) {
    let octets = octets(digits);
    assert_eq!(message.encode(), octets, "{message:?}");
    assert_eq!(Clc::decode(&octets).as_ref(), Ok(message));
    for length in 0..octets.len() {
        assert!(Clc::decode(&octets[..length]).is_err(), "{length} octets");
    }
}

fn check_llc(message: Llc, digits: &str) {
    let octets: LinkMessage = octets(digits).try_into().unwrap();
    assert_eq!(message.encode(), octets, "{message:?}");
    assert_eq!(Llc::decode(&octets), Ok(message));
}

pub const PEER: PeerId = PeerId([0, 1, 2, 3, 4, 5, 6, 7]);
pub const GID: Gid = Gid([0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xAA]);
pub const MAC: Mac = Mac([2, 3, 4, 5, 6, 7]);

pub fn proposal() -> Proposal {
    Proposal {
        version: 1,
        variant: Variant::SmcR,
        peer: PEER,
        gid: GID,
        mac: MAC,
        smc_d: None,
        subnet: Ipv4Subnet { address: [10, 1, 0, 0], mask_bits: 16 },
        prefixes: Vec::new(),
    }
}

pub fn endpoint() -> Endpoint {
    Endpoint {
        is_first_contact: true,
        peer: PEER,
        gid: GID,
        mac: MAC,
        queue_pair: Bits24::new(0x12_3456),
        buffer: RemoteToken { rkey: Rkey(0xCAFE_0001), address: 0x7F00_0000_1000 },
        element: 9,
        token: AlertToken(0xDEAD_BEEF),
        compressed_size: 2,
        mtu: Mtu(5),
        psn: Bits24::new(0xAB_CDEF),
    }
}

#[test]
fn proposals() {
    let head = "0001020304050607 FE8000000000000000000000000000AA 020304050607";
    check_clc(
        &Clc::Proposal(proposal()),
        &format!("E2D4C3D9 01 0034 10 {head} 0000 0A010000 10 0000 00 E2D4C3D9"),
    );
    let smc_d = SmcD { gid: 0x1122_3344_5566_7788, channel: 0x07C0, extension_offset: 0 };
    let prefix =
        Ipv6Prefix { address: [0x20, 1, 0xD, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], prefix_bits: 64 };
    let subnet = Ipv4Subnet::default();
    let both =
        Proposal { variant: Variant::Both, smc_d: Some(smc_d), subnet, prefixes: vec![prefix], ..proposal() };
    let area = format!("1122334455667788 07C0 0000 {}", "00".repeat(28));
    check_clc(
        &Clc::Proposal(both),
        &format!(
            "E2D4C3D9 01 006D 13 {head} 0028 {area} 00000000 00 0000 01 20010DB8000000000000000000000000 40 E2D4C3D9"
        ),
    );
}

#[test]
fn a_proposal_of_version_2_has_octets_behind_the_networks() {
    let mut octets = Clc::Proposal(Proposal { version: 2, ..proposal() }).encode();
    let trailer = octets.len() - 4;
    octets.splice(trailer..trailer, [7; 12]);
    octets[6] += 12;
    assert_eq!(Clc::decode(&octets), Ok(Clc::Proposal(Proposal { version: 2, ..proposal() })));
    octets[7] = 0x10;
    assert!(Clc::decode(&octets).is_err(), "version 1 has none");
}

#[test]
fn too_many_prefixes_are_refused() {
    let prefixes = vec![Ipv6Prefix::default(); 8];
    let mut octets = Clc::Proposal(Proposal { prefixes, ..proposal() }).encode();
    assert!(Clc::decode(&octets).is_ok());
    octets[47] = 9;
    assert_eq!(Clc::decode(&octets), Err(MessageError::Prefixes(9)));
}

#[test]
fn accept_and_confirm() {
    let body = "0001020304050607 FE8000000000000000000000000000AA 020304050607 123456 CAFE0001 09 DEADBEEF \
                25 00 00007F0000001000 00 ABCDEF E2D4C3D9";
    check_clc(&Clc::Accept(endpoint()), &format!("E2D4C3D9 02 0044 18 {body}"));
    let later = Endpoint { is_first_contact: false, ..endpoint() };
    check_clc(&Clc::Confirm(later), &format!("E2D4C3D9 03 0044 10 {body}"));
}

#[test]
fn decline() {
    let decline = Decline { peer: PEER, is_out_of_sync: true, diagnosis: Diagnosis::SYNCHRONISATION };
    check_clc(&Clc::Decline(decline), "E2D4C3D9 04 001C 18 0001020304050607 04000000 00000000 E2D4C3D9");
    assert_eq!(Diagnosis::PEER_NO_SMC.to_string(), "03010000 (peer did not indicate SMC)");
    assert_eq!(Diagnosis(7).to_string(), "00000007");
}

#[test]
fn eye_catchers_types_and_versions_of_others_are_refused() {
    let octets = Clc::Accept(endpoint()).encode();
    for (at, value) in [(0, 0xE3), (3, 0xD8), (64, 0), (67, 0)] {
        let mut changed = octets.clone();
        changed[at] = value;
        assert!(matches!(Clc::decode(&changed), Err(MessageError::EyeCatcher(_))), "{at}");
    }
    let mut changed = octets.clone();
    changed[4] = 5;
    assert_eq!(Clc::decode(&changed), Err(MessageError::Type(5)));
    let mut changed = octets.clone();
    changed[7] = 0x08;
    assert_eq!(Clc::decode(&changed), Err(MessageError::Version(0)));
    let header = *octets.first_chunk().unwrap();
    assert_eq!(announced_bytes(&header), Ok(68));
}

#[test]
fn link_messages() {
    let confirm = ConfirmLink {
        is_response: true,
        has_no_eye_catchers: true,
        mac: MAC,
        gid: GID,
        queue_pair: Bits24::new(0x12_3456),
        link: LinkNumber(1),
        user_id: 0x0102_0304,
        max_links: 2,
    };
    let port = "FE8000000000000000000000000000AA";
    check_llc(
        Llc::ConfirmLink(confirm),
        &format!("01 2C 00 83 020304050607 {port} 123456 01 01020304 02 {}", "00".repeat(9)),
    );
    let add = AddLink {
        is_response: true,
        rejection: Some(1),
        mac: MAC,
        gid: GID,
        queue_pair: Bits24::new(7),
        link: LinkNumber(2),
        mtu: Mtu(3),
        psn: Bits24::new(0x01_0203),
    };
    check_llc(
        Llc::AddLink(add),
        &format!("02 2C 01 C0 020304050607 0000 {port} 000007 02 03 010203 {}", "00".repeat(8)),
    );
    let there = RemoteToken { rkey: Rkey(0x22), address: 0x3344 };
    let pair = RkeyPair { here: Rkey(0x11), there };
    let pairs = [pair, RkeyPair::default()];
    check_llc(
        Llc::AddLinkContinuation(AddLinkContinuation {
            is_response: false,
            link: LinkNumber(2),
            left: 1,
            pairs,
        }),
        &format!("03 2C 00 00 02 01 0000 00000011 00000022 0000000000003344 {}", "00".repeat(20)),
    );
    let delete = DeleteLink {
        is_response: false,
        is_all: true,
        is_orderly: true,
        link: LinkNumber(1),
        reason: DeleteReason::PROGRAM,
    };
    check_llc(Llc::DeleteLink(delete), &format!("04 2C 00 60 01 00030000 {}", "00".repeat(35)));
    let test = TestLink { is_response: true, user_data: *b"abcdefghijklmnop" };
    check_llc(
        Llc::TestLink(test),
        &format!("07 2C 00 80 6162636465666768696A6B6C6D6E6F70 {}", "00".repeat(24)),
    );
}

#[test]
fn rkey_messages() {
    let token = RemoteToken { rkey: Rkey(0xA), address: 0xB };
    let entry = LinkToken { link: LinkNumber(2), token };
    let entry_digits = "02 0000000A 000000000000000B";
    let none = "00".repeat(13);
    let confirm = ConfirmRkey {
        is_response: true,
        is_negative: true,
        is_retry: true,
        others: 1,
        here: RemoteToken { rkey: Rkey(1), address: 2 },
        entries: [entry, LinkToken::default()],
    };
    check_llc(
        Llc::ConfirmRkey(confirm),
        &format!("06 2C 00 B0 01 00000001 0000000000000002 {entry_digits} {none} 00"),
    );
    let entries = [entry, entry, LinkToken::default()];
    check_llc(
        Llc::ConfirmRkeyContinuation(ConfirmRkeyContinuation {
            is_response: false,
            is_negative: false,
            left: 2,
            entries,
        }),
        &format!("08 2C 00 00 02 {entry_digits} {entry_digits} {none}"),
    );
    let mut rkeys = [Rkey::default(); 8];
    rkeys[0] = Rkey(0x55);
    check_llc(
        Llc::DeleteRkey(DeleteRkey {
            is_response: true,
            is_negative: true,
            count: 1,
            error_mask: 0x80,
            rkeys,
        }),
        &format!("09 2C 00 A0 01 80 0000 00000055 {} 00000000", "00".repeat(28)),
    );
}

#[test]
fn cdc() {
    let message = Cdc {
        sequence: 0x0102,
        token: AlertToken(0xDEAD_BEEF),
        producer: Cursor { wrap: 3, count: 0x0001_0000 },
        consumer: Cursor { wrap: 2, count: 5 },
        producer_flags: ProducerFlags::WRITER_BLOCKED | ProducerFlags::FAILOVER_VALIDATION,
        close_flags: CloseFlags::SENDING_DONE,
    };
    let digits = "FE 2C 0102 DEADBEEF 0000 0003 00010000 0000 0002 00000005 88 80";
    let octets: LinkMessage = octets(&format!("{digits} {}", "00".repeat(18))).try_into().unwrap();
    assert_eq!(message.encode(), octets);
    assert_eq!(Cdc::decode(&octets), Ok(message));
}

//! Requests to the name server and its answers as octets and back.

use proptest::prelude::*;

use super::*;
use crate::fc_header::fc_type;

fn pairs() -> Vec<(NameRequest, NameReply)> {
    let address = 0x01_0200;
    let name = WorldWideName(0x5005_0763_0000_0030);
    let types = FcTypes::default().with(fc_type::SB_CHANNEL).with(fc_type::FCP);
    let symbolic = NameRequest::RegisterSymbolicPortName { address, name: b"CHPID 50".to_vec() };
    let features = FcFeatures::INITIATOR;
    let by_type = NameRequest::PortIdsByType { domain: 0, area: 0, fc_type: fc_type::SB_CONTROL_UNIT };
    vec![
        (NameRequest::PortName { address }, NameReply::Name(name)),
        (NameRequest::NodeName { address }, NameReply::Name(name)),
        (NameRequest::PortId { port_name: name }, NameReply::PortId(address)),
        (by_type, NameReply::PortIds(vec![0x01_0200, 0x02_0300])),
        (NameRequest::RegisterTypes { address, types }, NameReply::Accept),
        (NameRequest::RegisterFeatures { address, features, fc_type: fc_type::FCP }, NameReply::Accept),
        (
            NameRequest::PortNamesByType { domain: 1, area: 2, fc_type: fc_type::FCP },
            NameReply::PortNames(vec![(0x01_0200, name), (0x01_0201, WorldWideName(7))]),
        ),
        (symbolic, NameReply::Reject(CtReject::unable(CtReject::ADDRESS_NOT_REGISTERED))),
    ]
}

#[test]
fn requests_and_answers_round_trip() {
    for (request, reply) in pairs() {
        let (asked, answered) = (request.emit(), reply.emit());
        assert_eq!(NameRequest::parse(&asked), Ok(request.clone()));
        assert_eq!(NameReply::parse(&request, &answered), Ok(reply));
        for length in 0..asked.len() {
            assert!(NameRequest::parse(&asked[..length]).is_err());
        }
        for length in 0..answered.len() {
            assert!(NameReply::parse(&request, &answered[..length]).is_err());
        }
    }
}

#[test]
fn types_are_bits_of_their_words() {
    let types = FcTypes::default().with(fc_type::FCP).with(fc_type::SB_CHANNEL);
    assert_eq!(types.0[0], 0x0800_0100);
    assert!(types.has(fc_type::FCP) && !types.has(fc_type::SB_CONTROL_UNIT));
    let octets = NameRequest::RegisterTypes { address: 1, types }.emit();
    assert_eq!((&octets[..10], octets.len()), (&[1, 0, 0, 0, 0xFC, 2, 0, 0, 2, 0x17][..], 52));
}

/// The payloads of the FCP reference, section 3.2.
#[test]
fn worked_registration_and_scan() {
    let features = FcFeatures::INITIATOR;
    let request = NameRequest::RegisterFeatures { address: 0x01_0201, features, fc_type: 8 };
    let payload = [0, 1, 2, 1, 0, 0, 2, 8];
    assert_eq!((&request.emit()[8..10], &request.emit()[16..]), (&[2, 0x1F][..], &payload[..]));
    let scan = NameRequest::PortNamesByType { domain: 0, area: 0, fc_type: 8 };
    assert_eq!((&scan.emit()[8..10], &scan.emit()[16..]), (&[1, 0x72][..], &[0, 0, 0, 8][..]));
    let found = NameReply::PortNames(vec![(0x01_0200, WorldWideName(1)), (0x02_0300, WorldWideName(2))]);
    let entries = [0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0x80, 2, 3, 0];
    assert_eq!(found.emit()[16..36], entries);
}

#[test]
fn what_is_not_for_the_name_server_is_refused() {
    let sound = NameRequest::PortName { address: 1 }.emit();
    let field = |at: usize, value: u8| {
        let mut octets = sound.clone();
        octets[at] = value;
        match NameRequest::parse(&octets) {
            Err(ParseError::Field { field, .. }) => field,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(
        [(0, 2), (4, 0xFA), (9, 0xEE)].map(|(at, value)| field(at, value)),
        ["CT revision", "CT service", "CT command"]
    );
}

#[test]
fn a_list_that_does_not_end_is_refused() {
    let request = NameRequest::PortIdsByType { domain: 0, area: 0, fc_type: 8 };
    let mut octets = NameReply::Accept.emit();
    octets.resize(CT_PREAMBLE_BYTES + 4 * (PORTS_MAX + 1), 0);
    assert_eq!(
        NameReply::parse(&request, &octets),
        Err(ParseError::Field { field: "ports in an answer", value: 4096 })
    );
}

proptest! {
    #[test]
    fn any_octets_parse_or_fail_and_reparse(which in 0_usize..8, octets in prop::collection::vec(any::<u8>(), 0..64)) {
        let (request, _) = pairs().swap_remove(which);
        let mut asked = request.emit()[..CT_PREAMBLE_BYTES].to_vec();
        asked.extend_from_slice(&octets);
        if let Ok(parsed) = NameRequest::parse(&asked) {
            prop_assert_eq!(NameRequest::parse(&parsed.emit()), Ok(parsed));
        }
        let mut answered = NameReply::Accept.emit();
        answered.extend_from_slice(&octets);
        if let Ok(parsed) = NameReply::parse(&request, &answered) {
            prop_assert_eq!(NameReply::parse(&request, &parsed.emit()), Ok(parsed));
        }
        let _ = NameRequest::parse(&octets);
    }
}

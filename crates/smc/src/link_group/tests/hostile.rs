//! Messages that the protocol does not allow: answered, or the end of the group, and never a panic.

use proptest::prelude::*;

use super::rig::{Rig, tokens};
use crate::link_group::*;
use crate::message::llc::*;
use crate::message::{AlertToken, Bits24, LinkNumber, Mtu, RemoteToken, Rkey};

fn first_link(rig: &Rig, at: usize) -> LinkId {
    rig.ends[at].group.links().next().expect("a link").id
}

/// Hands a message over the first link; returns why the group ended, and the response where it did not.
fn handed(rig: &mut Rig, at: usize, message: &Llc) -> Result<Option<Llc>, End> {
    let (link, before) = (first_link(rig, at), rig.ends[at].sent.len());
    rig.hand(at, link, &message.encode());
    match rig.ends[at].ended {
        Some(end) => Err(end),
        None => Ok(rig.ends[at].sent.get(before).and_then(|octets| Llc::decode(octets).ok())),
    }
}

const VIOLATION: Result<Option<Llc>, End> = Err(End::Violation);

fn add_link(rig: &Rig, is_response: bool, link: u8) -> AddLink {
    let port = rig.ends[0].group.links().next().expect("a link").own.port;
    let (queue_pair, psn) = (Bits24::new(0xAAAA), Bits24::new(1));
    AddLink {
        is_response,
        rejection: None,
        mac: port.mac,
        gid: port.gid,
        queue_pair,
        link: LinkNumber(link),
        mtu: Mtu(3),
        psn,
    }
}

fn confirm_rkey(others: u8, here: RemoteToken, entries: [LinkToken; 2]) -> Llc {
    let (is_response, is_negative, is_retry) = (false, false, false);
    Llc::ConfirmRkey(ConfirmRkey { is_response, is_negative, is_retry, others, here, entries })
}

#[test]
fn responses_without_a_request_end_the_group() {
    let rkeys = [Rkey(1); RKEYS_OF_DELETE];
    for at in 0..2 {
        let rig = Rig::settled([2, 2]);
        let (is_response, is_negative) = (true, false);
        let reason = DeleteReason::LOST_PATH;
        let (is_all, is_orderly, link) = (false, true, LinkNumber(2));
        let confirmed =
            ConfirmRkeyContinuation { is_response, is_negative, left: 0, entries: Default::default() };
        let responses = [
            Llc::AddLink(add_link(&rig, true, 3)),
            Llc::AddLinkContinuation(AddLinkContinuation {
                is_response,
                link,
                left: 0,
                pairs: Default::default(),
            }),
            Llc::DeleteLink(DeleteLink { is_response, is_all, is_orderly, link, reason }),
            Llc::RequestAddLink(RequestAddLink { is_response }),
            Llc::ConfirmRkeyContinuation(confirmed),
            Llc::DeleteRkey(DeleteRkey { is_response, is_negative, count: 1, error_mask: 0, rkeys }),
            Llc::TestLink(TestLink { is_response, user_data: [9; 16] }),
        ];
        for response in responses {
            assert_eq!(handed(&mut Rig::settled([2, 2]), at, &response), VIOLATION, "{response:?}");
        }
    }
}

#[test]
fn a_violation_gives_the_peer_its_reason_and_resets_connections() {
    let mut rig = Rig::settled([2, 2]);
    let link = first_link(&rig, 0);
    assert!(rig.ends[0].group.place(AlertToken(5), link));
    rig.ends[0].places.insert(AlertToken(5), link);
    let mut octets = [0; 44];
    octets[0] = 0x77;
    rig.hand(0, link, &octets);
    assert_eq!((rig.ends[0].ended, &rig.ends[0].resets[..]), (Some(End::Violation), &[AlertToken(5)][..]));
    rig.settle();
    assert_eq!(rig.ends[1].ended, Some(End::Peer(DeleteReason::PROTOCOL)));
    assert_eq!(rig.states(), [GroupState::None; 2]);
}

#[test]
fn an_added_link_with_a_wrong_number_or_end_ends_the_group() {
    let good = add_link(&Rig::settled([2, 2]), false, 9);
    for wrong in [
        AddLink { link: LinkNumber(0), ..good },
        AddLink { link: LinkNumber(1), ..good },
        AddLink { mtu: Mtu(0), ..good },
        AddLink { mtu: Mtu(6), ..good },
        AddLink { rejection: Some(1), ..good },
    ] {
        assert_eq!(handed(&mut Rig::settled([2, 2]), 1, &Llc::AddLink(wrong)), VIOLATION, "{wrong:?}");
    }
    // A queue pair that another link has.
    let mut rig = Rig::settled([2, 1]);
    rig.set_port(1, PortNumber::Second, true);
    let other = rig.ends[1].group.links().nth(1).expect("a link").peer;
    let twice =
        AddLink { mac: other.port.mac, gid: other.port.gid, queue_pair: other.queue_pair.number, ..good };
    assert_eq!(handed(&mut rig, 1, &Llc::AddLink(twice)), VIOLATION);
    // A third link that makes nothing better has no alternate path.
    let rejected = handed(&mut Rig::settled([2, 2]), 1, &Llc::AddLink(good));
    assert!(matches!(rejected, Ok(Some(Llc::AddLink(AddLink { rejection: Some(1), .. })))), "{rejected:?}");
}

#[test]
fn keys_for_a_new_link_must_be_counted_and_of_buffers_that_the_peer_has() {
    let is_response = false;
    let pair = |rkey, there: RemoteToken| RkeyPair { here: Rkey(rkey), there };
    let known = tokens(0, 0)[0].rkey.0;
    let there = RemoteToken { rkey: Rkey(77), address: 5 };
    let message = |number: u8, left, first, second| {
        let link = LinkNumber(number);
        Llc::AddLinkContinuation(AddLinkContinuation { is_response, link, left, pairs: [first, second] })
    };
    let none = RkeyPair::default();
    for (name, messages) in [
        ("another link", vec![message(2, 1, pair(known, there), none)]),
        ("unknown buffer", vec![message(9, 1, pair(known + 1, there), none)]),
        (
            "two places of a buffer",
            vec![message(9, 2, pair(known, there), pair(known, RemoteToken { address: 6, ..there }))],
        ),
        (
            "more than before",
            vec![message(9, 3, pair(known, there), pair(known, there)), message(9, 2, none, none)],
        ),
        ("behind the last", vec![message(9, 1, pair(known, there), none), message(9, 0, none, none)]),
    ] {
        let mut rig = Rig::settled([2, 1]);
        rig.set_port(1, PortNumber::Second, true);
        let add = Llc::AddLink(add_link(&rig, false, 9));
        let added = handed(&mut rig, 1, &add);
        assert!(matches!(added, Ok(Some(Llc::AddLink(AddLink { rejection: None, .. })))), "{added:?}");
        let (last, before) = messages.split_last().expect("a message");
        for message in before {
            assert!(handed(&mut rig, 1, message).is_ok(), "{name}");
        }
        assert_eq!(handed(&mut rig, 1, last), VIOLATION, "{name}");
    }
}

#[test]
fn an_unknown_link_is_answered_so() {
    let (is_response, is_all, is_orderly) = (false, false, true);
    let link = LinkNumber(200);
    let delete = DeleteLink { is_response, is_all, is_orderly, link, reason: DeleteReason::LOST_PATH };
    for at in 0..2 {
        let answer = handed(&mut Rig::settled([2, 2]), at, &Llc::DeleteLink(delete));
        let reason = DeleteReason::UNKNOWN_LINK;
        assert_eq!(answer, Ok(Some(Llc::DeleteLink(DeleteLink { is_response: true, reason, ..delete }))));
        // Keys for it are refused for the moment: the peer may be ahead.
        let entry = LinkToken { link, token: RemoteToken::default() };
        let keys = confirm_rkey(1, tokens(3, 3)[0], [entry, LinkToken::default()]);
        let answer = handed(&mut Rig::settled([2, 2]), at, &keys);
        let is_put_off = matches!(
            answer,
            Ok(Some(Llc::ConfirmRkey(ConfirmRkey { is_negative: true, is_retry: true, .. })))
        );
        assert!(is_put_off, "{answer:?}");
    }
}

#[test]
fn a_key_of_another_buffer_ends_the_group() {
    let mut rig = Rig::settled([2, 2]);
    let own = &rig.ends[1].group;
    let (carrier, other) = (first_link(&rig, 1), own.links().nth(1).expect("a second link"));
    let [first, second] = tokens(0, 0);
    let peer_port = rig.ends[0].group.links().find(|link| link.number == other.number).expect("a link").port;
    assert_eq!(peer_port, PortNumber::Second);
    assert!(own.peer_buffer(carrier, first.rkey).is_some());
    // The key on the first link is new, and that on the second is another buffer's.
    let entry = LinkToken { link: other.number.expect("a number"), token: second };
    let keys = confirm_rkey(1, RemoteToken { rkey: Rkey(4), address: 0 }, [entry, LinkToken::default()]);
    assert_eq!(handed(&mut rig, 1, &keys), VIOLATION);
}

#[test]
fn keys_in_use_are_not_deleted_and_unknown_ones_are_shown() {
    let mut rig = Rig::settled([2, 2]);
    let mut rkeys = [Rkey(0xDEAD); RKEYS_OF_DELETE];
    rkeys[1] = tokens(0, 0)[0].rkey;
    let delete = DeleteRkey { is_response: false, is_negative: false, count: 3, error_mask: 0, rkeys };
    let link = first_link(&rig, 1);
    let group = &mut rig.ends[1].group;
    let buffer = group.peer_buffer(link, rkeys[1]).expect("the first buffer");
    assert!(group.place(AlertToken(1), link));
    group.set_peer_buffer(AlertToken(1), buffer);
    let mut other = Rig::settled([2, 2]);
    let answer = handed(&mut other, 1, &Llc::DeleteRkey(delete));
    let expected = DeleteRkey { is_response: true, is_negative: true, error_mask: 0b1010_0000, ..delete };
    assert_eq!(answer, Ok(Some(Llc::DeleteRkey(expected))));
    rig.ends[1].places.insert(AlertToken(1), link);
    assert_eq!(handed(&mut rig, 1, &Llc::DeleteRkey(delete)), VIOLATION, "in use");
    let long = DeleteRkey { count: 9, ..delete };
    assert_eq!(handed(&mut other, 1, &Llc::DeleteRkey(long)), VIOLATION, "nine keys");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Messages near those of the protocol never lead to a panic, and to a bounded number of links and buffers.
    #[test]
    fn any_messages_end_the_group_or_do_not(
        at in 0..2_usize, ports in prop::array::uniform2(1..3_usize),
        messages in prop::collection::vec((1..10_u8, any::<bool>(), 0..4_usize, prop::array::uniform20(0..4_u8)), 1..60),
    ) {
        let mut rig = Rig::settled(ports);
        for (kind, is_response, link, body) in messages {
            let Some(id) = rig.ends[at].group.links().nth(link).map(|link| link.id) else { continue };
            let mut octets = [0; 44];
            (octets[0], octets[1]) = (kind, 44);
            octets[3] = if is_response { 0x80 } else { 0 } | if body[0] == 3 { 0x40 } else { 0 };
            octets[4..20].copy_from_slice(&body[..16]);
            octets[28..32].copy_from_slice(&body[16..]);
            octets[32] = 3;
            rig.hand(at, id, &octets);
            prop_assert!(rig.ends[at].group.links().count() <= LINKS_MAX);
            rig.pass(halftrack_base::Span::from_s(1));
        }
    }
}

//! Flows in their order, and the states that they lead to.

use halftrack_base::{Span, Time};

use super::rig::{Rig, tokens};
use crate::link_group::rkeys::confirmations;
use crate::link_group::*;
use crate::message::llc::{
    AddLink, AddLinkContinuation, ConfirmLink, ConfirmRkey, DeleteLink, DeleteReason, Llc, RequestAddLink,
};
use crate::message::{AlertToken, Bits24, LinkNumber};

/// Returns kinds of the messages that an end sent, by the names of RFC 7609, with a mark at responses.
fn shown(rig: &Rig, at: usize) -> Vec<String> {
    let show = |octets: &[u8; 44]| {
        let name = match octets[0] {
            1 => "confirm",
            2 => "add",
            3 => "keys",
            4 => "delete",
            5 => "request",
            6 => "rkey",
            7 => "test",
            9 => "unkey",
            _ => "other",
        };
        format!("{name}{}", if octets[3] & 0x80 == 0 { "" } else { "'" })
    };
    rig.ends[at].sent.iter().map(show).collect()
}

#[test]
fn two_ports_at_each_end_give_a_symmetric_group() {
    let rig = Rig::settled([2, 2]);
    assert_eq!(rig.states(), [GroupState::Symmetric; 2]);
    assert_eq!(shown(&rig, 0), ["confirm", "add", "keys", "confirm"]);
    assert_eq!(shown(&rig, 1), ["confirm'", "add'", "keys'", "confirm'"]);
    rig.check();
}

#[test]
fn one_port_at_one_end_gives_an_asymmetric_group_and_at_both_a_single_one() {
    let (local, peer) = (GroupState::AsymmetricLocal, GroupState::AsymmetricPeer);
    assert_eq!(Rig::settled([1, 2]).states(), [local, peer]);
    assert_eq!(Rig::settled([2, 1]).states(), [peer, local]);
    let rig = Rig::settled([1, 1]);
    assert_eq!(rig.states(), [GroupState::Single; 2]);
    let rejected = Llc::decode(rig.ends[1].sent.last().expect("a response")).expect("a message");
    assert!(matches!(rejected, Llc::AddLink(AddLink { is_response: true, rejection: Some(1), .. })));
}

#[test]
fn a_symmetric_link_takes_the_place_of_an_asymmetric_one() {
    for (ports, at) in [([1, 2], 0), ([2, 1], 1)] {
        let mut rig = Rig::settled(ports);
        rig.set_port(at, PortNumber::Second, true);
        rig.settle();
        assert_eq!(rig.states(), [GroupState::Symmetric; 2]);
        assert_eq!([0, 1].map(|at: usize| rig.ends[at].group.links().count()), [2, 2]);
        let is_reason = |octets: &&[u8; 44]| {
            matches!(Llc::decode(octets), Ok(Llc::DeleteLink(DeleteLink { is_response: false, reason, .. }))
                if reason == DeleteReason::ASYMMETRIC)
        };
        assert_eq!(rig.ends[0].sent.iter().filter(is_reason).count(), 1);
        let request = Llc::RequestAddLink(RequestAddLink { is_response: false }).encode();
        assert_eq!(rig.ends[1].sent.contains(&request), at == 1, "only a client requests");
        rig.check();
    }
}

#[test]
fn keys_of_five_buffers_take_three_continuations() {
    let mut rig = Rig::new([2, 2]);
    while rig.states() != [GroupState::Single; 2] {
        rig.deliver(1, 0);
        rig.deliver(0, 0);
    }
    // The first ADD LINK is on its way, and what a client sends now is put off until the link is there.
    (0..4).for_each(|_| rig.add_buffer(1));
    rig.settle();
    assert_eq!(rig.ends[1].confirmed.len(), 5);
    let second = rig.ends[0].group.links().nth(1).expect("a second link").id;
    rig.lost(0, second);
    rig.settle();
    let before = rig.ends[0].sent.len();
    rig.now += Span::from_s(31);
    while rig.pass(Span::ZERO) {}
    rig.settle();
    assert_eq!(shown(&rig, 0)[before..].iter().filter(|name| *name == "keys").count(), 3);
    assert_eq!(rig.states(), [GroupState::Symmetric; 2]);
    rig.check();
}

#[test]
fn connections_are_balanced_and_move_when_a_link_is_lost() {
    let mut rig = Rig::settled([2, 2]);
    for number in 0..6 {
        let group = &mut rig.ends[0].group;
        let link = group.next_link().expect("a link");
        assert!(group.place(AlertToken(number), link));
        assert!(!group.place(AlertToken(number), link), "a name is used once");
        rig.ends[0].places.insert(AlertToken(number), link);
    }
    let links: Vec<LinkId> = rig.ends[0].group.links().map(|link| link.id).collect();
    assert_eq!(links.iter().map(|&link| rig.ends[0].group.connections_on(link)).collect::<Vec<_>>(), [3, 3]);
    rig.cut(0, links[0]);
    rig.lost(0, links[0]);
    assert_eq!(rig.ends[0].group.connections_on(links[1]), 6);
    assert_eq!(shown(&rig, 0).last().map(String::as_str), Some("delete"), "notice goes before connections");
    rig.settle();
    assert_eq!(rig.states(), [GroupState::Single; 2]);
    rig.cut(0, links[1]);
    rig.lost(0, links[1]);
    assert_eq!((rig.ends[0].ended, rig.ends[0].resets.len()), (Some(End::NoLink), 6));
}

#[test]
fn an_idle_link_is_tested_and_one_without_an_answer_is_lost() {
    let mut rig = Rig::settled([2, 2]);
    let link = rig.ends[0].group.links().next().expect("a link").id;
    let start = rig.now;
    assert_eq!(rig.ends[0].group.deadline().map(|due| due.since(start)), Some(IDLE_BEFORE_TEST));
    assert!(rig.pass(IDLE_BEFORE_TEST));
    assert_eq!(shown(&rig, 0).last().map(String::as_str), Some("test"));
    rig.settle();
    assert_eq!(rig.states(), [GroupState::Symmetric; 2]);
    rig.cut(0, link);
    rig.pass(IDLE_BEFORE_TEST);
    let tested = rig.now;
    while (0..2).any(|at| rig.deliver(at, 0)) {}
    assert!(rig.pass(RESPONSE_WAIT));
    assert_eq!(rig.now.since(tested), RESPONSE_WAIT);
    assert_eq!(rig.ends[0].group.state(), GroupState::Single);
}

#[test]
fn waits_end_after_five_seconds_at_first_and_after_two_later() {
    let mut rig = Rig::new([2, 2]);
    let due = |rig: &Rig, at: usize| rig.ends[at].group.deadline();
    assert_eq!([0, 1].map(|at: usize| due(&rig, at)), [Some(Time::ZERO + Span::from_s(5)); 2]);
    rig.pass(Span::from_s(5));
    assert_eq!([0, 1].map(|at: usize| rig.ends[at].ended), [Some(End::NoConfirmLink); 2]);
    let mut rig = Rig::new([2, 2]);
    rig.deliver(1, 0);
    rig.deliver(0, 0);
    assert_eq!(due(&rig, 0), Some(Time::ZERO + Span::from_s(2)), "the response to ADD LINK");
    rig.ends[0].group.handle_timeout(Time::ZERO + Span::from_s(2));
    assert_eq!(rig.ends[0].group.end(), Some(End::NoLink), "nobody answers on the only link");
}

#[test]
fn buffers_are_confirmed_and_deleted_on_all_links() {
    let mut rig = Rig::settled([2, 2]);
    for at in 0..2 {
        rig.add_buffer(at);
        rig.settle();
        rig.check();
        let (&buffer, &tokens) = rig.ends[at].confirmed.last_key_value().expect("confirmed");
        rig.ends[at].group.delete_buffer(rig.now, buffer);
        rig.act(at);
        rig.settle();
        assert_eq!(rig.ends[at].confirmed.len(), 1);
        let peer = &rig.ends[1 - at].group;
        assert!(peer.links().all(|link| peer.peer_buffer(link.id, tokens[link.port.index()].rkey).is_none()));
    }
}

#[test]
fn continuations_carry_the_keys_of_eight_links() {
    let rig = Rig::settled([2, 2]);
    let group = &rig.ends[0].group;
    let carrier = group.links().next().expect("a link");
    let others: Vec<Link> =
        (2..=8).map(|number| Link { number: Some(LinkNumber(number)), ..carrier.clone() }).collect();
    let buffer = group.buffers.get(BufferId(1)).expect("the first buffer");
    let messages = confirmations(buffer, carrier, &others.iter().collect::<Vec<_>>());
    let shapes: Vec<(u8, Vec<u8>)> = messages
        .iter()
        .map(|message| match message {
            Llc::ConfirmRkey(message) => {
                (message.others, message.entries.iter().map(|entry| entry.link.0).collect())
            }
            Llc::ConfirmRkeyContinuation(message) => {
                (message.left, message.entries.iter().map(|entry| entry.link.0).collect())
            }
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(shapes, [(7, vec![2, 3]), (5, vec![4, 5, 6]), (2, vec![7, 8, 0])]);
}

#[test]
fn a_group_ends_at_both_ends_by_the_will_of_one() {
    for at in 0..2 {
        let mut rig = Rig::settled([2, 2]);
        rig.ends[at].group.close(DeleteReason::OPERATOR);
        rig.act(at);
        rig.settle();
        assert_eq!(rig.ends[at].ended, Some(End::Own(DeleteReason::OPERATOR)));
        assert_eq!(rig.ends[1 - at].ended, Some(End::Peer(DeleteReason::OPERATOR)));
    }
}

#[test]
fn eye_catchers_end_the_group_before_it_is_used() {
    let mut rig = Rig::new([1, 1]);
    let link = rig.ends[1].group.links().next().expect("a link").id;
    let Ok(Llc::ConfirmLink(message)) = Llc::decode(&rig.ends[0].sent[0]) else { panic!("CONFIRM LINK") };
    rig.hand(1, link, &Llc::ConfirmLink(ConfirmLink { has_no_eye_catchers: false, ..message }).encode());
    assert_eq!(rig.ends[1].ended, Some(End::EyeCatchers));
    assert_ne!(tokens(0, 0), tokens(1, 0));
}

#[test]
fn a_deletion_whose_carrier_is_lost_goes_over_another_link() {
    let mut rig = Rig::settled([1, 2]);
    rig.set_port(0, PortNumber::Second, true);
    let deleted = |rig: &Rig| {
        let number = |octets: &[u8; 44]| match Llc::decode(octets) {
            Ok(Llc::DeleteLink(DeleteLink { is_response: false, link, .. })) => Some(link),
            _ => None,
        };
        rig.ends[0].sent.iter().filter_map(number).collect::<Vec<LinkNumber>>()
    };
    while deleted(&rig).is_empty() {
        assert!((0..2).any(|at| rig.deliver(at, 0)), "the asymmetric link is deleted");
    }
    let asymmetric = deleted(&rig)[0];
    let carrier = rig.ends[0].group.flow.as_ref().expect("a deletion").carrier;
    rig.cut(0, carrier);
    rig.lost(0, carrier);
    rig.settle();
    assert_eq!(deleted(&rig).iter().filter(|&&number| number == asymmetric).count(), 2);
    assert_eq!(rig.states(), [GroupState::Single; 2]);
}

#[test]
fn keys_follow_where_a_link_came_before_the_response() {
    let mut rig = Rig::settled([2, 1]);
    rig.set_port(1, PortNumber::Second, true);
    rig.add_buffer(1);
    let links: Vec<Link> = rig.ends[1].group.links().cloned().collect();
    // A server that adds a link over the second one, while the response is on its way over the first.
    let new = LinkEnd {
        queue_pair: QueuePairEnd { number: Bits24::new(0xAAAA), ..links[0].peer.queue_pair },
        ..links[0].peer
    };
    let (is_response, link, rejection) = (false, LinkNumber(9), None);
    let Port { mac, gid } = new.port;
    let QueuePairEnd { number: queue_pair, psn, mtu } = new.queue_pair;
    let add = AddLink { is_response, rejection, mac, gid, queue_pair, link, mtu, psn };
    rig.hand(1, links[1].id, &Llc::AddLink(add).encode());
    let keys = AddLinkContinuation { is_response, link, left: 0, pairs: Default::default() };
    rig.hand(1, links[1].id, &Llc::AddLinkContinuation(keys).encode());
    let third = rig.ends[1].group.links().nth(2).expect("a third link").id;
    let (has_no_eye_catchers, user_id, max_links) = (true, 0, 3);
    let confirm =
        ConfirmLink { is_response, has_no_eye_catchers, mac, gid, queue_pair, link, user_id, max_links };
    rig.hand(1, third, &Llc::ConfirmLink(confirm).encode());
    let is_keys = |octets: &&[u8; 44]| octets[0] == 6;
    let request = rig.ends[1].sent.iter().find(is_keys).expect("CONFIRM RKEY");
    let Ok(Llc::ConfirmRkey(request)) = Llc::decode(request) else { panic!("CONFIRM RKEY") };
    rig.hand(1, links[0].id, &Llc::ConfirmRkey(ConfirmRkey { is_response: true, ..request }).encode());
    assert_eq!((rig.ends[1].ended, rig.ends[1].pending.len()), (None, 1), "not confirmed yet");
    let again = rig.ends[1].sent.iter().rfind(is_keys).and_then(|octets| Llc::decode(octets).ok());
    assert!(matches!(again, Some(Llc::ConfirmRkey(ConfirmRkey { others: 2, .. }))), "{again:?}");
}

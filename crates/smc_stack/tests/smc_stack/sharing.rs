//! Connections that share a group.

use halftrack_base::Span;
use halftrack_smc::link_group::GroupState;
use halftrack_smc::message::Mtu;
use halftrack_smc::message::clc::{Diagnosis, Endpoint};

use crate::network::Network;

#[test]
fn connections_take_turns_on_two_links_and_buffers_are_added() {
    let mut network = Network::new(1, [2, 2], 2);
    let first = network.connect().expect("a first contact");
    assert_eq!(network.ends[0].accept(network.now), Err(Diagnosis::LINK_READY), "before CONFIRM LINK");
    while network.step(Span::from_s(1)) {}
    assert_eq!([0, 1].map(|at: usize| network.ends[at].state()), [GroupState::Symmetric; 2]);
    let second = network.connect().expect("the second element");
    assert_eq!(network.connect(), None, "another buffer is on its way");
    while network.step(Span::from_s(1)) {}
    let third = network.connect().or_else(|| {
        while network.step(Span::from_s(1)) {}
        network.connect()
    });
    let third = third.expect("an element of another buffer");
    for at in 0..2 {
        let group = network.ends[at].group().expect("a group");
        let counts: Vec<usize> = group.links().map(|link| group.connections_on(link.id)).collect();
        assert_eq!(counts, [2, 1]);
        let links = [first, second, third].map(|tokens| group.link_of(tokens[at]).expect("a link"));
        assert!(links[0] != links[1] && links[0] == links[2]);
    }
}

#[test]
fn an_accept_of_a_group_that_is_not_there_is_out_of_synchronisation() {
    let mut network = Network::new(1, [2, 2], 2);
    let accept = network.ends[0].accept(network.now).expect("a first contact");
    let other = Endpoint { is_first_contact: false, ..accept };
    assert_eq!(network.ends[1].confirm(network.now, &other), Err(Diagnosis::SYNCHRONISATION));
}

#[test]
fn no_data_leave_before_the_first_link_is_confirmed() {
    let mut network = Network::new(1, [2, 2], 2);
    let tokens = network.connect().expect("a first contact");
    assert_eq!(network.ends[1].send(tokens[1], &[1; 100]), Ok(100));
    let mut buffer = [0; halftrack_roce::packet::PACKET_BYTES_MAX];
    assert_eq!(network.ends[1].poll_transmit(network.now, &mut buffer), None, "CONFIRM LINK is to come");
    while network.step(Span::from_s(1)) {}
    let mut octets = [0; 200];
    assert_eq!(network.ends[0].receive(tokens[0], &mut octets), Ok(100));
}

#[test]
fn a_first_contact_that_failed_is_tried_again() {
    let mut network = Network::new(1, [2, 2], 2);
    let now = network.now;
    let [server, client] = &mut network.ends;
    let accept = server.accept(now).expect("a first contact");
    let wrong = Endpoint { mtu: Mtu(0), ..accept };
    assert_eq!(client.confirm(now, &wrong), Err(Diagnosis::LINK_READY));
    assert_eq!(server.accept(now), Err(Diagnosis::LINK_READY), "one at a time");
    server.abort(now, accept.token);
    assert!(server.is_idle() && client.is_idle());
    let first = network.connect().expect("another first contact");
    while network.step(Span::from_s(1)) {}
    let second = network.connect().expect("the second element");
    for (tokens, value) in [(first, 1), (second, 2)] {
        assert_eq!(network.ends[0].send(tokens[0], &[value; 100]), Ok(100));
    }
    while network.step(Span::from_s(1)) {}
    for (tokens, value) in [(first, 1), (second, 2)] {
        let mut octets = [0; 200];
        assert_eq!(network.ends[1].receive(tokens[1], &mut octets), Ok(100));
        assert_eq!(octets[..100], [value; 100], "each connection has its own element");
    }
}

//! Writes that come over a link that the sender has given up.

use halftrack_base::Span;
use halftrack_smc::link_group::{GroupState, PortNumber};
use halftrack_smc::message::AlertToken;
use halftrack_smc::message::clc::Diagnosis;

use crate::network::Network;

/// Octets of an element.
const ELEMENT_BYTES: usize = 16_384;

fn read(network: &mut Network, at: usize, token: AlertToken) -> Vec<u8> {
    let mut octets = vec![0; ELEMENT_BYTES];
    let bytes = network.ends[at].receive(token, &mut octets).expect("open");
    octets.truncate(bytes);
    octets
}

fn settle(network: &mut Network) {
    while network.step(Span::from_s(1)) {}
}

#[test]
fn a_write_that_is_late_on_a_lost_link_changes_nothing() {
    let mut network = Network::new(1, [2, 2], 2);
    let tokens = network.connect().expect("a first contact");
    settle(&mut network);
    assert_eq!(network.ends[0].state(), GroupState::Symmetric);
    // All packets of the server's first port are kept back, until it gives the link up.
    network.kept_from.push((0, PortNumber::First));
    assert_eq!(network.ends[0].send(tokens[0], &[1; ELEMENT_BYTES]), Ok(ELEMENT_BYTES));
    while network.ends[0].state() == GroupState::Symmetric {
        assert!(network.step(Span::from_s(1)));
    }
    settle(&mut network);
    assert_eq!(read(&mut network, 1, tokens[1]), [1; ELEMENT_BYTES]);
    settle(&mut network);
    // Octets of the next wrap come over the other link, and are not read yet.
    assert_eq!(network.ends[0].send(tokens[0], &[2; ELEMENT_BYTES]), Ok(ELEMENT_BYTES));
    settle(&mut network);
    network.release_kept();
    assert_eq!(read(&mut network, 1, tokens[1]), [2; ELEMENT_BYTES]);
}

#[test]
fn a_validation_stops_the_link_before_it_though_no_deletion_came() {
    let mut network = Network::new(1, [2, 2], 2);
    network.connect().expect("a first contact");
    settle(&mut network);
    let tokens = network.connect().expect("a connection on the second link");
    settle(&mut network);
    let start = network.now;
    network.kept_from.push((0, PortNumber::Second));
    assert_eq!(network.ends[0].send(tokens[0], &[1; ELEMENT_BYTES]), Ok(ELEMENT_BYTES));
    while network.now.since(start) < Span::from_ms(130) {
        assert!(network.step(Span::from_s(1)));
    }
    // The server has a flow of keys without a response, so that it cannot start the deletion.
    network.kept_from.push((1, PortNumber::First));
    assert_eq!(network.ends[0].accept(network.now), Err(Diagnosis::NO_MEMORY), "another buffer");
    while network.ends[1].state() == GroupState::Symmetric {
        assert!(network.step(Span::from_ms(50)));
        assert!(network.now.since(start) < Span::from_ms(250), "the first link is not lost before");
    }
    network.release_kept();
    settle(&mut network);
    assert_eq!(read(&mut network, 1, tokens[1]), [1; ELEMENT_BYTES]);
}

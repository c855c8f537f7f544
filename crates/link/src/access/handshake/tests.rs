//! The key handshake between two ends, and against ends that may not be there.

use super::*;
use crate::access::LinkKey;
use crate::access::link_access::{Expected, Host};

const UNIT: WorldWideName = WorldWideName(0x5005_0763_0000_0030);
const HOST: WorldWideName = WorldWideName(0x5005_0764_0000_0040);
const OTHER: WorldWideName = WorldWideName(0x5005_0764_0000_0041);
const SWITCH: WorldWideName = WorldWideName(0x1004_0000_0000_0061);

fn key(octet: u8) -> LinkKey {
    LinkKey::parse(&[octet; 32]).unwrap()
}

fn access(role: LinkRole, own_name: WorldWideName) -> LinkAccess {
    LinkAccess { own_name, role, hosts: None, expected: None, tls: None }
}

/// Returns a control unit's port at which two hosts may log in, each with its key, and a director with another.
fn unit() -> LinkAccess {
    let hosts = [(HOST, 1), (OTHER, 2)].map(|(name, own)| Host { name, key: Some(key(own)) });
    let expected = Some(Expected { name: Some(SWITCH), key: Some(key(3)) });
    LinkAccess { hosts: Some(hosts.into()), expected, ..access(LinkRole::ControlUnit, UNIT) }
}

/// Returns an end that has a key for whatever is at the other end.
fn end(role: LinkRole, own_name: WorldWideName, own: u8) -> LinkAccess {
    let expected = Some(Expected { name: None, key: Some(key(own)) });
    LinkAccess { expected, ..access(role, own_name) }
}

/// Returns a director's port that connects to the control unit.
fn director_port(own: u8) -> LinkAccess {
    let hosts = Some(vec![Host { name: UNIT, key: Some(key(own)) }]);
    LinkAccess { hosts, ..access(LinkRole::Director, SWITCH) }
}

/// One end: its requirements, its handshake, and what it has sent.
struct End {
    access: LinkAccess,
    handshake: KeyHandshake,
    sent: Vec<u8>,
    came: Vec<u8>,
}

impl End {
    fn new(access: LinkAccess, is_opener: bool, nonce: u8) -> Self {
        let mut sent = Vec::new();
        let handshake = KeyHandshake::begin(&access, is_opener, &[nonce; NONCE_BYTES], &mut sent);
        Self { access, handshake, sent, came: Vec::new() }
    }

    /// Takes these octets.
    fn take(&mut self, octets: &[u8]) -> Result<Progress, AccessFault> {
        self.came.extend_from_slice(octets);
        let mut taken = 0;
        let progress = self.handshake.receive(&self.access, &self.came, &mut taken, &mut self.sent);
        self.came.drain(..taken);
        progress
    }

    fn sent(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.sent)
    }
}

/// Runs the handshake of an opener with the control unit.
fn meet(opener: LinkAccess) -> (Result<Progress, AccessFault>, Result<Progress, AccessFault>) {
    let (mut opener, mut accepter) = (End::new(opener, true, 0x0A), End::new(unit(), false, 0x0B));
    let accepted = accepter.take(&opener.sent());
    if accepted.is_err() {
        return (Ok(Progress::Waits), accepted);
    }
    let opened = opener.take(&accepter.sent());
    if opened.is_err() {
        return (opened, accepted);
    }
    (opened, accepter.take(&opener.sent()))
}

#[test]
fn both_ends_prove_their_names_octet_by_octet_and_what_follows_is_left() {
    let (mut opener, mut accepter) =
        (End::new(end(LinkRole::Channel, HOST, 1), true, 1), End::new(unit(), false, 2));
    let (mut of_opener, mut of_accepter) = (Progress::Waits, Progress::Waits);
    for octet in opener.sent() {
        of_accepter = accepter.take(&[octet]).unwrap();
    }
    assert_eq!(of_accepter, Progress::Waits);
    for octet in accepter.sent() {
        of_opener = opener.take(&[octet]).unwrap();
    }
    assert_eq!(of_opener, Progress::Done(Attached { names: vec![UNIT], is_fabric: true }));
    let last = [opener.sent(), b"frames".to_vec()].concat();
    of_accepter = accepter.take(&last).unwrap();
    assert_eq!(of_accepter, Progress::Done(Attached { names: vec![HOST], is_fabric: false }));
    assert_eq!((accepter.came.as_slice(), accepter.sent.len()), (&b"frames"[..], 0));
}

#[test]
fn a_director_may_speak_for_others_and_a_host_with_its_key_may_not_be_one() {
    let (_, accepted) = meet(director_port(3));
    assert_eq!(accepted, Ok(Progress::Done(Attached { names: vec![SWITCH], is_fabric: true })));
    for (role, name) in [
        (LinkRole::Director, HOST),
        (LinkRole::Channel, SWITCH),
        (LinkRole::ControlUnit, HOST),
        (LinkRole::Channel, WorldWideName(7)),
    ] {
        let (_, accepted) = meet(end(role, name, 1));
        assert_eq!(accepted, Err(AccessFault::Name { name, role }));
    }
    // Nor by its own key under the name of the director.
    let (opened, _) = meet(director_port(1));
    assert_eq!(opened, Err(AccessFault::Proof(UNIT)));
}

#[test]
fn another_key_and_the_right_key_of_another_name_are_refused_by_either_end() {
    for (name, own) in [(HOST, 9), (HOST, 2), (OTHER, 1)] {
        let (opened, _) = meet(end(LinkRole::Channel, name, own));
        assert_eq!(opened, Err(AccessFault::Proof(UNIT)), "the accepter has another key");
        // An opener that goes on all the same, without a check of the proof.
        let (mut opener, mut accepter) =
            (End::new(access(LinkRole::Channel, name), true, 1), End::new(unit(), false, 2));
        let hello = opener.sent();
        accepter.take(&hello).unwrap();
        let answer = accepter.sent();
        let proof = key(own).sign(&[OPENER, &hello, &answer[..HELLO_BYTES]]);
        assert_eq!(accepter.take(&proof), Err(AccessFault::Proof(name)), "{name} {own}");
    }
}

#[test]
fn a_handshake_played_again_is_refused_by_either_end() {
    let (mut opener, mut accepter) =
        (End::new(end(LinkRole::Channel, HOST, 1), true, 1), End::new(unit(), false, 2));
    let hello = opener.sent();
    accepter.take(&hello).unwrap();
    let answer = accepter.sent();
    opener.take(&answer).unwrap();
    let proof = opener.sent();
    assert!(matches!(accepter.take(&proof), Ok(Progress::Done(_))));
    // To the accepter of the next connection, whose nonce is new.
    let mut next = End::new(unit(), false, 3);
    assert_eq!(next.take(&[hello, proof].concat()), Err(AccessFault::Proof(HOST)));
    // To the next opener.
    let mut next = End::new(end(LinkRole::Channel, HOST, 1), true, 4);
    assert_eq!(next.take(&answer), Err(AccessFault::Proof(UNIT)));
}

#[test]
fn an_end_that_gets_its_own_messages_back_refuses_them() {
    let mut opener = End::new(end(LinkRole::Channel, HOST, 1), true, 1);
    let hello = opener.sent();
    let echo = [hello.clone(), vec![0; PROOF_BYTES]].concat();
    assert_eq!(opener.take(&echo), Err(AccessFault::Reflected));
    // The proof of the accepter, sent back to it as that of the opener.
    let mut accepter = End::new(unit(), false, 2);
    accepter.take(&hello).unwrap();
    let answer = accepter.sent();
    assert_eq!(accepter.take(&answer[HELLO_BYTES..]), Err(AccessFault::Proof(HOST)));
    // Both ends of an inter-switch link have one key and one role: the hello of a director, brought to another port of
    // it, and the proofs of one connection on another.
    let director = || end(LinkRole::Director, SWITCH, 5);
    let mut opener = End::new(director(), true, 1);
    assert_eq!(End::new(director(), false, 2).take(&opener.sent()), Err(AccessFault::Reflected));
    let neighbour = WorldWideName(0x10E0_0000_0000_0062);
    let (mut opener, mut first) =
        (End::new(director(), true, 1), End::new(end(LinkRole::Director, neighbour, 5), true, 2));
    let (one, two) = (opener.sent(), first.sent());
    let mut accepter = End::new(end(LinkRole::Director, neighbour, 5), false, 3);
    accepter.take(&one).unwrap();
    let answer = accepter.sent();
    let mixed = [&two[..], &answer[HELLO_BYTES..]].concat();
    assert_eq!(opener.take(&mixed), Err(AccessFault::Proof(neighbour)));
}

#[test]
fn an_end_that_begins_with_something_else_is_refused_at_its_first_octets() {
    for other in [&b"\x00\x01\x00\x01"[..], b"\x16\x03\x01", b"HTLINK\x00\x02", b"GET / HTTP/1.1"] {
        for is_opener in [true, false] {
            let mut own =
                End::new(if is_opener { end(LinkRole::Channel, HOST, 1) } else { unit() }, is_opener, 1);
            own.sent();
            assert_eq!(own.take(other), Err(AccessFault::NoHandshake), "{other:?}");
            assert!(own.sent().is_empty(), "nothing is sent to it");
        }
    }
}

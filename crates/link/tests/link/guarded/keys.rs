//! Shared keys.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use halftrack_link::access::handshake::{HELLO_BYTES, KeyHandshake, NONCE_BYTES, PROOF_BYTES, Progress};

use super::{HOST, OTHER, drive, path, refused, unit};
use crate::control_unit::server::Server;
use crate::control_unit::{drained, special};

fn server() -> Server {
    Server::guarded(None, unit(&[(HOST, 1), (OTHER, 2)], None))
}

/// Checks that a notice of the control unit has these words.
fn reported(server: Server, words: &str) {
    let notices = server.end();
    assert!(notices.iter().any(|line| line.contains(words)), "{words}: {notices:?}");
    assert!(!notices.iter().any(|line| line.contains("logged in as")), "{notices:?}");
}

#[test]
fn a_host_with_its_key_does_its_io() {
    let server = server();
    assert!(drive(&server.address, path(HOST, Some(1), None)).unwrap().is_right());
}

#[test]
fn a_host_without_a_key_is_refused_before_its_first_frame() {
    let server = server();
    refused(&server.address, None);
    reported(server, "without the key handshake that this port requires");
}

#[test]
fn a_control_unit_without_the_key_is_refused_by_the_channel() {
    let server = Server::start(None);
    refused(&server.address, path(HOST, Some(1), None));
    drop(server.end());
    // The right handshake of an end with another key.
    let server = Server::guarded(None, unit(&[(HOST, 9)], None));
    let reason = refused(&server.address, path(HOST, Some(1), None));
    assert!(reason.contains("did not prove that it has the key"), "{reason}");
}

#[test]
fn the_key_of_one_host_does_not_serve_another() {
    // In the handshake: the name of one with the key of the other.
    let server = server();
    refused(&server.address, path(HOST, Some(2), None));
    drop(server.end());
    // After it: the right name and key of one, then FLOGI of the other.
    let server = self::server();
    refused(&server.address, path(OTHER, Some(2), None));
    reported(server, &format!("{HOST} is not the name that the connection has proven"));
}

/// Sends and takes the handshake of a host; the octets that it sent, and whether FCIP answers behind it.
fn shake_hands(address: &str, nonce: u8) -> (Vec<u8>, bool) {
    let access = path(HOST, Some(1), None).unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    let (mut out, mut taken) = (Vec::new(), 0);
    let mut handshake = KeyHandshake::begin(&access, true, &[nonce; NONCE_BYTES], &mut out);
    stream.write_all(&out).unwrap();
    let mut answer = [0; HELLO_BYTES + PROOF_BYTES];
    stream.read_exact(&mut answer).unwrap();
    let begun = out.len();
    let progress = handshake.receive(&access, &answer, &mut taken, &mut out).unwrap();
    assert!(matches!(progress, Progress::Done(_)));
    out.extend_from_slice(&special());
    stream.write_all(&out[begun..]).unwrap();
    let mut echo = vec![0; special().len()];
    let is_answered = stream.read_exact(&mut echo).is_ok() && echo == special();
    (out, is_answered)
}

#[test]
fn a_recorded_handshake_opens_no_second_connection() {
    let server = server();
    let (recorded, is_answered) = shake_hands(&server.address, 7);
    assert!(is_answered);
    let mut again = TcpStream::connect(&server.address).unwrap();
    let _ = again.write_all(&recorded);
    let came = drained(&mut again);
    assert!(came.len() <= HELLO_BYTES + PROOF_BYTES, "no FCIP behind the handshake: {came:?}");
    reported(server, "did not prove that it has the key");
}

#[test]
fn what_the_port_sends_brought_back_to_it_opens_nothing() {
    let server = server();
    let mut stream = TcpStream::connect(&server.address).unwrap();
    let mut hello = Vec::new();
    KeyHandshake::begin(&path(HOST, Some(1), None).unwrap(), true, &[7; NONCE_BYTES], &mut hello);
    stream.write_all(&hello).unwrap();
    let mut answer = [0; HELLO_BYTES + PROOF_BYTES];
    stream.read_exact(&mut answer).unwrap();
    // Its hello on a connection of its own, and its proof on this one.
    let mut other = TcpStream::connect(&server.address).unwrap();
    other.write_all(&answer).unwrap();
    assert!(drained(&mut other).is_empty());
    stream.write_all(&answer[HELLO_BYTES..]).unwrap();
    assert!(drained(&mut stream).is_empty());
    let notices = server.end();
    assert!(notices.iter().any(|line| line.contains("came back to it")), "{notices:?}");
    assert!(notices.iter().any(|line| line.contains("did not prove")), "{notices:?}");
}

#[test]
fn handshakes_that_are_never_finished_hold_no_port_and_are_closed() {
    let server = server();
    let mut hello = Vec::new();
    KeyHandshake::begin(&path(HOST, Some(1), None).unwrap(), true, &[7; NONCE_BYTES], &mut hello);
    let begin = |count: usize| {
        let mut stream = TcpStream::connect(&server.address).unwrap();
        stream.write_all(&hello[..count]).unwrap();
        stream
    };
    let strangers: Vec<_> = [0, 5, HELLO_BYTES - 1, HELLO_BYTES].repeat(3).into_iter().map(begin).collect();
    // All of the lobby is taken by them, and a host gets in all the same.
    thread::sleep(Duration::from_millis(100));
    assert!(drive(&server.address, path(HOST, Some(1), None)).unwrap().is_right());
    for mut stranger in strangers {
        let came = drained(&mut stranger);
        assert!(came.is_empty() || came.len() == HELLO_BYTES + PROOF_BYTES, "{came:?}");
    }
    let notices = server.end();
    for words in ["half-open", "too many connections wait"] {
        assert!(notices.iter().any(|line| line.contains(words)), "{words}: {notices:?}");
    }
}

//! TLS records on a transport that never waits.

use std::net::{TcpListener, TcpStream};

use halftrack_link::{InBuffer, OutBuffer, Received, TcpTransport, Transport};

use super::certificates::Authority;
use super::{HOST, UNIT, path, unit};

fn pair() -> (TcpTransport, TcpTransport) {
    let authority = Authority::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let far = listener.accept().unwrap().0;
    let host = path(HOST, Some(1), Some(authority.settings(&[HOST])));
    let unit = unit(&[(HOST, 1)], Some(authority.settings(&[UNIT])));
    let near = TcpTransport::guarded(near, host.as_ref(), true).unwrap();
    (near, TcpTransport::guarded(far, unit.as_ref(), false).unwrap())
}

#[test]
fn more_than_the_sockets_hold_is_kept_and_comes_whole_when_the_name_is_proven() {
    let (mut near, mut far) = pair();
    let (mut out, mut none) = (OutBuffer::new(0), OutBuffer::new(0));
    let (mut input, mut empty) = (InBuffer::new(0), InBuffer::new(0));
    let octets: Vec<u8> = (0..12_000_000_u32).map(|number| number as u8 ^ (number >> 9) as u8).collect();
    out.tail().extend_from_slice(&octets);
    near.send(&mut out).unwrap();
    assert_eq!((out.len(), near.attached()), (octets.len(), None), "nothing goes out before the proof");
    let (mut came, mut was_full) = (Vec::new(), false);
    while near.attached().is_none() {
        assert_eq!(near.receive(&mut empty).unwrap(), Received::Nothing);
        far.receive(&mut input).unwrap();
        far.send(&mut none).unwrap();
        near.send(&mut none).unwrap();
    }
    while came.len() < octets.len() {
        near.send(&mut out).unwrap();
        was_full |= near.is_full();
        assert_eq!(near.receive(&mut empty).unwrap(), Received::Nothing);
        // A slow reader fills the sockets.
        for _ in 0..usize::from(out.is_empty() || was_full) * 2 {
            far.receive(&mut input).unwrap();
            came.extend_from_slice(input.as_slice());
            input.consume(usize::MAX);
        }
    }
    assert!(came == octets && was_full && !near.is_full());
    assert_eq!(far.attached().unwrap().names, [HOST]);
    assert_eq!(near.attached().unwrap().names, [UNIT]);
    drop(near);
    let ends = std::iter::repeat_with(|| far.receive(&mut input).unwrap());
    assert_eq!(ends.take(1_000_000).find(|end| *end != Received::Nothing), Some(Received::Closed));
}

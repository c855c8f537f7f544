//! Two ends in one process, each with maps of its own.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

use halftrack_smc::buffer::ElementSize;
use halftrack_smc::connection::{Settings, StreamError};
use halftrack_smc::message::{AlertToken, Cdc, Cursor};
use proptest::prelude::*;

use super::*;

const SIZE: ElementSize = ElementSize::at_least(0);
const SIZE_BYTES: usize = SIZE.bytes() as usize;

/// Returns the settings of the end with these names.
fn settings(token: u32, peer_token: u32) -> Settings {
    let (token, peer_token) = (AlertToken(token), AlertToken(peer_token));
    Settings { token, peer_token, size: SIZE, peer_size: SIZE }
}

/// Returns names of an end.
fn about() -> About {
    let address = std::net::SocketAddr::from(([127, 0, 0, 1], 6379));
    let (stack, peer_stack) = Default::default();
    About {
        socket_inode: 1,
        own_inode: 2,
        peer_inode: 3,
        is_server: false,
        sign: crate::Sign::Registry,
        local: address,
        remote: address,
        peer_process: 4,
        stack,
        peer_stack,
    }
}

/// Makes both ends of a connection.
fn connected() -> [SharedEnd; 2] {
    let memory = || EndMemory::create(SIZE).expect("memory");
    let ((near, near_fd), (far, far_fd)) = (memory(), memory());
    let open = |fd| EndMemory::open(fd, SIZE).expect("the memory of the peer");
    let end = |settings, own, peer| SharedEnd::create(settings, own, peer, &about()).expect("memory").0;
    [end(settings(1, 2), near, open(far_fd)), end(settings(2, 1), far, open(near_fd))]
}

/// Returns octet number `at` of a stream.
fn octet(at: u64) -> u8 {
    (at.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8
}

fn octets(from: u64, bytes: usize) -> Vec<u8> {
    (from..from + bytes as u64).map(octet).collect()
}

#[test]
fn octets_come_as_they_were_sent_and_the_element_holds_them_back() {
    let [near, far] = connected();
    let (sent, _) = near.send(&octets(0, SIZE_BYTES + 100)).expect("open");
    assert_eq!(sent, SIZE_BYTES, "as many as the element has room for");
    assert!(!near.readiness().is_writable && far.readiness().is_readable);
    let mut into = vec![0; SIZE_BYTES + 1];
    assert_eq!(far.peek(&mut into), Ok(SIZE_BYTES));
    assert_eq!(far.receive(&mut into), Ok((SIZE_BYTES, false)));
    assert!(into[..SIZE_BYTES] == octets(0, SIZE_BYTES));
    assert!(near.readiness().is_writable && !far.readiness().is_readable);
    assert_eq!(far.receive(&mut into), Ok((0, false)), "nothing yet");
}

#[test]
fn ends_end_in_their_order() {
    let [near, far] = connected();
    near.send(b"last words").expect("open");
    near.shut_down_sending();
    assert_eq!(near.send(b"more"), Err(StreamError::ShutDown));
    let mut into = [0; 64];
    assert!(!far.readiness().is_end, "octets come first");
    assert_eq!(far.receive(&mut into), Ok((10, false)));
    assert!(far.readiness().is_end && far.readiness().is_readable);
    far.send(b"answer").expect("the other direction is open");
    assert_eq!(near.receive(&mut into), Ok((6, false)));
    far.close();
    near.close();
    assert!(near.readiness().is_end && !near.readiness().is_reset && !far.readiness().is_reset);
}

#[test]
fn octets_that_were_not_read_reset_the_peer() {
    let [near, far] = connected();
    near.send(b"unread").expect("open");
    far.close();
    assert!(near.readiness().is_reset);
    assert_eq!(near.send(b"more"), Err(StreamError::Reset));
}

#[test]
fn a_bell_is_rung_once_for_each_time_it_is_armed() {
    let [near, far] = connected();
    assert_eq!(near.send(b"1"), Ok((1, false)), "nobody sleeps");
    assert!(far.arm().is_readable, "there is news");
    assert!(far.disarm(), "nobody has rung");
    far.receive(&mut [0; 8]).expect("open");
    assert!(!far.arm().is_readable);
    assert_eq!(near.send(b"2"), Ok((1, true)));
    assert_eq!(near.send(b"3"), Ok((1, false)), "it was rung");
    assert!(!far.disarm());
    assert_eq!(far.receive(&mut [0; 8]), Ok((2, false)));
}

#[test]
fn messages_that_are_none_of_the_connection_reset_it() {
    let beyond = Cursor { wrap: 0, count: SIZE.bytes() };
    for cdc in [
        Cdc { sequence: 1, token: AlertToken(9), ..Cdc::default() },
        Cdc { sequence: 1, token: AlertToken(1), producer: beyond, ..Cdc::default() },
        Cdc { sequence: 1, token: AlertToken(1), consumer: Cursor { wrap: 0, count: 1 }, ..Cdc::default() },
    ] {
        let [near, far] = connected();
        far.post_foreign(&cdc.encode());
        assert!(near.readiness().is_reset, "{cdc:?}");
        assert_eq!(near.receive(&mut [0; 8]), Err(StreamError::Reset));
    }
    let [near, far] = connected();
    far.post_foreign(&[0xFF; 44]);
    assert!(near.readiness().is_reset);
}

/// Bell of a thread.
#[derive(Default)]
struct Bell {
    is_rung: Mutex<bool>,
    changed: Condvar,
}

impl Bell {
    fn ring(&self) {
        *self.is_rung.lock().unwrap() = true;
        self.changed.notify_one();
    }

    fn wait(&self) {
        let rung = self.is_rung.lock().unwrap();
        *self.changed.wait_while(rung, |rung| !*rung).unwrap() = false;
    }
}

/// Sleeps until the end is ready.
fn sleep(end: &SharedEnd, own: &Bell, is_ready: impl Fn(Readiness) -> bool) {
    if !is_ready(end.arm()) || !end.disarm() {
        own.wait();
    }
}

/// Two threads that sleep whenever they can do nothing: no octet is lost or changed, and no bell is missed.
#[test]
fn threads_that_sleep_are_always_woken() {
    const BYTES: u64 = 8 << 20;
    let [near, far] = connected();
    let bells = [(); 2].map(|()| Arc::new(Bell::default()));
    let (own, peer) = (Arc::clone(&bells[0]), Arc::clone(&bells[1]));
    let sleeps = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&sleeps);
    let writer = thread::spawn(move || {
        let mut at = 0;
        while at < BYTES {
            let wanted = (at % 9_973 + 1).min(BYTES - at) as usize;
            let (sent, is_to_be_rung) = near.send(&octets(at, wanted)).expect("open");
            if is_to_be_rung {
                peer.ring();
            }
            at += sent as u64;
            if sent == 0 {
                counted.fetch_add(1, Ordering::Relaxed);
                sleep(&near, &own, |ready| ready.is_writable);
            }
        }
        if near.shut_down_sending() {
            peer.ring();
        }
        near
    });
    let (mut at, mut into) = (0_u64, vec![0; 5_003]);
    loop {
        let (came, is_to_be_rung) = far.receive(&mut into).expect("open");
        if is_to_be_rung {
            bells[0].ring();
        }
        assert!(into[..came] == octets(at, came), "at {at}");
        at += came as u64;
        if came == 0 {
            if far.readiness().is_end {
                break;
            }
            sleeps.fetch_add(1, Ordering::Relaxed);
            sleep(&far, &bells[1], |ready| ready.is_readable);
        }
    }
    writer.join().expect("the writer");
    assert_eq!(at, BYTES);
    assert!(sleeps.load(Ordering::Relaxed) > 100, "they sleep");
}

proptest! {
    /// Whatever both ends do, what is read is what was sent, in its order.
    #[test]
    fn any_calls_keep_the_stream(calls in prop::collection::vec((0..2_usize, any::<bool>(), 0..40_000_usize), 1..200)) {
        let ends = connected();
        let (mut sent, mut read) = ([0_u64; 2], [0_u64; 2]);
        for (at, is_send, bytes) in calls {
            if is_send {
                let (taken, _) = ends[at].send(&octets(sent[at], bytes)).unwrap();
                let room = SIZE_BYTES as u64 - (sent[at] - read[1 - at]);
                prop_assert!(taken as u64 <= room);
                sent[at] += taken as u64;
            } else {
                let mut into = vec![0; bytes];
                let (came, _) = ends[at].receive(&mut into).unwrap();
                prop_assert_eq!(came as u64, (sent[1 - at] - read[at]).min(bytes as u64));
                prop_assert!(into[..came] == octets(read[at], came));
                read[at] += came as u64;
            }
        }
    }
}

#[test]
fn processes_of_an_end_go_on_where_another_one_stopped() {
    let (near, near_fd) = EndMemory::create(SIZE).unwrap();
    let (far, far_fd) = EndMemory::create(SIZE).unwrap();
    let again = |fd: &std::os::fd::OwnedFd| EndMemory::open(fd.try_clone().unwrap(), SIZE).unwrap();
    let (parent, state) = SharedEnd::create(settings(1, 2), near, again(&far_fd), &about()).unwrap();
    let (peer, _) = SharedEnd::create(settings(2, 1), far, again(&near_fd), &about()).unwrap();
    let memory_of = |inode, size| {
        let fd = if inode == about().own_inode { &near_fd } else { &far_fd };
        EndMemory::open(fd.try_clone()?, size)
    };
    let (child, named) = SharedEnd::open(state.try_clone().unwrap(), memory_of).unwrap();
    assert_eq!(named, about());
    parent.expect_child();
    assert!(child.is_shared(), "a child is to come");
    child.enter(true);
    assert!(!child.is_shared() && parent.leave());
    let mut into = [0; 16];
    for turn in 0..10_000_u64 {
        let sender = if turn % 3 == 0 { &parent } else { &child };
        assert_eq!(sender.send(&octets(7 * turn, 7)).unwrap().0, 7);
        assert_eq!(peer.receive(&mut into).unwrap().0, 7);
        assert!(into[..7] == octets(7 * turn, 7));
        peer.send(&octets(turn, 1)).unwrap();
        let reader = if turn % 2 == 0 { &parent } else { &child };
        assert_eq!((reader.receive(&mut into).unwrap().0, into[0]), (1, octet(turn)));
    }
    let (_other, other_fd) = EndMemory::create(ElementSize::at_least(20_000)).unwrap();
    let of_other_size = |_, size| EndMemory::open(other_fd.try_clone()?, size);
    assert!(SharedEnd::open(state, of_other_size).is_err(), "the elements are others");
}

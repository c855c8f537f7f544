//! Either end of a link against one that is made by hand.

use std::io::{Read as _, Write as _};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::thread;

use halftrack_base::{Span, Time};
use halftrack_exchange::synchronous::{
    Completion, Function, LinkError, LocalReject, SlotMemory, answer, load_written, store_read, take,
};
use halftrack_shared_memory::{Event, SocketPlace};
use halftrack_wire::synchronous::{
    ANSWER_WORD, DATA_MAX, FUNCTIONS_MAX, Greeting, GreetingRefusal, MESSAGE_WORDS, REQUEST_WORD,
    RemoteReject, SlotState, SlotWord, SynchronousAnswer, SynchronousOperation, SynchronousRequest, Welcome,
    data_check,
};
use tempfile::TempDir;

use super::handover;
use super::host_link::{HostLink, HostLinkOptions};
use super::{Adapter, AdapterOptions, SharedArea};
use crate::Clock;
use crate::control_unit::UnitTable;

const READ: SynchronousRequest = SynchronousRequest {
    operation: SynchronousOperation::Read,
    image: 0,
    unit: 0,
    cylinder: 1,
    head: 2,
    record: 3,
    data_bytes: 4096,
    buffer: 0,
    check: 0,
};
const DONE: SynchronousAnswer = SynchronousAnswer { result: Ok(()), data_bytes: 4096, check: 0 };

/// Returns a request that writes `data`.
fn write_of(data: &[u8]) -> SynchronousRequest {
    SynchronousRequest { operation: SynchronousOperation::Write, check: data_check(data), ..READ }
}

/// Returns the time that lies so far ahead of all clocks of a test.
fn ahead(ms: u64) -> Time {
    Time::ZERO.saturating_add(Span::from_s(60)).saturating_add(Span::from_ms(ms))
}

fn options(path: &Path, functions: u8, group: u8) -> HostLinkOptions {
    let timeout = Span::from_us(300);
    HostLinkOptions { socket: path.to_owned(), functions, timeout, metres: 0.0, group: [group; 11] }
}

/// A control unit made by hand, and the link of a host to it.
struct Hand {
    _directory: TempDir,
    place: SocketPlace,
    streams: Vec<UnixStream>,
    area: SharedArea,
    link: HostLink,
}

impl Hand {
    fn new(functions: u8) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("link");
        let place = SocketPlace::listen(&path).unwrap();
        let link = HostLink::new(0, options(&path, functions, 7), Clock::start());
        let area = SharedArea::create(functions).unwrap().0;
        let mut hand = Self { _directory: directory, place, streams: Vec::new(), area, link };
        hand.welcome(functions, 0);
        hand
    }

    /// Lets the link of the host in.
    fn welcome(&mut self, functions: u8, from_ms: u64) {
        self.link.tend(ahead(from_ms));
        let (stream, _) = self.place.listener().accept().unwrap();
        let mut octets = [0; Greeting::BYTES];
        (&stream).read_exact(&mut octets).unwrap();
        assert_eq!(Greeting::from_octets(&octets), Some(Greeting { functions, group: [7; 11] }));
        let (area, memory) = SharedArea::create(functions).unwrap();
        self.area = area;
        let waker = Event::new().unwrap();
        handover::send(&stream, &Welcome { functions: Ok(functions) }, &[memory.as_fd(), waker.as_fd()])
            .unwrap();
        self.streams.push(stream);
        self.link.tend(ahead(from_ms + 5));
        assert!(self.link.is_operational(), "{}", self.link.trouble());
    }

    /// Executes a request of the host while the control unit does `act` to the first that it takes.
    fn execute(
        &mut self,
        request: &SynchronousRequest,
        written: &[u8],
        act: impl FnOnce(&SharedArea) + Send,
    ) -> (Completion, Vec<u8>) {
        let mut read = Vec::new();
        let Self { area, link, .. } = self;
        let completion = thread::scope(|scope| {
            scope.spawn(|| act(area));
            link.execute(request, written, &mut read)
        });
        (completion.unwrap_or(Completion::TimedOut), read)
    }
}

/// Takes the request of the first function as soon as it is there.
fn take_first(area: &SharedArea) -> halftrack_exchange::synchronous::TakenRequest {
    loop {
        if let Some(taken) = take(&area.slot(0)) {
            return taken;
        }
        thread::yield_now();
    }
}

fn patient(hand: &mut Hand) {
    let options = HostLinkOptions { timeout: Span::from_s(5), ..hand.link.options().clone() };
    hand.link.set_options(options);
}

#[test]
fn data_cross_and_damaged_ones_are_found_by_either_end() {
    let mut hand = Hand::new(1);
    patient(&mut hand);
    let data: Vec<u8> = (0..DATA_MAX).map(|at| (at * 7) as u8).collect();
    let (completion, read) = hand.execute(&READ, &[], |area| {
        let taken = take_first(area);
        assert_eq!(taken.request, Ok(READ));
        answer(&area.slot(0), &taken, &store_read(&area.slot(0), &data));
    });
    assert_eq!((completion, read == data), (Completion::Done, true));
    for octet in [0, 2048, DATA_MAX - 1] {
        let (completion, _) = hand.execute(&READ, &[], |area| {
            let (taken, slot) = (take_first(area), area.slot(0));
            let stored = store_read(&slot, &data);
            let mut damaged = data.clone();
            damaged[octet] ^= 1;
            slot.store_data(&damaged);
            answer(&slot, &taken, &stored);
        });
        assert_eq!(completion, Completion::Failed(LinkError::Crc), "octet {octet}");
    }
    let (completion, _) = hand.execute(&write_of(&data), &data, |area| {
        let (taken, slot) = (take_first(area), area.slot(0));
        let request = taken.request.unwrap();
        assert_eq!(load_written(&slot, &request, &mut [0; DATA_MAX]), Ok(&data[..]));
        let mut damaged = data.clone();
        damaged[77] ^= 0x80;
        slot.store_data(&damaged);
        let found = load_written(&slot, &request, &mut [0; DATA_MAX]).unwrap_err();
        answer(&slot, &taken, &SynchronousAnswer::reject(found));
    });
    assert_eq!(completion, Completion::Failed(LinkError::Crc));
}

#[test]
fn an_answer_that_is_none_is_an_error_of_the_link() {
    let mut hand = Hand::new(1);
    patient(&mut hand);
    for words in [[99, 0, 0, 0, 0], [u64::MAX; MESSAGE_WORDS], [0, 16, 0, 0, 0]] {
        let (completion, _) = hand.execute(&READ, &[], |area| {
            let (taken, slot) = (take_first(area), area.slot(0));
            answer(&slot, &taken, &DONE);
            // Before the host has seen it, or behind: it is one of both.
            slot.store_message(ANSWER_WORD, &words);
        });
        let expected = [Completion::Failed(LinkError::Answer), Completion::Failed(LinkError::Crc)];
        assert!(expected.contains(&completion), "{completion:?}");
    }
}

#[test]
fn a_request_taken_back_after_its_time_is_never_executed() {
    let mut hand = Hand::new(1);
    let (completion, _) = hand.execute(&write_of(&[1; 4096]), &[1; 4096], |_| {});
    assert_eq!(completion, Completion::TimedOut);
    assert_eq!(take(&hand.area.slot(0)), None, "it is not there any more");
    assert!(matches!(hand.execute(&READ, &[], |_| {}), (Completion::TimedOut, _)), "the function is free");
}

#[test]
fn a_request_that_the_control_unit_keeps_is_over_when_it_is_answered() {
    let mut hand = Hand::new(2);
    let mut pending = Vec::new();
    let mut taken = Vec::new();
    for function in 0..2 {
        let Hand { area, link, .. } = &mut hand;
        let (result, took) = thread::scope(|scope| {
            let taking = scope.spawn(move || {
                loop {
                    if let Some(taken) = take(&area.slot(function)) {
                        return taken;
                    }
                }
            });
            let mut result = link.execute(&READ, &[], &mut Vec::new());
            // A busy machine may have let the other thread come too late.
            while result.is_ok() {
                result = link.execute(&READ, &[], &mut Vec::new());
            }
            (result, taking.join().unwrap())
        });
        pending.push(result.unwrap_err());
        taken.push(took);
    }
    let busy = hand.link.execute(&READ, &[], &mut Vec::new());
    assert_eq!(busy, Ok(Completion::Local(LocalReject::LinkBusy)));
    assert!(!hand.link.try_end(&pending[0]) && !hand.link.try_end(&pending[1]));
    answer(&hand.area.slot(1), &taken[1], &DONE);
    assert!(!hand.link.try_end(&pending[0]) && hand.link.try_end(&pending[1]));
    // The other one is kept for too long: the memory is given up, and nothing that comes later counts.
    hand.link.tend(ahead(20));
    assert!(!hand.link.is_operational(), "{}", hand.link.trouble());
    assert!(hand.link.try_end(&pending[0]));
    let down = hand.link.execute(&READ, &[], &mut Vec::new());
    assert_eq!(down, Ok(Completion::Local(LocalReject::NotOperational)));
    answer(&hand.area.slot(0), &taken[0], &DONE);
    hand.welcome(2, 1_000);
    assert!(hand.link.try_end(&pending[0]) && hand.link.connections() == 2);
}

#[test]
fn a_link_whose_control_unit_is_gone_is_down_and_comes_again() {
    let mut hand = Hand::new(1);
    hand.streams.clear();
    hand.link.tend(ahead(20));
    assert!(!hand.link.is_operational());
    hand.link.tend(ahead(100));
    assert!(!hand.link.is_operational(), "it waits a while");
    hand.welcome(1, 400);
    // One that sends anything but a welcome is none.
    (&hand.streams[0]).write_all(b"strange").unwrap();
    hand.link.tend(ahead(500));
    assert!(!hand.link.is_operational());
}

#[test]
fn a_simulated_cable_takes_ten_nanoseconds_a_metre() {
    let mut hand = Hand::new(1);
    let options = HostLinkOptions { timeout: Span::from_s(5), metres: 150.0, ..hand.link.options().clone() };
    hand.link.set_options(options);
    let clock = Clock::start();
    let mut least = Span::MAX;
    for _ in 0..5 {
        let before = clock.now();
        let (completion, _) = hand.execute(&READ, &[], |area| {
            let taken = take_first(area);
            answer(&area.slot(0), &taken, &SynchronousAnswer::reject(RemoteReject::CacheMiss));
        });
        assert_eq!(completion, Completion::Remote(RemoteReject::CacheMiss));
        least = least.min(clock.now().saturating_since(before));
    }
    assert!(least >= Span::from_ns(1_500));
}

/// A host made by hand.
struct Visitor {
    stream: UnixStream,
    area: SharedArea,
    waker: Event,
}

impl Visitor {
    fn greet(adapter: &mut Adapter, greeting: &[u8]) -> Result<Self, GreetingRefusal> {
        let stream = UnixStream::connect(adapter.place().path()).unwrap();
        (&stream).write_all(greeting).unwrap();
        adapter.handle_timeout(ahead(0), &mut |_| {});
        let (welcome, descriptors) = handover::receive(&stream).unwrap().unwrap();
        let functions = welcome.functions?;
        let [memory, waker] = <[OwnedFd; 2]>::try_from(descriptors).unwrap();
        Ok(Self { stream, area: SharedArea::open(memory, functions).unwrap(), waker: waker.into() })
    }

    fn of(adapter: &mut Adapter, functions: u8, group: u8) -> Result<Self, GreetingRefusal> {
        Self::greet(adapter, &Greeting { functions, group: [group; 11] }.to_octets())
    }

    /// Posts a message at the first function; the answer of the control unit.
    fn request(&self, adapter: &mut Adapter, words: &[u64; MESSAGE_WORDS]) -> Option<SynchronousAnswer> {
        let slot = self.area.slot(0);
        slot.store_message(REQUEST_WORD, words);
        slot.store_state(SlotWord::new(SlotState::Posted, 1).to_bits());
        adapter.turn(&Clock::start(), ahead(0), false, &mut UnitTable::default());
        SynchronousAnswer::from_words(&slot.load_message(ANSWER_WORD))
    }
}

fn adapter(reads: bool, writes: bool) -> (TempDir, Adapter) {
    let directory = tempfile::tempdir().unwrap();
    let place = SocketPlace::listen(&directory.path().join("link")).unwrap();
    let options = AdapterOptions { id: "0100".to_owned(), functions: 16, reads, writes };
    (directory, Adapter::new(options, place).unwrap())
}

#[test]
fn functions_are_shared_by_hosts_and_free_again_when_one_is_gone() {
    let (_directory, mut adapter) = adapter(true, true);
    let first = Visitor::of(&mut adapter, 10, 1).unwrap();
    let second = Visitor::of(&mut adapter, FUNCTIONS_MAX, 2).unwrap();
    assert_eq!((first.area.functions(), second.area.functions()), (10, 6), "what is left");
    assert_eq!(Visitor::of(&mut adapter, 1, 3).err(), Some(GreetingRefusal::NoFunction));
    // The first host is gone with a request in its slot, which nobody executes.
    first.area.slot(0).store_message(REQUEST_WORD, &READ.to_words());
    first.area.slot(0).store_state(SlotWord::new(SlotState::Posted, 1).to_bits());
    drop(first);
    let third = Visitor::of(&mut adapter, 10, 3).unwrap();
    assert_eq!(third.area.functions(), 10);
    assert!(!adapter.turn(&Clock::start(), ahead(0), false, &mut UnitTable::default()));
    // One that comes again takes the place of what it was.
    let again = Visitor::of(&mut adapter, 10, 3).unwrap();
    assert_eq!((again.area.functions(), adapter.counters().connections), (10, 4));
    assert_eq!((&third.stream).read(&mut [0]).unwrap(), 0, "its earlier connection is closed");
    assert_eq!(adapter.counters().refused, 1);
    (&second.stream).write_all(b"?").unwrap();
    adapter.handle_timeout(ahead(1), &mut |_| {});
    assert!(Visitor::of(&mut adapter, 6, 2).is_ok(), "whoever sends what nobody expects is gone");
}

#[test]
fn strangers_are_refused_or_forgotten() {
    let (_directory, mut adapter) = adapter(true, true);
    assert_eq!(Visitor::greet(&mut adapter, b"nonsense").err(), Some(GreetingRefusal::Version));
    // More than may wait without a greeting, and fewer than the socket keeps until they are accepted.
    let silent: Vec<_> = (0..12).map(|_| UnixStream::connect(adapter.place().path()).unwrap()).collect();
    adapter.handle_timeout(ahead(0), &mut |_| {});
    assert!(adapter.poll_timeout().is_some());
    adapter.handle_timeout(ahead(5_001), &mut |_| {});
    assert_eq!(adapter.poll_timeout(), None, "{} were silent", silent.len());
    assert!(Visitor::of(&mut adapter, 1, 1).is_ok());
}

#[test]
fn switches_and_malformed_requests_are_rejects() {
    let (_directory, mut closed) = adapter(false, false);
    let visitor = Visitor::of(&mut closed, 1, 1).unwrap();
    let write = write_of(&[0; 4096]);
    for request in [READ, write] {
        let answer = visitor.request(&mut closed, &request.to_words()).unwrap();
        assert_eq!(answer.result, Err(RemoteReject::NotEnabled));
    }
    let (_directory, mut open) = adapter(true, true);
    let visitor = Visitor::of(&mut open, 1, 1).unwrap();
    let result =
        |open: &mut Adapter, words: &[u64; MESSAGE_WORDS]| visitor.request(open, words).unwrap().result;
    assert_eq!(result(&mut open, &READ.to_words()), Err(RemoteReject::NotCapable), "there is no device");
    assert_eq!(result(&mut open, &write.to_words()), Err(RemoteReject::NotCapable));
    let damaged = SynchronousRequest { check: 1, ..write };
    assert_eq!(result(&mut open, &damaged.to_words()), Err(RemoteReject::DamagedData));
    let long = SynchronousRequest { data_bytes: 4112, ..READ };
    let odd = SynchronousRequest { buffer: 8, ..READ };
    for words in [[u64::MAX; MESSAGE_WORDS], [0; MESSAGE_WORDS], long.to_words(), odd.to_words()] {
        assert_eq!(result(&mut open, &words), Err(RemoteReject::Malformed));
    }
    assert_eq!(open.counters().rejects[&RemoteReject::Malformed], 4);
}

/// Whatever a host puts there, the control unit goes on.
#[test]
fn states_that_there_are_not_are_left_alone() {
    let (_directory, mut adapter) = adapter(true, true);
    let visitor = Visitor::of(&mut adapter, 2, 1).unwrap();
    let mut bits = 0x9E37_79B9_7F4A_7C15_u64;
    for _ in 0..2_000 {
        bits = bits.rotate_left(13).wrapping_mul(0xBF58_476D_1CE4_E5B9) ^ bits >> 7;
        let slot = visitor.area.slot((bits % 2) as u8);
        slot.store_message(REQUEST_WORD, &std::array::from_fn(|at| bits.rotate_left(at as u32 * 7)));
        slot.store_state(bits);
        let worked = adapter.turn(&Clock::start(), ahead(0), false, &mut UnitTable::default());
        assert_eq!(worked, bits as u8 == 1, "{bits:#x}");
    }
}

#[test]
fn a_control_unit_does_not_fall_asleep_over_a_request_and_is_woken_by_one() {
    let (_directory, mut adapter) = adapter(true, true);
    let visitor = Visitor::of(&mut adapter, 1, 1).unwrap();
    assert!(!visitor.area.is_asleep());
    assert!(adapter.before_sleep() && visitor.area.is_asleep());
    let mut function = Function::default();
    function.post(&visitor.area.slot(0), &READ, &[]);
    assert!(!adapter.before_sleep(), "one has come");
    visitor.waker.set();
    adapter.after_sleep();
    assert!(!visitor.area.is_asleep());
    assert!(adapter.turn(&Clock::start(), ahead(0), false, &mut UnitTable::default()));
    let completion = function.poll(&visitor.area.slot(0), &mut Vec::new());
    assert_eq!(completion, Some(Completion::Remote(RemoteReject::NotCapable)));
}

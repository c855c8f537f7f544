//! Laws of packets and queue pairs of RoCE. The tests of `roce` run the committed corpus and random octets through the same
//! function.
//!
//! Nothing is written outside of registered memory and of what was permitted before, whatever comes. Between ends that only
//! links disturb, each octet is written once and is the right one, work is completed in order, and a run comes to its end.

use core::net::{Ipv4Addr, Ipv6Addr};
use std::collections::VecDeque;
use std::num::NonZeroU16;

use halftrack_base::{Span, Time};
use halftrack_roce::packet::{
    Immediate, Mtu, PACKET_BYTES_MAX, Packet, Path, Psn, QueuePairNumber, Rkey, RnrTimer, icrc,
};
use halftrack_roce::queue_pair::{
    AccessError, LocalSpan, Memory, Message, Outcome, QueuePair, Received, Remote, Settings, Work, WorkId,
};

/// Key of memory that may be written, and of memory that may not.
const KEYS: [Rkey; 2] = [Rkey(0x11), Rkey(0x22)];
/// First address of the memory, and its octets.
const REGION: (u64, usize) = (0x7000_0000_0000_1000, 4096);
/// Octets before and behind the memory that must stay as they are.
const GUARD_BYTES: usize = 512;
/// Most packets on the link in one direction.
const LINK_PACKETS: usize = 64;
/// Rounds of undisturbed packets in which a run must have come to its end.
const ROUNDS_MAX: usize = 2_000;

/// Octets that decide what happens.
struct Script<'a>(&'a [u8]);

impl<'a> Script<'a> {
    fn octet(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    fn number(&mut self) -> u32 {
        u32::from(self.octet()) << 8 | u32::from(self.octet())
    }

    fn take(&mut self, bytes: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(bytes.min(self.0.len()));
        self.0 = rest;
        taken
    }
}

/// Memory with guards, and what the queue pair was permitted.
struct Region {
    octets: Vec<u8>,
    writes: Vec<u16>,
    permitted: std::cell::Cell<(u64, u64)>,
}

impl Memory for Region {
    fn check(&self, rkey: Rkey, address: u64, length_bytes: u32) -> Result<(), AccessError> {
        assert!(length_bytes > 0, "nothing is to be checked");
        let end = address.checked_add(u64::from(length_bytes) - 1).expect("the last octet has an address");
        if rkey != KEYS[0] {
            return Err(if rkey == KEYS[1] { AccessError::Permission } else { AccessError::Key });
        }
        if address < REGION.0 || end >= REGION.0 + REGION.1 as u64 {
            return Err(AccessError::Bounds);
        }
        self.permitted.set((address, end));
        Ok(())
    }

    fn write(&mut self, rkey: Rkey, address: u64, octets: &[u8]) -> Result<(), AccessError> {
        let (first, last) = self.permitted.get();
        let end = address.checked_add(octets.len() as u64 - 1).expect("the last octet has an address");
        assert!(rkey == KEYS[0] && first <= address && end <= last, "octets that were not permitted");
        let start = GUARD_BYTES + (address - REGION.0) as usize;
        self.octets[start..start + octets.len()].copy_from_slice(octets);
        self.writes[start..start + octets.len()].iter_mut().for_each(|count| *count += 1);
        Ok(())
    }
}

/// One end, and packets on their way to it.
struct End {
    pair: QueuePair,
    memory: Region,
    peer_path: Path,
    arriving: VecDeque<Vec<u8>>,
    posted: Vec<Work>,
    completed: usize,
    has_failed: bool,
    /// Works of the peer that took a receive here.
    received: usize,
    /// First octet of the peer's memory that no work was posted for.
    offset: u32,
}

struct Run {
    ends: [End; 2],
    now: Time,
    /// No packet came that an end had not sent.
    is_honest: bool,
}

/// Reads octets as a packet, with their CRC and with the right one, and lets them lead two queue pairs.
pub fn roce_packet(octets: &[u8]) {
    let path = paths(false)[0];
    check_packet(&path, octets);
    let mut sealed = octets[..octets.len().min(PACKET_BYTES_MAX - 4)].to_vec();
    seal(&path, &mut sealed);
    check_packet(&path, &sealed);

    let mut script = Script(octets);
    let mut run = Run::new(&mut script);
    while !script.0.is_empty() {
        run.step(&mut script);
    }
    run.finish();
}

fn check_packet(path: &Path, octets: &[u8]) {
    let Ok(packet) = Packet::decode(path, octets) else { return };
    let mut buffer = [0xEE; PACKET_BYTES_MAX];
    let bytes = packet.encode(path, &mut buffer).expect("it was read");
    assert_eq!(bytes, octets.len());
    assert_eq!(Packet::decode(path, &buffer[..bytes]), Ok(packet));
}

/// Appends the CRC.
fn seal(path: &Path, octets: &mut Vec<u8>) {
    let crc = icrc(path, octets);
    octets.extend(crc);
}

fn paths(is_v6: bool) -> [Path; 2] {
    let (a, b) = (Ipv4Addr::new(10, 1, 0, 1), Ipv4Addr::new(10, 1, 0, 2));
    if is_v6 {
        let (a, b): (Ipv6Addr, Ipv6Addr) = (a.to_ipv6_mapped(), b.to_ipv6_mapped());
        [Path::v6(a, b, 50_000), Path::v6(b, a, 50_001)]
    } else {
        [Path::v4(a, b, 50_000), Path::v4(b, a, 50_001)]
    }
}

/// Returns the octet at an address of the memory that an end sends from.
fn source_octet(side: usize, address: u64) -> u8 {
    (1 + (address % 251) as u8) ^ ((side as u8) << 7)
}

fn takes_receive(work: &Work) -> bool {
    matches!(work, Work::Send { .. } | Work::Write { immediate: Some(_), .. })
}

impl Run {
    fn new(script: &mut Script<'_>) -> Self {
        let (kind, sizes) = (script.octet(), script.octet());
        let paths = paths(kind & 1 != 0);
        let numbers = [QueuePairNumber::new(0x11_0001), QueuePairNumber::new(0x22_0002)];
        let psns = [Psn::new(0xFF_FFF0 + u32::from(kind >> 4)), Psn::new(script.number())];
        let small = |number: u8| NonZeroU16::new(u16::from(number) + 1).expect("not zero");
        let ends = [0, 1].map(|at: usize| {
            let mut settings = Settings::new(paths[at], numbers[at], numbers[1 - at]);
            (settings.send_psn, settings.receive_psn) = (psns[at], psns[1 - at]);
            settings.mtu = Mtu::Octets256;
            settings.window_packets = small(sizes & 15);
            settings.acknowledge_packets = small(sizes >> 4 & 3);
            settings.send_depth = small(7);
            settings.receive_depth = small(3);
            settings.retries = kind >> 1 & 7;
            settings.rnr_retries = (sizes & 0x80 != 0).then_some(2);
            settings.rnr_timer = RnrTimer::new(1);
            settings.timeout = Span::from_us(100);
            let bytes = REGION.1 + 2 * GUARD_BYTES;
            End {
                pair: QueuePair::new(settings),
                memory: Region { octets: vec![0; bytes], writes: vec![0; bytes], permitted: (1, 0).into() },
                peer_path: paths[1 - at],
                arriving: VecDeque::new(),
                posted: Vec::new(),
                completed: 0,
                has_failed: false,
                received: 0,
                offset: 0,
            }
        });
        Self { ends, now: Time::ZERO, is_honest: true }
    }

    fn step(&mut self, script: &mut Script<'_>) {
        let kind = script.octet();
        let at = usize::from(kind >> 7);
        match kind & 0x0F {
            0 | 1 => self.post_write(at, script),
            2 => self.post_send(at, script),
            3 | 4 => self.transmit(at, 1 + usize::from(kind >> 4 & 7)),
            5 | 6 => (0..=kind >> 4 & 7).for_each(|_| self.deliver(at)),
            7 => drop(self.ends[at].arriving.pop_front()),
            8 if self.ends[at].arriving.len() > 1 => self.ends[at].arriving.swap(0, 1),
            8 | 9 => {
                if let Some(first) = self.ends[at].arriving.front().cloned() {
                    self.ends[at].arriving.push_back(first);
                }
            }
            10 => self.change(at, script),
            11 => self.forge(at, script),
            12 => self.advance(Span::from_us(u64::from(script.octet()))),
            13 => drop(self.ends[at].pair.post_receives(u16::from(kind >> 4 & 7))),
            14 => self.take(at),
            _ if script.octet() < 8 => self.ends[at].pair.close(),
            _ => self.take(at),
        }
    }

    fn post(&mut self, at: usize, work: Work) {
        let end = &mut self.ends[at];
        if end.pair.post(WorkId(end.posted.len() as u64), work).is_ok() {
            end.posted.push(work);
        }
    }

    /// Posts a write behind the last, or anywhere with any key.
    fn post_write(&mut self, at: usize, script: &mut Script<'_>) {
        let kind = script.octet();
        let left_bytes = REGION.1 as u32 - self.ends[at].offset;
        let length_bytes = (script.number() % 1200).min(left_bytes);
        let immediate = (kind & 1 != 0).then_some(Immediate(kind.into()));
        let from = LocalSpan { address: self.ends[at].offset.into(), length_bytes };
        let mut to = Remote { rkey: KEYS[0], address: REGION.0 + u64::from(self.ends[at].offset) };
        if kind > 250 {
            to = Remote {
                rkey: Rkey(script.octet().into()),
                address: REGION.0 - 64 + u64::from(script.number()),
            };
            self.is_honest = false;
        }
        let before = self.ends[at].posted.len();
        self.post(at, Work::Write { from, to, immediate });
        if self.ends[at].posted.len() > before {
            self.ends[at].offset += length_bytes;
        }
    }

    fn post_send(&mut self, at: usize, script: &mut Script<'_>) {
        let bytes = usize::from(script.octet() % 45);
        let message = Message::new(script.take(bytes)).expect("short");
        self.post(at, Work::Send { message, immediate: None });
    }

    /// Puts packets of an end on the link.
    fn transmit(&mut self, from: usize, packets: usize) {
        let load = |address: u64, into: &mut [u8]| {
            (address..).zip(into).for_each(|(address, octet)| *octet = source_octet(from, address));
        };
        let mut buffer = [0xEE; PACKET_BYTES_MAX];
        for _ in 0..packets {
            if self.ends[1 - from].arriving.len() >= LINK_PACKETS {
                return;
            }
            let Some(bytes) = self.ends[from].pair.poll_transmit(self.now, &load, &mut buffer) else {
                return;
            };
            self.ends[1 - from].arriving.push_back(buffer[..bytes].to_vec());
        }
    }

    fn deliver(&mut self, to: usize) {
        let Some(octets) = self.ends[to].arriving.pop_front() else { return };
        self.hand(to, &octets);
    }

    fn hand(&mut self, to: usize, octets: &[u8]) {
        let end = &mut self.ends[to];
        if let Ok(packet) = Packet::decode(&end.peer_path, octets) {
            end.pair.receive(self.now, &packet, &mut end.memory);
        }
    }

    /// Changes an octet of the first packet on the link; a forger gives it the CRC.
    fn change(&mut self, at: usize, script: &mut Script<'_>) {
        let (kind, place, value) = (script.octet(), script.octet(), script.octet());
        let path = self.ends[at].peer_path;
        let Some(first) = self.ends[at].arriving.front_mut() else { return };
        let place = usize::from(place) % first.len();
        first[place] ^= value;
        if kind & 1 != 0 {
            first.truncate(first.len() - 4);
            seal(&path, first);
            self.is_honest = false;
        }
    }

    /// Hands an end a packet of any opcode whose number is near those that it has to do with.
    fn forge(&mut self, at: usize, script: &mut Script<'_>) {
        let settings = *self.ends[at].pair.settings();
        let (opcode, flags, near) = (script.octet() % 20, script.octet(), script.octet());
        let first = if opcode == 17 { settings.send_psn } else { settings.receive_psn };
        let psn = first.plus(near.into()).minus(16);
        let mut octets = vec![opcode, flags & 0xF0, 0xFF, 0xFF];
        octets.extend(settings.number.get().to_be_bytes());
        octets.extend(psn.get().to_be_bytes());
        octets[8] = flags & 0x80;
        if matches!(opcode, 6 | 10 | 11) {
            octets.extend((REGION.0 - 32 + u64::from(script.number())).to_be_bytes());
            octets.extend(u32::from(script.octet()).to_be_bytes());
            octets.extend(script.number().to_be_bytes());
        }
        let bytes = if flags & 8 != 0 { 256 } else { usize::from(script.octet() % 64) };
        octets.extend(script.take(bytes));
        let is_whole_packet = flags & 8 != 0 && octets.len() < 300;
        octets.resize(octets.len().next_multiple_of(4).max(if is_whole_packet { 268 } else { 12 }), 7);
        let path = self.ends[at].peer_path;
        seal(&path, &mut octets);
        self.is_honest = false;
        self.hand(at, &octets);
    }

    fn advance(&mut self, span: Span) {
        self.now += span;
        self.ends.iter_mut().for_each(|end| end.pair.handle_timeout(self.now));
    }

    /// Takes completions and messages, and compares them.
    fn take(&mut self, at: usize) {
        while let Some(completion) = self.ends[at].pair.poll_completion() {
            let end = &mut self.ends[at];
            assert_eq!(completion.id, WorkId(end.completed as u64), "in order");
            let has_failed = end.has_failed;
            match completion.outcome {
                Outcome::Done => assert!(!has_failed),
                Outcome::Failed(reason) => {
                    assert!(!has_failed && end.pair.failure() == Some(reason));
                    end.has_failed = true;
                }
                Outcome::Flushed => assert!(has_failed),
            }
            end.completed += 1;
            if self.is_honest && completion.outcome == Outcome::Done {
                let completed = self.ends[at].completed;
                self.check_arrived(at, completed - 1..completed);
            }
        }
        while let Some(received) = self.ends[at].pair.poll_received() {
            if !self.is_honest {
                continue;
            }
            let (works, first) = (&self.ends[1 - at].posted, self.ends[at].received);
            let index = first + works[first..].iter().position(takes_receive).expect("it was posted");
            let expected = match works[index] {
                Work::Send { message, immediate } => Received::Message { message, immediate },
                Work::Write { from, immediate, .. } => {
                    let immediate = immediate.expect("it takes a receive");
                    Received::Written { length_bytes: from.length_bytes, immediate }
                }
            };
            assert_eq!(received, expected);
            self.ends[at].received = index + 1;
            self.check_arrived(1 - at, first..index + 1);
        }
    }

    /// Asserts that works of an end are in the memory of the other.
    fn check_arrived(&self, from: usize, works: std::ops::Range<usize>) {
        for work in &self.ends[from].posted[works] {
            if let Work::Write { from: span, .. } = work {
                let memory = &self.ends[1 - from].memory;
                let is_right = |address: u64| {
                    let place = GUARD_BYTES + address as usize;
                    memory.octets[place] == source_octet(from, address) && memory.writes[place] == 1
                };
                assert!((span.address..span.address + u64::from(span.length_bytes)).all(is_right));
            }
        }
    }

    fn check(&self) {
        for end in &self.ends {
            let is_untouched =
                |range: std::ops::Range<usize>| end.memory.writes[range].iter().all(|&count| count == 0);
            assert!(is_untouched(0..GUARD_BYTES));
            assert!(is_untouched(GUARD_BYTES + REGION.1..end.memory.writes.len()));
            assert!(!self.is_honest || end.memory.writes.iter().all(|&count| count <= 1), "written once");
        }
    }

    /// Lets everything come to its end, undisturbed.
    fn finish(&mut self) {
        for _ in 0..ROUNDS_MAX {
            for at in 0..2 {
                self.ends[at].pair.post_receives(4);
                self.transmit(at, LINK_PACKETS);
                (0..2 * LINK_PACKETS).for_each(|_| self.deliver(at));
                self.take(at);
            }
            let is_over = |end: &End| end.completed == end.posted.len() && end.arriving.is_empty();
            if self.ends.iter().all(is_over) {
                break;
            }
            let next = self.ends.iter().filter_map(|end| end.pair.poll_timeout()).min();
            if let Some(next) = next {
                self.advance(next.saturating_since(self.now));
            }
        }
        self.check();
        for end in &self.ends {
            assert!(end.completed == end.posted.len() || !self.is_honest, "work without an end");
            assert!(end.completed == end.posted.len() || end.pair.failure().is_none(), "work is not flushed");
        }
    }
}

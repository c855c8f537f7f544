//! Laws of the ends of a link group. The tests of `smc_stack` run the committed corpus and random octets through the same
//! function.
//!
//! Between ends that only paths disturb, no octet of a stream is another, and no end violates the protocol. Whatever else
//! comes, links and buffers stay within their bounds, and a run comes to its end.

use core::net::{IpAddr, Ipv4Addr};
use std::collections::VecDeque;

use halftrack_base::{Span, Time};
use halftrack_roce::packet::{ICRC_BYTES, PACKET_BYTES_MAX, Path, icrc};
use halftrack_smc::buffer::ElementSize;
use halftrack_smc::connection::StreamError;
use halftrack_smc::link_group::{End, LINKS_MAX, PORTS_MAX, PortNumber, Role};
use halftrack_smc::message::clc::Endpoint;
use halftrack_smc::message::{AlertToken, Mac, Mtu, PeerId, Rkey};
use halftrack_smc_stack::{PortSettings, Settings, Stack};

/// Most packets on the way to an end.
const ARRIVING_MAX: usize = 400;
/// Most connections of a run.
const TALKS_MAX: usize = 6;
/// Rounds of undisturbed packets in which a run must have come to its end.
const ROUNDS_MAX: usize = 4_000;
/// Time of these rounds.
const LAST_SPAN: Span = Span::from_s(40);
/// Octets of a packet before the payload of a SEND.
const HEADER_BYTES: usize = 12;

/// Octets that decide what happens.
struct Script<'a>(&'a [u8]);

/// Packet on its way.
#[derive(Clone)]
struct Arrival {
    port: PortNumber,
    path: Path,
    from: (IpAddr, u16),
    octets: Vec<u8>,
}

/// Connection, by its names at both ends, and places of both streams, by their senders.
struct Talk {
    tokens: [AlertToken; 2],
    sent: [u64; 2],
    got: [u64; 2],
    is_closed: [bool; 2],
}

struct Run {
    ends: [Stack; 2],
    now: Time,
    arriving: [VecDeque<Arrival>; 2],
    talks: Vec<Talk>,
    has_port: [[bool; PORTS_MAX]; 2],
    scratch: Vec<u8>,
    /// No message came that an end had not sent.
    is_honest: bool,
}

impl Script<'_> {
    fn octet(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    fn number(&mut self) -> usize {
        usize::from(self.octet()) << 8 | usize::from(self.octet())
    }
}

/// Lets octets lead two ends.
pub fn smc_stack(octets: &[u8]) {
    let mut script = Script(octets);
    let mut run = Run::new(script.octet());
    while !script.0.is_empty() {
        run.step(&mut script);
        run.check();
    }
    run.finish();
}

fn address(at: usize, port: PortNumber) -> IpAddr {
    Ipv4Addr::new(10, port.index() as u8, 0, at as u8 + 1).into()
}

fn port_settings(at: usize, port: PortNumber) -> PortSettings {
    let mac = Mac([2, 0, 0, 0, at as u8, port.index() as u8]);
    PortSettings { mac, address: address(at, port), source_port: 50_000, mtu: Mtu(1) }
}

/// Returns the octet at a place of a stream.
fn octet(talk: usize, from: usize, place: u64) -> u8 {
    (place % 251) as u8 ^ (place / 16_384) as u8 ^ ((2 * talk + from) as u8).wrapping_mul(37)
}

impl Run {
    fn new(kind: u8) -> Self {
        let has_port = [0, 2].map(|shift| [true, kind >> shift & 3 != 0]);
        let ends = [0, 1].map(|at: usize| {
            let ports =
                PortNumber::ALL.map(|port| has_port[at][port.index()].then(|| port_settings(at, port)));
            Stack::new(Settings {
                role: if at == 0 { Role::Server } else { Role::Client },
                peer: PeerId([at as u8; 8]),
                ports,
                size: ElementSize::default(),
                elements: 2,
                seed: at as u32 + 1,
            })
        });
        let arriving = [VecDeque::new(), VecDeque::new()];
        Self {
            ends,
            now: Time::ZERO,
            arriving,
            talks: Vec::new(),
            has_port,
            scratch: vec![0; 20_000],
            is_honest: true,
        }
    }

    fn step(&mut self, script: &mut Script<'_>) {
        let kind = script.octet();
        let at = usize::from(kind >> 7);
        let count = usize::from(kind >> 4 & 7);
        match kind & 0x0F {
            0 => self.connect(script),
            1 | 2 => self.send(at, count, script.number() % 20_000),
            3 | 4 => _ = self.receive(at, count, script.number() % 20_000),
            5 | 6 => {
                self.transmit(at);
                (0..=4 * count).for_each(|_| self.deliver(1 - at));
            }
            7 => (0..=count).for_each(|_| self.deliver(at)),
            8 => drop(self.arriving[at].drain(..self.arriving[at].len().min(1 << count))),
            9 => self.reorder(at, count, script.octet()),
            10 => self.forge(at, script),
            11 => self.close(at, count, script.octet()),
            12 => self.advance(Span::from_ms(1 << (2 * count))),
            13 => self.set_port(at, if count & 1 != 0 { PortNumber::Second } else { PortNumber::First }),
            _ => {
                for _ in 0..=4 * count {
                    (0..2).for_each(|at| self.transmit(at));
                    (0..2).for_each(|at| self.deliver(at));
                }
            }
        }
    }

    fn connect(&mut self, script: &mut Script<'_>) {
        if self.talks.len() >= TALKS_MAX {
            return;
        }
        let kind = script.octet();
        let Ok(accept) = self.ends[0].accept(self.now) else { return };
        let changed = self.changed(accept, kind & 0x0F);
        let Ok(confirm) = self.ends[1].confirm(self.now, &changed) else {
            self.ends[0].abort(self.now, accept.token);
            return;
        };
        let changed = self.changed(confirm, kind >> 4);
        if self.ends[0].confirmed(self.now, accept.token, &changed).is_err() {
            self.ends[1].abort(self.now, confirm.token);
            return;
        }
        let tokens = [accept.token, confirm.token];
        self.talks.push(Talk { tokens, sent: [0; 2], got: [0; 2], is_closed: [false; 2] });
    }

    /// Returns an end of the rendezvous with another field, for some choices.
    fn changed(&mut self, mut end: Endpoint, choice: u8) -> Endpoint {
        self.is_honest &= !(10..16).contains(&choice);
        match choice {
            10 => end.buffer.rkey = Rkey(end.buffer.rkey.0 ^ 1),
            11 => end.element = end.element.wrapping_sub(1),
            12 => end.compressed_size = 9,
            13 => end.mtu = Mtu(0),
            14 => end.is_first_contact = !end.is_first_contact,
            15 => end.token = AlertToken(end.token.0 ^ 3),
            _ => {}
        }
        end
    }

    fn send(&mut self, at: usize, talk: usize, bytes: usize) {
        let Some(one) = self.talks.get_mut(talk) else { return };
        let octets: Vec<u8> = (one.sent[at]..).take(bytes).map(|place| octet(talk, at, place)).collect();
        if let Ok(taken) = self.ends[at].send(one.tokens[at], &octets) {
            one.sent[at] += taken as u64;
        }
    }

    fn receive(&mut self, at: usize, talk: usize, bytes: usize) -> usize {
        let Some(one) = self.talks.get_mut(talk) else { return 0 };
        let octets = &mut self.scratch[..bytes];
        let taken = match self.ends[at].receive(one.tokens[at], octets) {
            Ok(taken) => taken,
            Err(StreamError::Reset | StreamError::ShutDown | StreamError::PeerClosed) => return 0,
        };
        if self.is_honest {
            for &found in &octets[..taken] {
                assert_eq!(found, octet(talk, 1 - at, one.got[1 - at]));
                one.got[1 - at] += 1;
            }
            assert!(one.got[1 - at] <= one.sent[1 - at]);
        }
        taken
    }

    fn close(&mut self, at: usize, talk: usize, kind: u8) {
        let Some(one) = self.talks.get_mut(talk) else { return };
        match kind % 3 {
            0 => return self.ends[at].shut_down(one.tokens[at]),
            1 => self.ends[at].close(self.now, one.tokens[at]),
            _ => self.ends[at].abort(self.now, one.tokens[at]),
        }
        one.is_closed[at] = true;
    }

    /// Puts packets of an end on their paths.
    fn transmit(&mut self, from: usize) {
        let mut buffer = [0xEE; PACKET_BYTES_MAX];
        while self.arriving[1 - from].len() < ARRIVING_MAX
            && let Some(datagram) = self.ends[from].poll_transmit(self.now, &mut buffer)
        {
            let source = address(from, datagram.port);
            let is_of = |port: &PortNumber| address(1 - from, *port) == datagram.destination;
            let Some(port) = PortNumber::ALL.into_iter().find(is_of) else {
                assert!(!self.is_honest, "an address that no end has");
                continue;
            };
            let (IpAddr::V4(own), IpAddr::V4(peer)) = (source, datagram.destination) else { continue };
            let path = Path::v4(own, peer, 50_000);
            let octets = buffer[..datagram.bytes].to_vec();
            if self.has_port[1 - from][port.index()] && self.has_port[from][datagram.port.index()] {
                self.arriving[1 - from].push_back(Arrival { port, path, from: (source, 50_000), octets });
            }
        }
    }

    fn deliver(&mut self, to: usize) {
        if let Some(Arrival { port, from, octets, .. }) = self.arriving[to].pop_front() {
            self.ends[to].handle_datagram(self.now, port, from, &octets);
        }
    }

    /// Moves a packet behind others, or doubles it.
    fn reorder(&mut self, at: usize, place: usize, kind: u8) {
        let Some(first) = self.arriving[at].get(place).cloned() else { return };
        if kind & 1 == 0 {
            self.arriving[at].remove(place);
        }
        self.arriving[at].push_back(first);
    }

    /// Changes a message on its way, and gives it the CRC.
    fn forge(&mut self, at: usize, script: &mut Script<'_>) {
        let (place, kind, offset, value) = (script.octet(), script.octet(), script.octet(), script.octet());
        let messages =
            self.arriving[at].iter_mut().filter(|arrival| arrival.octets[0] == 4 || kind & 0x80 != 0);
        let Some(arrival) = messages.into_iter().nth(usize::from(place)) else { return };
        let octets = &mut arrival.octets;
        octets.truncate(octets.len() - ICRC_BYTES);
        if kind & 0x40 != 0 && octets.len() >= HEADER_BYTES + 44 {
            // Another kind of message, or a response.
            octets[HEADER_BYTES] = kind & 0x0F;
            octets[HEADER_BYTES + 3] = value;
        } else {
            let offset = usize::from(offset) % (octets.len() - 1) + 1;
            octets[offset] ^= value;
        }
        let crc = icrc(&arrival.path, octets);
        octets.extend(crc);
        self.is_honest = false;
    }

    fn advance(&mut self, span: Span) {
        self.now += span;
        self.ends.iter_mut().for_each(|end| end.handle_timeout(self.now));
    }

    /// Changes the state of a port.
    fn set_port(&mut self, at: usize, port: PortNumber) {
        let is_up = !self.has_port[at][port.index()];
        self.has_port[at][port.index()] = is_up;
        if is_up {
            self.ends[at].handle_port_up(self.now, port, port_settings(at, port));
        } else {
            self.ends[at].handle_port_down(self.now, port);
        }
    }

    fn check(&self) {
        for end in &self.ends {
            let Some(group) = end.group() else { continue };
            assert!(group.links().count() <= LINKS_MAX);
            let is_fair = !matches!(end.end(), Some(End::Violation | End::Peer(_) | End::EyeCatchers));
            assert!(is_fair || !self.is_honest, "{:?}", end.end());
        }
    }

    /// Lets everything come to its end, undisturbed.
    fn finish(&mut self) {
        let end = self.now + LAST_SPAN;
        for _ in 0..ROUNDS_MAX {
            let mut has_moved = false;
            for at in 0..2 {
                self.transmit(at);
                has_moved |= !self.arriving[1 - at].is_empty();
                (0..ARRIVING_MAX).for_each(|_| self.deliver(1 - at));
                for talk in 0..self.talks.len() {
                    has_moved |= self.receive(at, talk, 20_000) > 0;
                }
            }
            let due = self.ends.iter().filter_map(Stack::poll_timeout).min();
            // Idle links are tested without end.
            match due.filter(|_| self.now < end) {
                Some(due) if !has_moved => self.advance(due.saturating_since(self.now)),
                None if !has_moved => return self.check_whole(),
                _ => {}
            }
            self.check();
        }
        assert!(!self.is_honest, "the run does not end");
    }

    /// Asserts that connections which nobody ended have all octets, or that their group has ended.
    fn check_whole(&self) {
        let has_ended = self.ends.iter().any(|end| end.end().is_some());
        for talk in self.talks.iter().filter(|talk| talk.is_closed == [false; 2]) {
            assert!(!self.is_honest || has_ended || talk.got == talk.sent, "{:?} {:?}", talk.got, talk.sent);
        }
    }
}

//! One run: connections with streams in both directions, faults, and a disaster at some step.

use halftrack_base::Span;
use halftrack_smc::connection::StreamError;
use halftrack_smc::link_group::{GroupState, PortNumber};
use halftrack_smc::message::AlertToken;

use crate::network::{Faults, Network, port_settings};

/// Steps in which a run must have come to its end.
const STEPS_MAX: usize = 400_000;

/// Disaster of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disaster {
    Nothing,
    /// A path that carries nothing any more; neither end is informed.
    Pulled {
        at: usize,
        port: PortNumber,
    },
    /// A port whose end alone is informed, and that may come again.
    PortDown {
        at: usize,
        port: PortNumber,
        comes_again: bool,
    },
    /// An end that does nothing any more.
    Killed(usize),
}

/// Stream of one direction of a connection.
#[derive(Debug, Clone, Copy, Default)]
pub struct Stream {
    pub length: u64,
    pub sent: u64,
    pub got: u64,
    pub is_shut_down: bool,
    pub is_ended: bool,
    /// The sender, or the receiver, found an error.
    pub has_failed: [bool; 2],
}

pub struct Talk {
    pub tokens: [AlertToken; 2],
    /// Streams by their senders.
    pub streams: [Stream; 2],
    is_closed: [bool; 2],
    number: u64,
}

pub struct Run {
    pub network: Network,
    pub talks: Vec<Talk>,
    pub disaster: Disaster,
    pub was_symmetric: bool,
    /// Connections that are still to be made.
    left: u64,
}

/// Returns the octet at a place of a stream.
fn octet(stream: u64, place: u64) -> u8 {
    (place % 251) as u8 ^ (place / 16_384) as u8 ^ (stream as u8).wrapping_mul(37)
}

impl Run {
    pub fn new(seed: u64) -> Self {
        let ports = [3, 9].map(|part: u64| 2 - usize::from((seed / part).is_multiple_of(3)));
        let mut network = Network::new(seed, ports, 2);
        let chance = &mut network.chance;
        if !seed.is_multiple_of(5) {
            network.faults = Faults {
                lost: chance.one_of(&[0, 5, 20, 20, 300]),
                duplicated: chance.one_of(&[0, 10, 100]),
                jitter_us: chance.one_of(&[0, 5, 60, 60]),
                late: chance.one_of(&[0, 0, 10]),
            };
        }
        let (at, port) = (chance.below(2) as usize, chance.one_of(&PortNumber::ALL));
        let disaster = match seed % 8 {
            0 | 1 => Disaster::Nothing,
            2..=4 => Disaster::Pulled { at, port },
            5 | 6 => Disaster::PortDown { at, port, comes_again: chance.happens(500) },
            _ => Disaster::Killed(at),
        };
        let left = 1 + chance.below(4);
        Self { network, talks: Vec::new(), disaster, was_symmetric: false, left }
    }

    /// Returns true when so few packets are lost that no link fails by itself.
    pub fn is_mild(&self) -> bool {
        self.network.faults.lost <= 20 && self.network.faults.late == 0
    }

    /// Runs until every stream has come to its end, or nothing can happen any more.
    pub fn go(&mut self) {
        let strikes_at = self.network.chance.below(1_500) as usize;
        let comes_again_at = strikes_at + 1_000;
        for step in 0..STEPS_MAX {
            if step == strikes_at {
                self.strike();
            }
            if step == comes_again_at
                && let Disaster::PortDown { at, port, comes_again: true } = self.disaster
            {
                self.network.is_pulled[at][port.index()] = false;
                let now = self.network.now;
                self.network.ends[at].handle_port_up(now, port, port_settings(at, port));
            }
            if self.left > 0 && self.network.chance.happens(20) {
                self.connect();
            }
            // Applications act at some of the steps, and whenever the network waits for them.
            let are_awake = self.network.is_quiet() || self.network.chance.happens(150);
            if are_awake {
                (0..self.talks.len()).for_each(|talk| self.talk(talk));
            }
            let is_over = self.left == 0 && self.talks.iter().all(Talk::is_over);
            // Idle links are tested without end.
            let longest = if is_over { Span::from_ms(500) } else { Span::from_s(60) };
            if !self.network.step(longest) && !self.is_waiting() {
                return;
            }
        }
        let streams: Vec<_> = self.talks.iter().map(|talk| (talk.streams, talk.is_closed)).collect();
        panic!("the run does not end, {} connections are left: {:?} {streams:?}", self.left, self.disaster);
    }

    /// Returns whether connections are still to be made.
    fn is_waiting(&self) -> bool {
        let is_dead = self.network.is_killed.contains(&true);
        self.left > 0 && !is_dead && self.network.ends.iter().all(|end| end.end().is_none())
    }

    fn strike(&mut self) {
        let states = [0, 1].map(|at: usize| self.network.ends[at].state());
        self.was_symmetric = states == [GroupState::Symmetric; 2];
        match self.disaster {
            Disaster::Nothing => {}
            Disaster::Pulled { at, port } => self.network.is_pulled[at][port.index()] = true,
            Disaster::PortDown { at, port, .. } => {
                self.network.is_pulled[at][port.index()] = true;
                let now = self.network.now;
                self.network.ends[at].handle_port_down(now, port);
            }
            Disaster::Killed(at) => self.network.is_killed[at] = true,
        }
    }

    fn connect(&mut self) {
        let is_dead = self.network.is_killed.contains(&true);
        if is_dead || self.network.ends.iter().any(|end| end.end().is_some()) {
            self.left = 0;
            return;
        }
        // Where no element is free, a buffer is on its way.
        let Some(tokens) = self.network.connect() else { return };
        self.left -= 1;
        let streams = [0, 1].map(|_| Stream {
            length: self.network.chance.one_of(&[0, 1, 20_000, 40_000, 80_000]),
            ..Stream::default()
        });
        let number = self.talks.len() as u64;
        self.talks.push(Talk { tokens, streams, is_closed: [false; 2], number });
    }

    /// Lets both applications of a connection do what they can.
    fn talk(&mut self, talk: usize) {
        for at in 0..2 {
            let talk = &mut self.talks[talk];
            if self.network.is_killed[at] || talk.is_closed[at] {
                continue;
            }
            let is_broken =
                talk.send(&mut self.network, at).is_err() | talk.receive(&mut self.network, at).is_err();
            let (now, end) = (self.network.now, &mut self.network.ends[at]);
            if is_broken {
                talk.streams[at].has_failed[0] = true;
                talk.streams[1 - at].has_failed[1] = true;
            }
            if is_broken || talk.streams[at].is_shut_down && talk.streams[1 - at].is_ended {
                end.close(now, talk.tokens[at]);
                talk.is_closed[at] = true;
            }
        }
    }
}

impl Talk {
    /// Returns whether both applications have closed.
    pub fn is_over(&self) -> bool {
        self.is_closed == [true; 2]
    }

    fn send(&mut self, network: &mut Network, at: usize) -> Result<(), StreamError> {
        let (stream, name) = (&mut self.streams[at], self.number * 2 + at as u64);
        if stream.is_shut_down {
            return Ok(());
        }
        let wanted = (stream.length - stream.sent).min(1 + network.chance.below(9_000));
        let octets: Vec<u8> = (stream.sent..stream.sent + wanted).map(|place| octet(name, place)).collect();
        stream.sent += network.ends[at].send(self.tokens[at], &octets)? as u64;
        if stream.sent == stream.length {
            network.ends[at].shut_down(self.tokens[at]);
            stream.is_shut_down = true;
        }
        Ok(())
    }

    fn receive(&mut self, network: &mut Network, at: usize) -> Result<(), StreamError> {
        let (stream, name) = (&mut self.streams[1 - at], self.number * 2 + 1 - at as u64);
        let mut octets = [0; 9_000];
        let wanted = 1 + network.chance.below(9_000) as usize;
        let bytes = network.ends[at].receive(self.tokens[at], &mut octets[..wanted])?;
        for &found in &octets[..bytes] {
            assert_eq!(found, octet(name, stream.got), "octet {} of stream {name}", stream.got);
            stream.got += 1;
        }
        assert!(stream.got <= stream.sent);
        if network.ends[at].is_end(self.tokens[at]) {
            assert_eq!(stream.got, stream.length, "an end before the last octet");
            stream.is_ended = true;
        }
        Ok(())
    }
}

//! Two ends of a connection, a link in each direction that may be lost, and the octets that move.

use std::collections::VecDeque;

use crate::buffer::{ElementSize, ElementSpan};
use crate::connection::{Connection, Settings, Transmission};
use crate::message::{AlertToken, Cdc, ProducerFlags};

/// Something planted, which a check must find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mistake {
    /// None.
    Nothing,
    /// An end does not begin again after a loss.
    NoFailover,
    /// Validations are dropped on the way.
    NoValidation,
    /// A message overtakes its octets.
    MessageFirst,
    /// Octets are written one place further.
    Shifted,
}

/// One end, its memory, and the link to the other.
pub struct End {
    pub connection: Connection,
    ring: Vec<u8>,
    element: Vec<u8>,
    pub sent: u64,
    pub got: u64,
    /// Writes and messages on their way to the other end, with the octets.
    on_link: VecDeque<(Transmission, Vec<u8>)>,
    /// Numbers of messages that arrived and whose completions have not come back.
    uncompleted: VecDeque<u16>,
}

pub struct Rig {
    pub ends: [End; 2],
    pub mistake: Mistake,
}

/// Returns the octet at a place of either stream.
fn octet(at: u64) -> u8 {
    (at % 251) as u8 ^ (at / 16_384) as u8
}

fn range(span: ElementSpan) -> std::ops::Range<usize> {
    span.offset as usize..(span.offset + span.length_bytes) as usize
}

fn end(token: u32, peer_token: u32) -> End {
    let size = ElementSize::default();
    let (token, peer_token) = (AlertToken(token), AlertToken(peer_token));
    let memory = vec![0; size.bytes() as usize];
    End {
        connection: Connection::new(Settings { token, peer_token, size, peer_size: size }),
        ring: memory.clone(),
        element: memory,
        sent: 0,
        got: 0,
        on_link: VecDeque::new(),
        uncompleted: VecDeque::new(),
    }
}

impl Rig {
    pub fn new(mistake: Mistake) -> Self {
        Self { ends: [end(7, 8), end(8, 7)], mistake }
    }

    /// Sends up to `bytes` octets.
    pub fn send(&mut self, at: usize, bytes: u32) {
        let end = &mut self.ends[at];
        if let Ok(spans) = end.connection.send(bytes, false) {
            for span in spans {
                for place in &mut end.ring[range(span)] {
                    *place = octet(end.sent);
                    end.sent += 1;
                }
            }
        }
        self.post(at);
    }

    /// Reads up to `bytes` octets, and makes sure that they are those of the stream.
    pub fn read(&mut self, at: usize, bytes: u32) -> Result<u32, String> {
        let end = &mut self.ends[at];
        let Ok(spans) = end.connection.readable(bytes) else { return Ok(0) };
        let mut read = 0;
        for span in spans {
            for &found in &end.element[range(span)] {
                if found != octet(end.got) {
                    return Err(format!("octet {} of end {at} is {found:02X}", end.got));
                }
                end.got += 1;
                read += 1;
            }
        }
        end.connection.consume(read);
        self.post(at);
        Ok(read)
    }

    /// Puts everything due on the link.
    pub fn post(&mut self, at: usize) {
        let end = &mut self.ends[at];
        while let Some(transmission) = end.connection.poll() {
            let octets =
                transmission.writes.iter().flat_map(|&span| &end.ring[range(span)]).copied().collect();
            end.on_link.push_back((transmission, octets));
        }
    }

    /// Delivers the first message on the link from this end; returns whether there was any.
    pub fn deliver(&mut self, from: usize, is_completed: bool) -> bool {
        let Some((transmission, octets)) = self.ends[from].on_link.pop_front() else { return false };
        let Transmission { writes, cdc } = transmission;
        let is_validation = cdc.producer_flags.contains(ProducerFlags::FAILOVER_VALIDATION);
        let target = &mut self.ends[1 - from];
        let mut octets = &octets[..];
        for span in writes {
            let (now, later) = octets.split_at(span.length_bytes as usize);
            let mut place = range(span);
            if self.mistake == Mistake::Shifted && place.end < target.element.len() {
                place = place.start + 1..place.end + 1;
            }
            if self.mistake != Mistake::MessageFirst || target.connection.readable_bytes() > 0 {
                target.element[place].copy_from_slice(now);
            }
            octets = later;
        }
        let again = Cdc::decode(&cdc.encode()).expect("a message");
        if !(is_validation && self.mistake == Mistake::NoValidation) {
            // Errors reset the connection, which is visible at both ends.
            let _ = target.connection.receive(&again);
        }
        if is_completed && !is_validation {
            self.ends[from].uncompleted.push_back(cdc.sequence);
        }
        self.post(1 - from);
        true
    }

    /// Completes the oldest message that was delivered; returns whether there was any.
    pub fn complete(&mut self, from: usize) -> bool {
        let Some(sequence) = self.ends[from].uncompleted.pop_front() else { return false };
        self.ends[from].connection.completed(sequence);
        self.post(from);
        true
    }

    /// Completes the first message on the link though it never arrives: the adapter of the peer died with it.
    pub fn complete_and_drop(&mut self, from: usize) {
        if let Some((transmission, _)) = self.ends[from].on_link.pop_front()
            && !transmission.cdc.producer_flags.contains(ProducerFlags::FAILOVER_VALIDATION)
        {
            self.ends[from].connection.completed(transmission.cdc.sequence);
        }
    }

    /// Loses the link. So many messages of each direction still arrive, without completions.
    pub fn lose_link(&mut self, arriving: [usize; 2]) {
        for (from, &count) in arriving.iter().enumerate() {
            let on_link = self.ends[from].on_link.len();
            (0..count.min(on_link)).for_each(|_| {
                self.deliver(from, false);
            });
        }
        for end in &mut self.ends {
            end.on_link.clear();
            end.uncompleted.clear();
            if self.mistake != Mistake::NoFailover {
                end.connection.fail_over();
            }
        }
        self.post(0);
        self.post(1);
    }

    /// Moves everything until nothing changes.
    pub fn settle(&mut self) -> Result<(), String> {
        loop {
            let mut has_moved = false;
            for at in 0..2 {
                has_moved |= self.deliver(at, true) | self.complete(at);
                has_moved |= self.read(at, u32::MAX)? > 0;
            }
            if !has_moved {
                return Ok(());
            }
        }
    }

    /// Settles, and makes sure that every octet came, or that both ends were reset.
    pub fn check(&mut self) -> Result<bool, String> {
        self.settle()?;
        let resets = [0, 1].map(|at: usize| self.ends[at].connection.is_reset());
        match resets {
            [true, true] => return Ok(false),
            [false, false] => {}
            _ => return Err(format!("resets {resets:?}")),
        }
        let [a, b] = &self.ends;
        if (a.sent, b.sent) != (b.got, a.got) {
            return Err(format!("sent {} and {}, got {} and {}", a.sent, b.sent, b.got, a.got));
        }
        Ok(true)
    }
}

//! Queue pairs of the reliable connected service (section *Reliable Service*).
//!
//! A queue pair is the requester of its own messages and the responder to those of its peer. Packets go in by
//! [`receive`](QueuePair::receive) and come out of [`poll_transmit`](QueuePair::poll_transmit) into a buffer of the caller;
//! time is an argument. Octets of a write stay in the memory of the caller until it is completed, and are loaded once for
//! every packet that is built. Nothing is allocated after the queue pair was made.
//!
//! A failure ends both directions: the queue pair is in the error state with its [`Failure`], all work that was posted is
//! completed without success, and packets that still come have no effect.

mod completion;
mod counts;
mod failure;
mod item;
mod memory;
mod requester;
mod responder;
mod settings;
mod work;

use halftrack_base::Time;

use crate::packet::{Heading, Operation, Packet, PacketBuffer, Psn, build};
pub use completion::{Completion, Outcome, Received};
pub use counts::Counts;
pub use failure::{Failure, InvalidRequest};
use item::Payload;
pub use memory::{AccessError, Memory, Source};
use requester::Requester;
use responder::Responder;
pub use settings::Settings;
pub use work::{LocalSpan, MESSAGE_BYTES_MAX, Message, PostError, Remote, WRITE_BYTES_MAX, Work, WorkId};

/// One end of a reliable connection.
#[derive(Debug, Clone)]
pub struct QueuePair {
    settings: Settings,
    requester: Requester,
    responder: Responder,
    failure: Option<Failure>,
    counts: Counts,
}

impl QueuePair {
    /// Makes a queue pair that is ready to send and to receive.
    pub fn new(settings: Settings) -> Self {
        let (requester, responder) = (Requester::new(&settings), Responder::new(&settings));
        Self { settings, requester, responder, failure: None, counts: Counts::default() }
    }

    /// Returns the settings.
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns why the queue pair is in the error state, where it is.
    pub const fn failure(&self) -> Option<Failure> {
        self.failure
    }

    /// Returns counts since the queue pair was made.
    pub const fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Returns how many more works [`post`](Self::post) takes.
    pub fn room(&self) -> usize {
        self.requester.room()
    }

    /// Appends work to the send queue.
    ///
    /// # Errors
    /// The queue is full, the work is too long, or the queue pair is in the error state.
    pub fn post(&mut self, id: WorkId, work: Work) -> Result<(), PostError> {
        match self.failure {
            Some(failure) => Err(PostError::Failed(failure)),
            None => self.requester.post(id, work),
        }
    }

    /// Posts receives, each for one message of the peer; returns how many of them fit in the receive queue.
    ///
    /// A message keeps its place in the queue until it is polled.
    pub fn post_receives(&mut self, count: u16) -> u16 {
        if self.failure.is_some() { 0 } else { self.responder.post_receives(count) }
    }

    /// Takes a packet of the peer. One that is not for this queue pair has no effect.
    ///
    /// `memory` is what the peer may write into.
    pub fn receive(&mut self, now: Time, packet: &Packet<'_>, memory: &mut impl Memory) {
        let heading = &packet.heading;
        let is_own = heading.destination == self.settings.number
            && is_same_partition(heading.partition_key, self.settings.partition_key);
        if self.failure.is_some() || !is_own {
            self.counts.ignored += 1;
            return;
        }
        let taken = match packet.operation {
            Operation::Acknowledge(aeth) => {
                self.requester.acknowledge(now, heading.psn, aeth.syndrome, &mut self.counts)
            }
            _ => self.responder.take(packet, memory, &mut self.counts),
        };
        if let Err(failure) = taken {
            self.fail(failure);
        }
    }

    /// Returns the instant at which [`handle_timeout`](Self::handle_timeout) is due, unless packets change it.
    pub fn poll_timeout(&self) -> Option<Time> {
        if self.failure.is_some() { None } else { self.requester.timeout() }
    }

    /// Does what is due at `now`: packets without an acknowledgement are sent again.
    pub fn handle_timeout(&mut self, now: Time) {
        if self.failure.is_none()
            && let Err(failure) = self.requester.expire(now, &mut self.counts)
        {
            self.fail(failure);
        }
    }

    /// Writes the next packet that is due, and returns its octets. `source` has the octets of posted writes.
    pub fn poll_transmit(
        &mut self,
        now: Time,
        source: &impl Source,
        into: &mut PacketBuffer,
    ) -> Option<usize> {
        if let Some((psn, aeth)) = self.responder.poll_response() {
            self.counts.responses += 1;
            let heading = self.heading(psn, false);
            return build(&self.settings.path, (&heading, &Operation::Acknowledge(aeth)), 0, into, |_| {})
                .ok();
        }
        if self.failure.is_some() {
            return None;
        }
        let planned = self.requester.poll_packet(now, &mut self.counts)?;
        let heading = self.heading(planned.psn, planned.is_acknowledge_requested);
        let parts = (&heading, &planned.operation);
        match planned.payload {
            Payload::Local { address, bytes } => {
                build(&self.settings.path, parts, bytes as usize, into, |room| source.load(address, room))
                    .ok()
            }
            Payload::Message(message) => {
                let octets = message.octets();
                build(&self.settings.path, parts, octets.len(), into, |room| room.copy_from_slice(octets))
                    .ok()
            }
        }
    }

    const fn heading(&self, psn: Psn, is_acknowledge_requested: bool) -> Heading {
        Heading {
            partition_key: self.settings.partition_key,
            is_acknowledge_requested,
            ..Heading::new(self.settings.peer, psn)
        }
    }

    /// Takes the next completion of work, in the order in which it was posted.
    pub fn poll_completion(&mut self) -> Option<Completion> {
        self.requester.poll_completion(self.failure)
    }

    /// Takes the next message of the peer, in the order in which it sent them.
    pub fn poll_received(&mut self) -> Option<Received> {
        self.responder.poll_received()
    }

    /// Closes the queue pair: the error state, by the will of the caller.
    pub fn close(&mut self) {
        self.fail(Failure::Closed);
    }

    fn fail(&mut self, failure: Failure) {
        if self.failure.is_none() {
            self.failure = Some(failure);
            self.responder.drop_receives();
        }
    }
}

/// Returns true when the keys are of one partition, of which one of the two is a full member (section *Partitioning*).
const fn is_same_partition(key: u16, own: u16) -> bool {
    const FULL: u16 = 0x8000;
    (key ^ own) & !FULL == 0 && (key | own) & FULL != 0
}

//! Requester: work in order, packets that are not acknowledged, and when they are sent again.
//!
//! Packets are counted from the first of the queue pair in 64 bits. A packet sequence number stands for the count within
//! the window, which is far smaller than half of 2^24. After a loss all packets from the missing one on are sent again.

use std::collections::VecDeque;

use halftrack_base::Time;

use super::item::{Item, Payload};
use super::{Completion, Counts, Failure, Outcome, PostError, Settings, WRITE_BYTES_MAX, Work, WorkId};
use crate::packet::{NakCode, Operation, Psn, RnrTimer, Syndrome};

/// Packet that is to be built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Planned {
    pub(super) psn: Psn,
    pub(super) is_acknowledge_requested: bool,
    pub(super) operation: Operation,
    pub(super) payload: Payload,
}

#[derive(Debug, Clone)]
pub(super) struct Requester {
    settings: Settings,
    /// Works from the oldest whose completion was not polled.
    items: VecDeque<Item>,
    /// Works at the head of which all packets are acknowledged.
    finished: usize,
    /// Work of the next packet.
    current: usize,
    /// Oldest packet without an acknowledgement.
    acknowledged: u64,
    next: u64,
    /// Packet behind the last that was ever sent.
    sent_end: u64,
    /// Packet behind the last of all work.
    posted_end: u64,
    /// Instant at which the oldest packet is overdue, while packets are on their way.
    deadline: Option<Time>,
    /// Instant up to which the peer waits for a receive.
    rest_until: Option<Time>,
    retries_left: u8,
    rnr_retries_left: Option<u8>,
    has_reported_failure: bool,
}

impl Requester {
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            settings: *settings,
            items: VecDeque::with_capacity(settings.send_depth.get().into()),
            finished: 0,
            current: 0,
            acknowledged: 0,
            next: 0,
            sent_end: 0,
            posted_end: 0,
            deadline: None,
            rest_until: None,
            retries_left: settings.retries,
            rnr_retries_left: settings.rnr_retries,
            has_reported_failure: false,
        }
    }

    pub(super) fn room(&self) -> usize {
        usize::from(self.settings.send_depth.get()) - self.items.len()
    }

    pub(super) fn post(&mut self, id: WorkId, work: Work) -> Result<(), PostError> {
        if self.room() == 0 {
            return Err(PostError::Full);
        }
        let length_bytes = work.length_bytes();
        if length_bytes > WRITE_BYTES_MAX {
            return Err(PostError::Long(length_bytes));
        }
        let item = Item::new(id, work, self.posted_end, self.settings.mtu.payload_bytes());
        self.posted_end = item.end();
        self.items.push_back(item);
        Ok(())
    }

    pub(super) fn timeout(&self) -> Option<Time> {
        self.rest_until.or(self.deadline)
    }

    /// Plans the next packet in the window, if any is due.
    pub(super) fn poll_packet(&mut self, now: Time, counts: &mut Counts) -> Option<Planned> {
        let window_end = self.acknowledged + u64::from(self.settings.window_packets.get());
        let is_resting = self.rest_until.is_some_and(|until| now < until);
        if is_resting || self.next == self.posted_end || self.next >= window_end {
            return None;
        }
        self.rest_until = None;
        let item = self.items.get(self.current)?;
        let (operation, payload) = item.packet(self.next, self.settings.mtu.payload_bytes());
        let psn = self.psn(self.next);
        counts.requests += 1;
        counts.repeated += u64::from(self.next < self.sent_end);
        self.next += 1;
        self.sent_end = self.sent_end.max(self.next);
        self.current += usize::from(self.next == item.end());
        self.deadline.get_or_insert(now.saturating_add(self.settings.timeout));
        let is_acknowledge_requested = self.next == self.posted_end
            || self.next == window_end
            || self.next.is_multiple_of(self.settings.acknowledge_packets.get().into());
        Some(Planned { psn, is_acknowledge_requested, operation, payload })
    }

    fn psn(&self, packet: u64) -> Psn {
        self.settings.send_psn.plus(packet)
    }

    /// Takes an acknowledgement. One of packets that are acknowledged already, or were never sent, has no effect.
    pub(super) fn acknowledge(
        &mut self,
        now: Time,
        psn: Psn,
        syndrome: Syndrome,
        counts: &mut Counts,
    ) -> Result<(), Failure> {
        let ahead = u64::from(psn.since(self.psn(self.acknowledged)));
        if ahead >= self.sent_end - self.acknowledged {
            return Ok(());
        }
        let packet = self.acknowledged + ahead;
        match syndrome {
            Syndrome::Ack { .. } => {
                self.advance(now, packet + 1);
                Ok(())
            }
            Syndrome::ReceiverNotReady(timer) => {
                counts.rnr_naks += 1;
                self.advance(now, packet);
                self.rest(now, timer)
            }
            Syndrome::Nak(code) => {
                self.advance(now, packet);
                self.refused(code, counts)
            }
        }
    }

    /// Marks everything before a packet as acknowledged.
    fn advance(&mut self, now: Time, to: u64) {
        if to == self.acknowledged {
            return;
        }
        self.acknowledged = to;
        self.next = self.next.max(to);
        while self.items.get(self.finished).is_some_and(|item| item.end() <= to) {
            self.finished += 1;
        }
        self.current = self.current.max(self.finished);
        self.retries_left = self.settings.retries;
        self.rnr_retries_left = self.settings.rnr_retries;
        self.rest_until = None;
        self.deadline = (to < self.next).then(|| now.saturating_add(self.settings.timeout));
    }

    fn rest(&mut self, now: Time, timer: RnrTimer) -> Result<(), Failure> {
        if self.rest_until.is_some() {
            return Ok(());
        }
        if let (Some(left), Some(all)) = (&mut self.rnr_retries_left, self.settings.rnr_retries) {
            *left = left.checked_sub(1).ok_or(Failure::ReceiverNotReady(u16::from(all) + 1))?;
        }
        self.go_back();
        self.rest_until = Some(now.saturating_add(timer.delay()));
        Ok(())
    }

    fn refused(&mut self, code: NakCode, counts: &mut Counts) -> Result<(), Failure> {
        match code {
            NakCode::SequenceError => {
                counts.sequence_naks += 1;
                // Another such answer to packets of the same pass.
                if self.next == self.acknowledged { Ok(()) } else { self.retry() }
            }
            NakCode::InvalidRequest => Err(Failure::PeerRefusedRequest),
            NakCode::RemoteAccessError => Err(Failure::PeerRefusedAccess),
            NakCode::RemoteOperationalError => Err(Failure::PeerFailed),
        }
    }

    fn retry(&mut self) -> Result<(), Failure> {
        let failure = Failure::NoAcknowledgement(u16::from(self.settings.retries) + 1);
        self.retries_left = self.retries_left.checked_sub(1).ok_or(failure)?;
        self.go_back();
        Ok(())
    }

    const fn go_back(&mut self) {
        self.next = self.acknowledged;
        self.current = self.finished;
        self.deadline = None;
    }

    pub(super) fn expire(&mut self, now: Time, counts: &mut Counts) -> Result<(), Failure> {
        self.rest_until = self.rest_until.filter(|&until| now < until);
        if self.deadline.is_some_and(|deadline| deadline <= now) {
            counts.timeouts += 1;
            self.retry()?;
        }
        Ok(())
    }

    pub(super) fn poll_completion(&mut self, failure: Option<Failure>) -> Option<Completion> {
        if self.finished > 0 {
            self.finished -= 1;
            self.current -= 1;
            return self.items.pop_front().map(|item| Completion { id: item.id, outcome: Outcome::Done });
        }
        let failure = failure?;
        let id = self.items.pop_front()?.id;
        let has_reported = std::mem::replace(&mut self.has_reported_failure, true);
        Some(Completion {
            id,
            outcome: if has_reported { Outcome::Flushed } else { Outcome::Failed(failure) },
        })
    }
}

//! One of two processes that report their progress to each other through two rings.
//!
//! A ring carries the packets of a process in order. Each has the messages since the last one and a report: the time of the
//! next event, and the number of the other's packets that had been read by then. The reader of a report has every message
//! that was sent before it; and the report counts the packets of its own that were read, so that the rest are an event at
//! the earliest instant at which one of their messages can arrive. Nothing else passes between two processes. A ring's
//! writer releases what it has written and its reader acquires that, so no order of memory is left to be argued here.

use std::collections::VecDeque;
use std::mem;

use rtrb::{Consumer, Producer, RingBuffer};

use super::horizon::{Outlook, check_lookaheads};
use super::sequential::outlook_of;
use super::{LogicalProcess, WindowError, WindowStats, check_destination};
use crate::Prefetch;
use halftrack_base::{Span, Time};

/// Packets in a ring. One that finds no place waits with its sender.
const PLACES: usize = 64;
/// Messages whose cache lines are on their way while one is read: fewer than a processor can wait for.
const FETCHED_AHEAD: usize = 16;
/// Windows that a process with a lookahead and one without are apart at most. Two are faster than four, and four than eight, on the
/// largest z16.
const WINDOWS_AHEAD: u64 = 2;
/// Most empty outboxes that a process keeps; more go back to the other, which made them. So packets allocate none.
const SPARE_MAX: usize = 2;

/// Progress of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Report {
    outlook: Outlook,
    /// Packets of the other that it had read.
    read: u64,
}

/// Messages, each with the index of its destination, as a process puts them into its outbox.
type Messages<M> = Vec<(usize, M)>;

/// Element of a ring.
struct Packet<M> {
    messages: Messages<M>,
    /// An empty outbox that goes back.
    back: Messages<M>,
    report: Report,
}

/// Messages that the other may not have read.
struct UnderWay {
    /// Number of their packet.
    packet: u64,
    /// Earliest arrival of any of them.
    from: Time,
}

/// Result of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// A window has been run.
    Ran,
    /// Nothing can be done until the other's next report.
    Waits,
    /// Nothing is left to do in this run, on either side.
    Over,
}

/// A process with its ends of both rings.
pub(super) struct Side<'a, L: LogicalProcess> {
    index: usize,
    pub(super) process: &'a mut L,
    /// End of the last window that it has run.
    pub(super) done: Time,
    pub(super) stats: WindowStats,
    /// Last report to the other, and packets sent.
    sent_report: Report,
    packets: u64,
    /// A packet has found no place in the ring.
    has_unsent: bool,
    under_way: VecDeque<UnderWay>,
    /// Empty outboxes.
    spare: Vec<Messages<L::Message>>,
    /// Last report of the other, and packets read.
    received_report: Report,
    read: u64,
    to: Producer<Packet<L::Message>>,
    from: Consumer<Packet<L::Message>>,
}

/// Returns the length of a window of a process, so that the other gets the report while it still has something to do. That is no
/// further than the first message may arrive, or where one of them has no lookahead a part of the only one.
#[inline]
fn window(own: Span, others: Span) -> Span {
    if own.is_zero() || others.is_zero() {
        return ((own + others) / WINDOWS_AHEAD).max(Span::from_ps(1));
    }
    own
}

impl<'a, L: LogicalProcess> Side<'a, L> {
    /// Returns both processes, at their indices.
    pub(super) fn both(one: &'a mut L, other: &'a mut L) -> Result<[Self; 2], WindowError> {
        let report = |outlook| Report { outlook, read: 0 };
        let ones = report(outlook_of(0, one, Time::ZERO)?);
        let others = report(outlook_of(1, other, Time::ZERO)?);
        let ((to_other, from_one), (to_one, from_other)) = (RingBuffer::new(PLACES), RingBuffer::new(PLACES));
        let side = |index, process, [sent_report, received_report]: [Report; 2], to, from| Self {
            index,
            process,
            done: Time::ZERO,
            stats: WindowStats::default(),
            sent_report,
            packets: 0,
            has_unsent: false,
            under_way: VecDeque::new(),
            spare: Vec::new(),
            received_report,
            read: 0,
            to,
            from,
        };
        Ok([
            side(0, one, [ones, others], to_other, from_other),
            side(1, other, [others, ones], to_one, from_one),
        ])
    }

    /// Reads the other's reports and runs one window if they allow one before `until`.
    pub(super) fn turn(&mut self, until: Time) -> Result<Turn, WindowError> {
        self.receive();
        let mut outlook = outlook_of(self.index, self.process, self.done)?;
        if self.has_unsent {
            self.send(outlook);
            return Ok(Turn::Waits);
        }
        let others = Outlook { next: self.others_next(), ..self.received_report.outlook };
        check_lookaheads(&if self.index == 0 { [outlook, others] } else { [others, outlook] })?;
        // [`super::horizon`] for two processes: the other acts at its next event or at the first message from here.
        let answer = others.next.min(outlook.first_message());
        let horizon = answer.saturating_add(others.lookahead).min(until);
        if outlook.next < horizon {
            let from = outlook.first_message();
            self.done = horizon.min(outlook.next.saturating_add(window(outlook.lookahead, others.lookahead)));
            self.process.run_until(self.done);
            outlook = outlook_of(self.index, self.process, self.done)?;
            self.count(from)?;
            self.send(outlook);
            return Ok(Turn::Ran);
        }
        if self.sent_report != (Report { outlook, read: self.read }) {
            self.send(outlook);
        }
        // The last messages of either were sent before these reports, and so both have read them. A process whose other no
        // longer reads sends one or two more packets, for which there is room: the other had read all.
        let is_over = outlook.next.min(others.next) >= until && !self.has_unsent;
        Ok(if is_over { Turn::Over } else { Turn::Waits })
    }

    /// Returns the number of packets sent.
    pub(super) fn packets(&self) -> u64 {
        self.packets
    }

    /// Returns the earliest next event of the other, messages that it may not have read included.
    fn others_next(&self) -> Time {
        self.under_way
            .iter()
            .fold(self.received_report.outlook.next, |next, messages| next.min(messages.from))
    }

    /// Reads all packets that the other has written.
    fn receive(&mut self) {
        while let Ok(Packet { mut messages, back, report }) = self.from.pop() {
            // The lines are in the other processor's cache.
            messages.iter().take(FETCHED_AHEAD).for_each(Prefetch::begin);
            let mut coming = messages.drain(..);
            while let Some((_, message)) = coming.next() {
                coming.as_slice().get(FETCHED_AHEAD - 1).inspect(|later| Prefetch::begin(*later));
                self.process.deliver(message);
            }
            drop(coming);
            for outbox in [messages, back] {
                if outbox.capacity() > 0 {
                    self.spare.push(outbox);
                }
            }
            self.received_report = report;
            self.read += 1;
        }
        while self.under_way.front().is_some_and(|messages| messages.packet <= self.received_report.read) {
            self.under_way.pop_front();
        }
    }

    /// Counts a window, nothing of which arrives before `from`.
    fn count(&mut self, from: Time) -> Result<(), WindowError> {
        self.stats.windows += 1;
        let outbox = self.process.outbox();
        if outbox.is_empty() {
            return Ok(());
        }
        self.stats.messages += outbox.len() as u64;
        self.under_way.push_back(UnderWay { packet: self.packets + 1, from });
        outbox.iter().try_for_each(|(destination, _)| check_destination(self.index, *destination, 2))
    }

    /// Writes a packet with the messages of the outbox, if there is room.
    fn send(&mut self, outlook: Outlook) {
        self.has_unsent = self.to.is_full();
        if self.has_unsent {
            return;
        }
        let outbox = self.process.outbox();
        let messages = if outbox.is_empty() {
            Messages::new()
        } else {
            mem::replace(outbox, self.spare.pop().unwrap_or_default())
        };
        let back = if self.spare.len() > SPARE_MAX { self.spare.pop() } else { None };
        self.sent_report = Report { outlook, read: self.read };
        self.packets += 1;
        let packet = Packet { messages, back: back.unwrap_or_default(), report: self.sent_report };
        let is_written = self.to.push(packet).is_ok();
        debug_assert!(is_written, "nobody else writes into the ring");
    }
}

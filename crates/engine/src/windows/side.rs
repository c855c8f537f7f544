//! One of two processes that tell each other by two rings how far they have come.
//!
//! A ring carries what a process says, in its order: messages, and after them a report, which says when its next event is
//! and how many reports of the other it had read by then. Whoever reads a report has read every message that was sent
//! before; and of its own messages it knows which the other has read, so that the rest stand for an event at the earliest
//! instant at which one of them can arrive. Nothing else passes between two processes. A ring's writer releases what it has
//! written and its reader acquires that, so no order of memory is left to be argued here.

use std::collections::VecDeque;
use std::hint::spin_loop;

use rtrb::{Consumer, Producer, RingBuffer};

use super::horizon::{Outlook, check_lookaheads};
use super::sequential::look;
use super::{LogicalProcess, WindowError, WindowStats, check_destination};
use crate::{Prefetch, SimDuration, SimTime};

/// Entries of a ring: some dozen windows with few messages each. What finds no place waits with its sender.
const PLACES: usize = 512;
/// Entries whose lines are asked for together: a window's worth, and fewer than a processor can wait for.
const ASKED_AHEAD: usize = 24;

/// What a process says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Report {
    outlook: Outlook,
    /// Reports of the other that it had read, and all messages before them.
    read: u64,
}

/// What a ring carries.
enum Entry<M> {
    Message(M),
    Report(Report),
}

/// Messages that the other may not have read.
struct Parcel {
    /// They were sent before the report with this number.
    before: u64,
    /// None of them arrives before.
    from: SimTime,
}

/// What has come of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// A window has been run.
    Ran,
    /// Nothing can be done until the other has said more.
    Waits,
    /// There is nothing left to do in this run, and both know it.
    Over,
}

/// A process with its ends of both rings.
pub(super) struct Side<'a, L: LogicalProcess> {
    index: usize,
    pub(super) process: &'a mut L,
    /// It has run until here.
    pub(super) done: SimTime,
    pub(super) stats: WindowStats,
    /// What it has said last, and how often it has said something.
    said: Report,
    reports: u64,
    /// Messages are left that found no place in the ring.
    has_more_to_say: bool,
    under_way: VecDeque<Parcel>,
    /// What the other has said last, and how often it has been heard.
    heard: Report,
    read: u64,
    to: Producer<Entry<L::Message>>,
    from: Consumer<Entry<L::Message>>,
}

impl<'a, L: LogicalProcess> Side<'a, L> {
    /// Both processes, at their indices.
    pub(super) fn both(one: &'a mut L, other: &'a mut L) -> Result<[Self; 2], WindowError> {
        let report = |outlook| Report { outlook, read: 0 };
        let ones = report(look(0, one, SimTime::ZERO)?);
        let others = report(look(1, other, SimTime::ZERO)?);
        let ((to_other, from_one), (to_one, from_other)) = (RingBuffer::new(PLACES), RingBuffer::new(PLACES));
        let side = |index, process, [said, heard]: [Report; 2], to, from| Self {
            index,
            process,
            done: SimTime::ZERO,
            stats: WindowStats::default(),
            said,
            reports: 0,
            has_more_to_say: false,
            under_way: VecDeque::new(),
            heard,
            read: 0,
            to,
            from,
        };
        Ok([
            side(0, one, [ones, others], to_other, from_other),
            side(1, other, [others, ones], to_one, from_one),
        ])
    }

    /// Hears what the other has said and runs one window if that allows one before `until`.
    pub(super) fn turn(&mut self, until: SimTime) -> Result<Turn, WindowError> {
        self.hear();
        let mut outlook = look(self.index, self.process, self.done)?;
        if self.has_more_to_say {
            self.say(outlook);
            return Ok(Turn::Waits);
        }
        let others = Outlook { next: self.others_next(), ..self.heard.outlook };
        check_lookaheads(&if self.index == 0 { [outlook, others] } else { [others, outlook] })?;
        // What [`super::horizon`] says for two: the other acts at its next event or at the first message from here.
        let answer = others.next.min(outlook.first_message());
        let horizon = answer.saturating_add(others.lookahead).min(until);
        if outlook.next < horizon {
            let from = outlook.first_message();
            // Half as far as the other reaches beyond it, so that the other hears what is done before it has to wait.
            let half = (outlook.lookahead / 2).max(SimDuration::from_ps(1));
            self.done = horizon.min(outlook.next.saturating_add(half));
            self.process.run_until(self.done);
            outlook = look(self.index, self.process, self.done)?;
            self.count(from)?;
            self.say(outlook);
            return Ok(Turn::Ran);
        }
        if self.said != (Report { outlook, read: self.read }) {
            self.say(outlook);
        }
        // The last messages of either were sent before the reports that say so, and so both have read them. What the one
        // says when the other no longer reads is a report or two, for which there is room: the other had read all.
        let is_over = outlook.next.min(others.next) >= until && !self.has_more_to_say;
        Ok(if is_over { Turn::Over } else { Turn::Waits })
    }

    /// Looks up to `looks` times whether the other has said something.
    pub(super) fn listen(&self, looks: u32) -> bool {
        (0..looks).any(|_| {
            let has_spoken = !self.from.is_empty();
            if !has_spoken {
                spin_loop();
            }
            has_spoken
        })
    }

    /// What the other does next, as far as it is known: what it is not known to have read included.
    fn others_next(&self) -> SimTime {
        self.under_way.iter().fold(self.heard.outlook.next, |next, parcel| next.min(parcel.from))
    }

    /// Reads all that the other has written.
    fn hear(&mut self) {
        let entries = self.from.slots();
        let Ok(entries) = self.from.read_chunk(entries) else { return };
        // The lines are in the other processor's cache: all are asked for before the first is waited for.
        let (first, rest) = entries.as_slices();
        first.iter().chain(rest).take(ASKED_AHEAD).for_each(Prefetch::begin);
        for entry in entries {
            match entry {
                Entry::Message(message) => self.process.deliver(message),
                Entry::Report(report) => {
                    self.heard = report;
                    self.read += 1;
                }
            }
        }
        while self.under_way.front().is_some_and(|parcel| parcel.before <= self.heard.read) {
            self.under_way.pop_front();
        }
    }

    /// Counts a window, nothing of which arrives before `from`.
    fn count(&mut self, from: SimTime) -> Result<(), WindowError> {
        self.stats.windows += 1;
        let outbox = self.process.outbox();
        if outbox.is_empty() {
            return Ok(());
        }
        self.stats.messages += outbox.len() as u64;
        self.under_way.push_back(Parcel { before: self.reports + 1, from });
        outbox.iter().try_for_each(|(destination, _)| check_destination(self.index, *destination, 2))
    }

    /// Writes what is in the outbox and then a report, as far as there is room.
    fn say(&mut self, outlook: Outlook) {
        let (outbox, room) = (self.process.outbox(), self.to.slots());
        let count = outbox.len().min(room);
        if let Ok(places) = self.to.write_chunk_uninit(count) {
            places.fill_from_iter(outbox.drain(..count).map(|(_, message)| Entry::Message(message)));
        }
        let report = Report { outlook, read: self.read };
        let is_all = outbox.is_empty() && self.to.push(Entry::Report(report)).is_ok();
        self.has_more_to_say = !is_all;
        if is_all {
            self.said = report;
            self.reports += 1;
        }
    }
}

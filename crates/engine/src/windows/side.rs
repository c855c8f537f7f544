//! One of two processes that tell each other by two rings how far they have come.
//!
//! A ring carries what a process says, in its order: letters, each with its messages since the last and a report, which says
//! when its next event is and how many letters of the other it had read by then. Whoever reads a report has every message
//! that was sent before; and of its own letters it knows which the other has read, so that the rest stand for an event at
//! the earliest instant at which one of their messages can arrive. Nothing else passes between two processes. A ring's
//! writer releases what it has written and its reader acquires that, so no order of memory is left to be argued here.

use std::collections::VecDeque;
use std::mem;

use rtrb::{Consumer, Producer, RingBuffer};

use super::horizon::{Outlook, check_lookaheads};
use super::sequential::look;
use super::{LogicalProcess, WindowError, WindowStats, check_destination};
use crate::{Prefetch, SimTime};

/// Letters in a ring. One that finds no place waits with its sender.
const PLACES: usize = 64;
/// Messages whose lines are asked for together: a window's worth, and fewer than a processor can wait for.
const ASKED_AHEAD: usize = 24;
/// Empty outboxes that a process keeps; more go back to the other, whose they were. So none is made for each letter.
const KEPT: usize = 2;

/// What a process says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Report {
    outlook: Outlook,
    /// Letters of the other that it had read.
    read: u64,
}

/// Messages, each with the index of its destination, as a process puts them into its outbox.
type Mail<M> = Vec<(usize, M)>;

/// What a ring carries.
struct Letter<M> {
    mail: Mail<M>,
    /// An empty outbox that goes back.
    back: Mail<M>,
    report: Report,
}

/// Mail that the other may not have read.
struct UnderWay {
    /// The number of its letter.
    letter: u64,
    /// Nothing of it arrives before.
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
    /// What it has said last, and in how many letters.
    said: Report,
    letters: u64,
    /// A letter has found no place in the ring.
    has_more_to_say: bool,
    under_way: VecDeque<UnderWay>,
    /// Empty outboxes.
    kept: Vec<Mail<L::Message>>,
    /// What the other has said last, and how often it has been heard.
    heard: Report,
    read: u64,
    to: Producer<Letter<L::Message>>,
    from: Consumer<Letter<L::Message>>,
}

impl<'a, L: LogicalProcess> Side<'a, L> {
    /// Returns both processes, at their indices.
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
            letters: 0,
            has_more_to_say: false,
            under_way: VecDeque::new(),
            kept: Vec::new(),
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
            // No further than what it sends may arrive, so that the other hears what is done while it still has something to
            // do.
            self.done = horizon.min(outlook.next.saturating_add(outlook.lookahead));
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
        // says when the other no longer reads is a letter or two, for which there is room: the other had read all.
        let is_over = outlook.next.min(others.next) >= until && !self.has_more_to_say;
        Ok(if is_over { Turn::Over } else { Turn::Waits })
    }

    /// Returns the letters sent so far.
    pub(super) fn letters(&self) -> u64 {
        self.letters
    }

    /// Returns what the other does next, as far as it is known: what it is not known to have read included.
    fn others_next(&self) -> SimTime {
        self.under_way.iter().fold(self.heard.outlook.next, |next, mail| next.min(mail.from))
    }

    /// Reads all that the other has written.
    fn hear(&mut self) {
        while let Ok(Letter { mut mail, back, report }) = self.from.pop() {
            // The lines are in the other processor's cache: all are asked for before the first is waited for.
            mail.iter().take(ASKED_AHEAD).for_each(Prefetch::begin);
            mail.drain(..).for_each(|(_, message)| self.process.deliver(message));
            for outbox in [mail, back] {
                if outbox.capacity() > 0 {
                    self.kept.push(outbox);
                }
            }
            self.heard = report;
            self.read += 1;
        }
        while self.under_way.front().is_some_and(|mail| mail.letter <= self.heard.read) {
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
        self.under_way.push_back(UnderWay { letter: self.letters + 1, from });
        outbox.iter().try_for_each(|(destination, _)| check_destination(self.index, *destination, 2))
    }

    /// Writes a letter with what is in the outbox, if there is room.
    fn say(&mut self, outlook: Outlook) {
        self.has_more_to_say = self.to.is_full();
        if self.has_more_to_say {
            return;
        }
        let outbox = self.process.outbox();
        let mail = if outbox.is_empty() {
            Mail::new()
        } else {
            mem::replace(outbox, self.kept.pop().unwrap_or_default())
        };
        let back = if self.kept.len() > KEPT { self.kept.pop() } else { None };
        self.said = Report { outlook, read: self.read };
        self.letters += 1;
        let letter = Letter { mail, back: back.unwrap_or_default(), report: self.said };
        let is_written = self.to.push(letter).is_ok();
        debug_assert!(is_written, "nobody else writes into the ring");
    }
}

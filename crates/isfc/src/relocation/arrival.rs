//! Destination of a relocation: it puts a memory together, and has the guest once that is whole.

use std::collections::VecDeque;

use halftrack_base::{Span, Time};
use thiserror::Error;

use super::record::{Digest, PassKind, Reason, Record, Reply};
use super::report::{Conclusion, RelocationReport};
use super::{PAGE_BYTES, Pass};
use crate::system_name::SystemName;

/// Why a record of the source is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ArrivalError {
    /// It has no place in the order of records.
    #[error("the source sent a record that has no place here")]
    Order,
    /// A pass begins before the one before has ended, or with another number.
    #[error("pass {found} begins where pass {expected} follows")]
    Pass {
        /// Number that follows.
        expected: u32,
        /// Number that came.
        found: u32,
    },
    /// More pages than the pass has, or fewer.
    #[error("a pass has other pages than were announced")]
    Count,
    /// A page that the memory does not have.
    #[error("the memory has no page {0}")]
    Page(u64),
}

/// Something that the owner of the memory is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    None,
    /// Begin a memory of so many octets, in place of one that is not whole.
    Open {
        /// Octets of the memory.
        memory_bytes: u64,
    },
    /// Store the pages of the record.
    Store,
    /// Compute the digest of the memory when it is safe: [`Arrival::compared`].
    Compare,
    /// Keep the memory under its name: the guest is here.
    Keep,
    /// Drop the memory that is not whole.
    Drop,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing has begun.
    Idle,
    Moving,
    /// Everything came, and the digest of the source is this one.
    Comparing(Digest),
    /// The memory is whole.
    Whole(Digest),
    Over(Conclusion),
}

/// Destination of a relocation.
#[derive(Debug)]
pub struct Arrival {
    guest: SystemName,
    /// Digest of the guest that is here.
    present: Option<Digest>,
    state: State,
    replies: VecDeque<Reply>,
    memory_bytes: u64,
    attempts: u32,
    passes: Vec<Pass>,
    kind: PassKind,
    /// Pages of the present pass that have not come.
    left: u64,
    began: Time,
    pass_start: Time,
    /// The guest stands at the source since then.
    stopped_at: Option<Time>,
    ended_at: Option<Time>,
}

impl Arrival {
    /// Makes the destination of a guest, which may be here already.
    pub const fn new(guest: SystemName, present: Option<Digest>) -> Self {
        Self {
            guest,
            present,
            state: State::Idle,
            replies: VecDeque::new(),
            memory_bytes: 0,
            attempts: 0,
            passes: Vec::new(),
            kind: PassKind::Running,
            left: 0,
            began: Time::ZERO,
            pass_start: Time::ZERO,
            stopped_at: None,
            ended_at: None,
        }
    }

    /// Takes it that either system has started: the conversation begins. A memory that is not whole is of no use any more.
    pub fn restarted(&mut self) {
        self.replies.clear();
        self.replies.push_back(Reply::Greeting(self.present));
        if self.present.is_none() {
            self.state = State::Idle;
        }
    }

    /// Takes a record of the source.
    ///
    /// # Errors
    /// It does not belong here.
    pub fn received(&mut self, record: &Record<'_>, now: Time) -> Result<Effect, ArrivalError> {
        match (record, self.state) {
            (Record::Cancel(reason), _) => {
                self.state = State::Over(Conclusion::Stays(*reason));
                self.ended_at = Some(now);
                Ok(Effect::Drop)
            }
            (Record::Commit, State::Whole(digest)) => {
                self.present = Some(digest);
                let has_converged = self.kind == PassKind::Converged;
                self.state = State::Over(Conclusion::Moved { has_converged });
                Ok(Effect::Keep)
            }
            (Record::Commit, _) if self.present.is_some() => {
                if !matches!(self.state, State::Over(conclusion) if conclusion.is_moved()) {
                    self.state = State::Over(Conclusion::AlreadyThere);
                }
                Ok(Effect::None)
            }
            // What the source has sent before it has the refusal.
            (_, State::Over(Conclusion::Stays(_))) => Ok(Effect::None),
            (Record::Begin { guest, memory_bytes }, State::Idle) if self.present.is_none() => {
                Ok(self.begin(*guest, *memory_bytes, now))
            }
            (Record::Pass { number, kind, pages }, State::Moving) => {
                self.begin_pass(*number, *kind, *pages, now)
            }
            (Record::Pages { runs, .. }, State::Moving) => {
                let memory_pages = self.memory_bytes / PAGE_BYTES;
                let ends = runs.iter().map(|run| run.first.saturating_add(run.pages.into()));
                if let Some(end) = ends.max().filter(|end| *end > memory_pages) {
                    return Err(ArrivalError::Page(end - 1));
                }
                let pages = runs.iter().map(|run| u64::from(run.pages)).sum();
                self.left = self.left.checked_sub(pages).ok_or(ArrivalError::Count)?;
                if let Some(pass) = self.passes.last_mut() {
                    pass.bytes += pages * PAGE_BYTES;
                    pass.span = now.saturating_since(self.pass_start);
                }
                Ok(Effect::Store)
            }
            (Record::End(digest), State::Moving) if self.kind != PassKind::Running => {
                if self.left > 0 {
                    return Err(ArrivalError::Count);
                }
                self.state = State::Comparing(*digest);
                Ok(Effect::Compare)
            }
            _ => Err(ArrivalError::Order),
        }
    }

    fn begin(&mut self, guest: SystemName, memory_bytes: u64, now: Time) -> Effect {
        if guest != self.guest {
            self.refuse(Reason::OtherGuest, now);
            return Effect::None;
        }
        self.attempts += 1;
        self.memory_bytes = memory_bytes;
        self.state = State::Moving;
        self.kind = PassKind::Running;
        self.left = 0;
        self.passes.clear();
        (self.began, self.stopped_at, self.ended_at) = (now, None, None);
        Effect::Open { memory_bytes }
    }

    fn refuse(&mut self, reason: Reason, now: Time) {
        self.replies.push_back(Reply::Refused(reason));
        self.state = State::Over(Conclusion::Stays(reason));
        self.ended_at = Some(now);
    }

    fn begin_pass(
        &mut self,
        number: u32,
        kind: PassKind,
        pages: u64,
        now: Time,
    ) -> Result<Effect, ArrivalError> {
        if self.kind != PassKind::Running {
            return Err(ArrivalError::Order);
        }
        let expected = self.passes.len() as u32 + 1;
        if number != expected {
            return Err(ArrivalError::Pass { expected, found: number });
        }
        let memory_pages = self.memory_bytes / PAGE_BYTES;
        let is_whole = number > 1 || pages == memory_pages;
        if self.left > 0 || pages > memory_pages || !is_whole {
            return Err(ArrivalError::Count);
        }
        let is_quiesced = kind != PassKind::Running;
        self.passes.push(Pass { bytes: 0, span: Span::ZERO, is_quiesced });
        (self.kind, self.left, self.pass_start) = (kind, pages, now);
        self.stopped_at = is_quiesced.then_some(now);
        Ok(Effect::None)
    }

    /// Takes the digest of the memory that came, which is safe where it is; true when it is the source's.
    pub fn compared(&mut self, digest: Digest, now: Time) -> bool {
        let State::Comparing(sent) = self.state else { return false };
        if sent != digest {
            self.refuse(Reason::Different, now);
            return false;
        }
        self.state = State::Whole(digest);
        self.replies.push_back(Reply::Whole);
        self.ended_at = Some(now);
        true
    }

    /// Returns the next record to the source.
    pub fn poll_reply(&mut self) -> Option<Reply> {
        self.replies.pop_front()
    }

    /// Returns whether the relocation is over, and every record was handed over.
    pub fn is_finished(&self) -> bool {
        matches!(self.state, State::Over(_)) && self.replies.is_empty()
    }

    /// Returns the report.
    pub fn report(&self) -> RelocationReport {
        let conclusion = match self.state {
            State::Over(conclusion) => Some(conclusion),
            _ => None,
        };
        let is_moved = matches!(self.state, State::Whole(_) | State::Over(Conclusion::Moved { .. }));
        RelocationReport {
            guest: self.guest,
            memory_bytes: self.memory_bytes,
            quiesce_max: None,
            attempts: self.attempts,
            passes: self.passes.clone(),
            quiesce: self
                .ended_at
                .zip(self.stopped_at)
                .filter(|_| is_moved)
                .map(|(end, stop)| end.saturating_since(stop)),
            total: self.ended_at.filter(|_| self.attempts > 0).map(|end| end.saturating_since(self.began)),
            conclusion,
        }
    }
}

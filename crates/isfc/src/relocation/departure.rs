//! Source of a relocation: its attempts, each with a start of the destination.
//!
//! ```text
//! greeting ─► Begin ─► passes ─► guest stops ─► rest, End ─► Whole ─► memory kept ─► Commit
//!    │                   └─► not converged: Cancel             └─► Refused: the guest goes on
//!    └─ it is there already, with the memory of the stop: Commit
//! ```
//!
//! The guest is the destination's from the Commit on. The source keeps the memory of the stop before it sends that, so that a
//! source or a destination that starts anew finds both memories equal, or the destination without one.

use std::collections::VecDeque;

use halftrack_base::{Span, Time};
use thiserror::Error;

use super::pages::{PageRun, PageSet};
use super::record::{Digest, PAGES_MAX, PassKind, Reason, Record, Reply};
use super::report::{Conclusion, RelocationReport};
use super::{Outcome, PAGE_BYTES, Phase, Plan, Relocation};
use crate::block::BLOCK_BYTES_MAX;
use crate::system_name::SystemName;

/// Reply that does not belong to the state of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the destination sent a record that has no place here: {0:?}")]
pub struct DepartureError(pub Reply);

/// Something that the owner of the guest is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// Count the pages that the guest has changed since the last count: [`Departure::counted`].
    Count,
    /// Compute the digest of the memory: [`Departure::digested`].
    Digest,
    /// Keep the memory as it is, so that a later start begins with it: [`Departure::saved`].
    Save,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// The destination has not greeted.
    Waiting,
    /// The destination has a guest of the name with this memory.
    Comparing(Digest),
    /// Pages are moved.
    Moving,
    /// Everything was handed over.
    Ended,
    /// The destination has the whole memory.
    Saving,
    Over(Conclusion),
}

/// Source of a relocation.
#[derive(Debug)]
pub struct Departure {
    guest: SystemName,
    plan: Plan,
    state: State,
    relocation: Option<Relocation>,
    attempts: u32,
    reserve: Span,
    is_guest_running: bool,
    /// Pages of the present pass that were not handed over.
    pass: PageSet,
    digest: Option<Digest>,
    controls: VecDeque<Record<'static>>,
    /// Octets of the conversation, and octets of pages, that were handed over; both after each record.
    handed: (u64, u64),
    unacknowledged: VecDeque<(u64, u64)>,
}

impl Departure {
    /// Makes the source of a guest whose changed pages are counted ([`Changes::Counted`](super::Changes::Counted)).
    pub fn new(guest: SystemName, plan: Plan) -> Self {
        Self {
            guest,
            plan,
            state: State::Waiting,
            relocation: None,
            attempts: 0,
            reserve: Span::ZERO,
            is_guest_running: false,
            pass: PageSet::none(plan.memory_bytes / PAGE_BYTES),
            digest: None,
            controls: VecDeque::new(),
            handed: (0, 0),
            unacknowledged: VecDeque::new(),
        }
    }

    /// Returns whether the guest runs here.
    pub const fn is_guest_running(&self) -> bool {
        self.is_guest_running
    }

    /// Takes it that either system has started: the conversation begins.
    pub fn restarted(&mut self) {
        self.controls.clear();
        self.unacknowledged.clear();
        self.handed = (0, 0);
        if !matches!(self.state, State::Over(Conclusion::Stays(_))) {
            self.state = State::Waiting;
        }
    }

    /// Takes a record of the destination.
    ///
    /// # Errors
    /// It has no place in the order of records.
    pub fn received(&mut self, reply: Reply, now: Time) -> Result<(), DepartureError> {
        match (reply, self.state) {
            (Reply::Greeting(_), State::Over(Conclusion::Stays(reason))) => {
                self.controls.push_back(Record::Cancel(reason));
            }
            (Reply::Greeting(None), State::Waiting) => self.begin(now),
            // A guest that runs here was never moved: the one at the destination is another.
            (Reply::Greeting(Some(_)), State::Waiting) if self.is_guest_running => {
                self.stay(Reason::OtherMemory);
            }
            (Reply::Greeting(Some(digest)), State::Waiting) => {
                self.digest = None;
                self.state = State::Comparing(digest);
            }
            (Reply::Whole, State::Ended) => {
                if let Some(relocation) = &mut self.relocation {
                    relocation.acknowledged(self.handed.1, now);
                    relocation.resumed(now);
                }
                self.state = State::Saving;
            }
            (Reply::Refused(reason), State::Moving | State::Ended) => {
                self.is_guest_running = true;
                self.state = State::Over(Conclusion::Stays(reason));
            }
            (Reply::Refused(_), State::Over(Conclusion::Stays(_))) => {}
            _ => return Err(DepartureError(reply)),
        }
        Ok(())
    }

    fn begin(&mut self, now: Time) {
        self.attempts += 1;
        self.is_guest_running = true;
        self.digest = None;
        self.state = State::Moving;
        let memory_bytes = self.plan.memory_bytes;
        self.pass = PageSet::all(memory_bytes / PAGE_BYTES);
        let mut relocation = Relocation::new(self.plan, now);
        relocation.reserve(self.reserve);
        self.relocation = Some(relocation);
        self.controls.push_back(Record::Begin { guest: self.guest, memory_bytes });
        self.begin_pass(PassKind::Running);
    }

    fn begin_pass(&mut self, kind: PassKind) {
        let number = self.relocation.as_ref().map_or(0, |relocation| {
            // A last pass of no pages is over as soon as it has begun.
            let is_over = relocation.phase() == Phase::Resuming;
            relocation.passes().len() as u32 + u32::from(!is_over)
        });
        self.controls.push_back(Record::Pass { number, kind, pages: self.pass.count() });
    }

    fn stay(&mut self, reason: Reason) {
        self.is_guest_running = true;
        self.controls.push_back(Record::Cancel(reason));
        self.state = State::Over(Conclusion::Stays(reason));
    }

    /// Sets how long the digest of the memory takes, for which the guest stands ([`Relocation::reserve`]).
    pub const fn reserve(&mut self, span: Span) {
        self.reserve = span;
        if let Some(relocation) = &mut self.relocation {
            relocation.reserve(span);
        }
    }

    /// Returns what the owner of the guest is to do next.
    pub fn task(&self) -> Option<Task> {
        let phase = self.relocation.as_ref().map(Relocation::phase);
        match (self.state, phase) {
            (State::Comparing(_), _) => Some(Task::Digest),
            (State::Moving, Some(Phase::Counting | Phase::Stopping)) => Some(Task::Count),
            (State::Moving, Some(Phase::Quiesced | Phase::Resuming)) if self.digest.is_none() => {
                Some(Task::Digest)
            }
            (State::Saving, _) => Some(Task::Save),
            _ => None,
        }
    }

    /// Takes the pages that the guest has changed since the last count, or since the relocation began.
    pub fn counted(&mut self, changed: &PageSet, now: Time) {
        let (State::Moving, Some(relocation)) = (self.state, &mut self.relocation) else { return };
        let added = self.pass.join(changed);
        relocation.counted(added, now);
        let kind = if relocation.has_converged() { PassKind::Converged } else { PassKind::Forced };
        match relocation.phase() {
            Phase::Passing => self.begin_pass(PassKind::Running),
            Phase::Stopping => self.is_guest_running = false,
            Phase::Quiesced | Phase::Resuming => self.begin_pass(kind),
            Phase::Over(Outcome::Cancelled) => self.stay(Reason::NotConverged),
            Phase::Counting | Phase::Over(_) => {}
        }
    }

    /// Takes the digest of the memory of the guest, which stands.
    pub fn digested(&mut self, digest: Digest) {
        match self.state {
            State::Comparing(there) if there == digest => {
                self.controls.push_back(Record::Commit);
                let moved = self.relocation.as_ref().filter(|one| matches!(one.phase(), Phase::Over(_)));
                let has_converged = moved.map(Relocation::has_converged);
                self.state =
                    State::Over(has_converged.map_or(Conclusion::AlreadyThere, |has_converged| {
                        Conclusion::Moved { has_converged }
                    }));
            }
            State::Comparing(_) => self.stay(Reason::OtherMemory),
            _ => self.digest = Some(digest),
        }
    }

    /// Takes it that the memory of the stop is kept.
    pub fn saved(&mut self) {
        let (State::Saving, Some(relocation)) = (self.state, &self.relocation) else { return };
        let has_converged = relocation.has_converged();
        self.controls.push_back(Record::Commit);
        self.state = State::Over(Conclusion::Moved { has_converged });
    }

    /// Returns the octets of the next record, when there is one and room for a block; `contents` adds those of a run of pages.
    pub fn next(
        &mut self,
        room_bytes: u64,
        mut contents: impl FnMut(PageRun, &mut Vec<u8>),
    ) -> Option<Vec<u8>> {
        if room_bytes < u64::from(BLOCK_BYTES_MAX) {
            return None;
        }
        let octets = match self.controls.pop_front() {
            Some(control) => control.encode(),
            None if self.state == State::Moving => self.next_of_pass(&mut contents)?,
            None => return None,
        };
        self.handed.0 += octets.len() as u64;
        self.unacknowledged.push_back(self.handed);
        Some(octets)
    }

    /// Returns the next pages, or the end that follows the last ones.
    fn next_of_pass(&mut self, contents: &mut impl FnMut(PageRun, &mut Vec<u8>)) -> Option<Vec<u8>> {
        let relocation = self.relocation.as_mut()?;
        if relocation.to_send_bytes() == 0 {
            let is_last = matches!(relocation.phase(), Phase::Quiesced | Phase::Resuming);
            let digest = self.digest.filter(|_| is_last)?;
            self.state = State::Ended;
            return Some(Record::End(digest).encode());
        }
        let (mut runs, mut pages) = (Vec::new(), 0);
        while let Some(run) = self.pass.take_run(PAGES_MAX - pages) {
            pages += run.pages;
            runs.push(run);
        }
        let mut octets = Record::before_contents(&runs);
        runs.iter().for_each(|run| contents(*run, &mut octets));
        let bytes = u64::from(pages) * PAGE_BYTES;
        relocation.sent(bytes);
        self.handed.1 += bytes;
        Some(octets)
    }

    /// Takes it that the destination has the conversation up to this offset.
    pub fn acknowledged(&mut self, offset: u64, now: Time) {
        let mut pages = None;
        while let Some((_, bytes)) = self.unacknowledged.front().copied().filter(|(end, _)| *end <= offset) {
            pages = Some(bytes);
            self.unacknowledged.pop_front();
        }
        if let (Some(bytes), Some(relocation)) = (pages, &mut self.relocation) {
            relocation.acknowledged(bytes, now);
        }
    }

    /// Returns whether the relocation is over, and the destination has every record.
    pub fn is_finished(&self) -> bool {
        matches!(self.state, State::Over(_)) && self.controls.is_empty() && self.unacknowledged.is_empty()
    }

    /// Returns the report.
    pub fn report(&self) -> RelocationReport {
        let conclusion = match self.state {
            State::Over(conclusion) => Some(conclusion),
            _ => None,
        };
        let relocation = self.relocation.as_ref();
        RelocationReport {
            guest: self.guest,
            memory_bytes: self.plan.memory_bytes,
            quiesce_max: Some(self.plan.quiesce_max),
            attempts: self.attempts,
            passes: relocation.map(|one| one.passes().to_vec()).unwrap_or_default(),
            quiesce: relocation.and_then(Relocation::quiesce),
            total: relocation.and_then(Relocation::total),
            conclusion,
        }
    }
}

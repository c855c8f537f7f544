//! Live relocation of a guest: its memory is moved in passes while it runs, and what is left once it is stopped.
//!
//! The first pass moves all pages. Each pass leaves those that the guest has changed meanwhile. When they can be moved within
//! the wanted quiesce time, at the rate of the last pass, the guest is stopped and they are moved. A guest that changes pages
//! faster than the link moves them never comes to that: after a stated number of passes the policy decides.
//!
//! A [`Relocation`] counts octets and moments. The caller moves the data, and gives the changed pages of a real guest; those of
//! a modelled one follow from its rate. A [`Departure`] and an [`Arrival`] are the two systems of a real guest, which exchange
//! [`Record`]s and [`Reply`]s over a conversation ([`End::converse`](crate::End::converse)).

mod arrival;
mod departure;
mod pages;
mod record;
mod report;
#[cfg(test)]
mod tests;

use halftrack_base::{Span, Time};

pub use arrival::{Arrival, ArrivalError, Effect};
pub use departure::{Departure, DepartureError, Task};
pub use pages::{PageRun, PageSet};
pub use record::{Digest, PAGES_MAX, PassKind, Reason, Record, RecordError, Reply};
pub use report::{Conclusion, RelocationReport};

/// Octets of a page (z/Architecture Principles of Operation, storage).
pub const PAGE_BYTES: u64 = 4096;

/// Changes that a guest makes to its pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Changes {
    /// A modelled guest: writes on pages of a working set, each page equally likely.
    Modelled {
        /// Writes on pages in a second.
        pages_per_s: u64,
        /// Pages of the working set, at most those of the memory.
        working_set_pages: u64,
    },
    /// A real guest: the caller counts changed pages whenever [`Relocation::phase`] is [`Phase::Counting`] or [`Phase::Stopping`].
    Counted,
}

/// Decision when the passes do not converge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Otherwise {
    /// Stop the guest and move what is left, however long that takes.
    Quiesce,
    /// Give the relocation up: the guest goes on where it is.
    Cancel,
}

/// Settings of a relocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// Octets of memory of the guest.
    pub memory_bytes: u64,
    /// Changes to its pages.
    pub changes: Changes,
    /// Longest time for which the guest may be stopped.
    pub quiesce_max: Span,
    /// Passes of the running guest after which it is decided otherwise.
    pub passes_max: u32,
    /// Decision then.
    pub otherwise: Otherwise,
}

/// Phase of a relocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// A pass is moved while the guest runs.
    Passing,
    /// Pages changed since the last count are to be counted, while the guest runs.
    Counting,
    /// The guest is to be stopped, and pages changed since the last count are to be counted.
    Stopping,
    /// The rest is moved, while the guest stands.
    Quiesced,
    /// Everything is moved, and a real guest has not gone on at the other system yet.
    Resuming,
    /// The relocation is over.
    Over(Outcome),
}

/// Result of a relocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The guest was moved, stopped for the wanted time as it was foreseen.
    Converged,
    /// The passes did not converge; the guest was stopped and moved nevertheless.
    Quiesced,
    /// The passes did not converge; the guest stays.
    Cancelled,
}

/// A pass over memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pass {
    /// Octets moved.
    pub bytes: u64,
    /// Time from its beginning to the acknowledgement of its last octet.
    pub span: Span,
    /// The guest was stopped.
    pub is_quiesced: bool,
}

/// A relocation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relocation {
    plan: Plan,
    phase: Phase,
    start: Time,
    passes: Vec<Pass>,
    /// Beginning of the present pass.
    pass_start: Time,
    /// Octets of the present pass, and of those before it.
    pass_bytes: u64,
    earlier_bytes: u64,
    /// Octets handed over for the link, of all passes.
    sent_bytes: u64,
    stopped_at: Option<Time>,
    end: Option<Time>,
    has_converged: bool,
    /// Time for which the guest stands beside the last pass.
    reserve: Span,
}

impl Relocation {
    /// Begins a relocation with the pass over all pages.
    pub fn new(plan: Plan, now: Time) -> Self {
        let mut relocation = Self {
            plan,
            phase: Phase::Passing,
            start: now,
            passes: Vec::new(),
            pass_start: now,
            pass_bytes: plan.memory_bytes,
            earlier_bytes: 0,
            sent_bytes: 0,
            stopped_at: None,
            end: None,
            has_converged: true,
            reserve: Span::ZERO,
        };
        relocation.acknowledged(0, now);
        relocation
    }

    /// Returns the phase.
    pub const fn phase(&self) -> Phase {
        self.phase
    }

    /// Returns how many octets of the present pass are to be handed over for the link.
    pub const fn to_send_bytes(&self) -> u64 {
        match self.phase {
            Phase::Passing | Phase::Quiesced => self.earlier_bytes + self.pass_bytes - self.sent_bytes,
            Phase::Counting | Phase::Stopping | Phase::Resuming | Phase::Over(_) => 0,
        }
    }

    /// Takes it that octets were handed over for the link.
    ///
    /// # Panics
    /// When they are more than [`Relocation::to_send_bytes`].
    pub fn sent(&mut self, bytes: u64) {
        assert!(bytes <= self.to_send_bytes(), "no more is sent than the pass has");
        self.sent_bytes += bytes;
    }

    /// Takes it that the partner has so many octets of all that were handed over.
    pub fn acknowledged(&mut self, bytes: u64, now: Time) {
        let is_moving = matches!(self.phase, Phase::Passing | Phase::Quiesced);
        if !is_moving || bytes < self.earlier_bytes + self.pass_bytes {
            return;
        }
        let is_quiesced = self.phase == Phase::Quiesced;
        let span = now.saturating_since(self.pass_start);
        self.passes.push(Pass { bytes: self.pass_bytes, span, is_quiesced });
        self.earlier_bytes += self.pass_bytes;
        if is_quiesced {
            self.phase = Phase::Resuming;
            if let Changes::Modelled { .. } = self.plan.changes {
                self.resumed(now);
            }
            return;
        }
        self.phase = Phase::Counting;
        if let Changes::Modelled { pages_per_s, working_set_pages } = self.plan.changes {
            let pages = self.plan.memory_bytes.div_ceil(PAGE_BYTES).min(working_set_pages);
            self.counted(changed_pages(pages_per_s, pages, span), now);
        }
    }

    /// Takes it that a real guest goes on at the other system, when everything is there ([`Phase::Resuming`]).
    pub fn resumed(&mut self, now: Time) {
        if self.phase != Phase::Resuming {
            return;
        }
        self.end = Some(now);
        let outcome = if self.has_converged { Outcome::Converged } else { Outcome::Quiesced };
        self.phase = Phase::Over(outcome);
    }

    /// Takes the number of pages that the guest has changed since the last count, or since the beginning.
    pub fn counted(&mut self, pages: u64, now: Time) {
        let bytes = pages.saturating_mul(PAGE_BYTES).min(self.plan.memory_bytes);
        match self.phase {
            Phase::Counting => self.decide(bytes, now),
            Phase::Stopping => {
                self.pass_bytes = self.pass_bytes.saturating_add(bytes).min(self.plan.memory_bytes);
                self.begin(Phase::Quiesced, now);
            }
            Phase::Passing | Phase::Quiesced | Phase::Resuming | Phase::Over(_) => {}
        }
    }

    /// Decides how the octets that are left are moved.
    fn decide(&mut self, left_bytes: u64, now: Time) {
        self.pass_bytes = left_bytes;
        let foreseen = self.passes.last().and_then(|pass| span_of(left_bytes, pass));
        let is_short =
            foreseen.is_some_and(|foreseen| foreseen.saturating_add(self.reserve) <= self.plan.quiesce_max);
        if !is_short && self.passes.len() < self.plan.passes_max as usize {
            return self.begin(Phase::Passing, now);
        }
        self.has_converged = is_short;
        if !is_short && self.plan.otherwise == Otherwise::Cancel {
            self.end = Some(now);
            self.phase = Phase::Over(Outcome::Cancelled);
            return;
        }
        self.stopped_at = Some(now);
        self.phase = Phase::Stopping;
        if let Changes::Modelled { .. } = self.plan.changes {
            self.counted(0, now);
        }
    }

    fn begin(&mut self, phase: Phase, now: Time) {
        self.phase = phase;
        self.pass_start = now;
        // A pass of nothing is over at once.
        if self.pass_bytes == 0 {
            self.acknowledged(self.earlier_bytes, now);
        }
    }

    /// Sets for how long the guest stands beside the last pass, as for a digest of its memory. From the next count on that is
    /// foreseen too.
    pub const fn reserve(&mut self, span: Span) {
        self.reserve = span;
    }

    /// Returns whether the guest is stopped, or was, because what is left can be moved within the wanted time.
    pub const fn has_converged(&self) -> bool {
        self.has_converged
    }

    /// Returns the passes that are over.
    pub fn passes(&self) -> &[Pass] {
        &self.passes
    }

    /// Returns how long the guest was stopped, once it goes on at the other system.
    pub fn quiesce(&self) -> Option<Span> {
        Some(self.end?.saturating_since(self.stopped_at?))
    }

    /// Returns how long the relocation took, once it is over.
    pub fn total(&self) -> Option<Span> {
        Some(self.end?.saturating_since(self.start))
    }
}

/// Returns the time that octets take at the rate of a pass; none when that had no octets or no end.
fn span_of(bytes: u64, pass: &Pass) -> Option<Span> {
    if bytes == 0 {
        return Some(Span::ZERO);
    }
    let ps = u128::from(bytes) * u128::from(pass.span.as_ps());
    u64::try_from(ps.checked_div(pass.bytes.into())?).ok().map(Span::from_ps)
}

/// Returns how many of `pages` pages are changed in a span, by writes each of which takes any page: the expectation, rounded up.
fn changed_pages(pages_per_s: u64, pages: u64, span: Span) -> u64 {
    if pages == 0 {
        return 0;
    }
    let writes_a_page = pages_per_s as f64 * span.as_s_f64() / pages as f64;
    let changed = pages as f64 * -libm::expm1(-writes_a_page);
    (libm::ceil(changed) as u64).min(pages)
}

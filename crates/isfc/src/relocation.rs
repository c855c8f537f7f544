//! Live relocation of a guest: its memory is moved in passes while it runs, and what is left once it is stopped.
//!
//! The first pass moves all pages. Each pass leaves those that the guest has changed meanwhile. When they can be moved within
//! the wanted quiesce time, at the rate of the last pass, the guest is stopped and they are moved. A guest that changes pages
//! faster than the link moves them never comes to that: after a stated number of passes the policy decides.
//!
//! A [`Relocation`] counts octets and moments. The caller moves the data, and gives the changed pages of a real guest; those of
//! a modelled one follow from its rate.

use halftrack_base::{Span, Time};

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
            Phase::Counting | Phase::Stopping | Phase::Over(_) => 0,
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
            self.end = Some(now);
            let outcome = if self.has_converged { Outcome::Converged } else { Outcome::Quiesced };
            self.phase = Phase::Over(outcome);
            return;
        }
        self.phase = Phase::Counting;
        if let Changes::Modelled { pages_per_s, working_set_pages } = self.plan.changes {
            let pages = self.plan.memory_bytes.div_ceil(PAGE_BYTES).min(working_set_pages);
            self.counted(changed_pages(pages_per_s, pages, span), now);
        }
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
            Phase::Passing | Phase::Quiesced | Phase::Over(_) => {}
        }
    }

    /// Decides how the octets that are left are moved.
    fn decide(&mut self, left_bytes: u64, now: Time) {
        self.pass_bytes = left_bytes;
        let foreseen = self.passes.last().and_then(|pass| span_of(left_bytes, pass));
        let is_short = foreseen.is_some_and(|foreseen| foreseen <= self.plan.quiesce_max);
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

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    fn plan(pages_per_s: u64, otherwise: Otherwise) -> Plan {
        Plan {
            memory_bytes: 1024 * MIB,
            changes: Changes::Modelled { pages_per_s, working_set_pages: 128 * MIB / PAGE_BYTES },
            quiesce_max: Span::from_ms(200),
            passes_max: 8,
            otherwise,
        }
    }

    /// Moves a guest over a link of a rate, of which each acknowledgement is a MiB.
    fn run(plan: Plan, mib_per_s: u64) -> Relocation {
        let mut now = Time::ZERO;
        let mut relocation = Relocation::new(plan, now);
        let mut acknowledged = 0;
        while relocation.to_send_bytes() > 0 {
            let bytes = relocation.to_send_bytes().min(MIB);
            relocation.sent(bytes);
            acknowledged += bytes;
            now += Span::from_us(1_000_000 * bytes / (mib_per_s * MIB));
            relocation.acknowledged(acknowledged, now);
        }
        relocation
    }

    fn outcome(relocation: &Relocation) -> Outcome {
        match relocation.phase() {
            Phase::Over(outcome) => outcome,
            phase => panic!("{phase:?}"),
        }
    }

    #[test]
    fn passes_become_shorter_until_the_rest_is_within_the_quiesce_time() {
        let relocation = run(plan(10_000, Otherwise::Cancel), 256);
        assert_eq!(outcome(&relocation), Outcome::Converged);
        let bytes: Vec<_> = relocation.passes().iter().map(|pass| pass.bytes).collect();
        assert!(bytes.is_sorted_by(|one, next| one > next), "{bytes:?}");
        assert!(relocation.quiesce().unwrap() <= Span::from_ms(201), "{relocation:?}");
        let sum: u64 = relocation.passes().iter().map(|pass| pass.span.as_ps()).sum();
        assert_eq!(relocation.total().unwrap().as_ps(), sum);
        // Four seconds of 10,000 writes a second on 32,768 pages: 32,768 * (1 - exp(-1.22)).
        assert!((22_700..=23_200).contains(&(bytes[1] / PAGE_BYTES)), "{}", bytes[1] / PAGE_BYTES);
    }

    #[test]
    fn a_guest_that_changes_pages_faster_than_the_link_moves_them_does_not_converge() {
        let fast = 4 * 256 * MIB / PAGE_BYTES;
        let cancelled = run(plan(fast, Otherwise::Cancel), 256);
        assert_eq!((outcome(&cancelled), cancelled.passes().len()), (Outcome::Cancelled, 8));
        assert_eq!(cancelled.quiesce(), None);
        let quiesced = run(plan(fast, Otherwise::Quiesce), 256);
        assert_eq!((outcome(&quiesced), quiesced.passes().len()), (Outcome::Quiesced, 9));
        assert!(quiesced.quiesce().unwrap() > Span::from_ms(200));
    }

    #[test]
    fn a_guest_at_rest_needs_one_pass_and_no_time_to_stop() {
        let relocation = run(plan(0, Otherwise::Cancel), 256);
        assert_eq!((outcome(&relocation), relocation.quiesce()), (Outcome::Converged, Some(Span::ZERO)));
        assert_eq!(relocation.passes().len(), 2);
        let nothing = Plan { memory_bytes: 0, ..plan(5, Otherwise::Cancel) };
        assert_eq!(outcome(&Relocation::new(nothing, Time::ZERO)), Outcome::Converged);
    }

    #[test]
    fn pages_of_a_real_guest_are_counted_once_more_when_it_stands() {
        let plan =
            Plan { memory_bytes: 10 * PAGE_BYTES, changes: Changes::Counted, ..plan(0, Otherwise::Cancel) };
        let mut relocation = Relocation::new(plan, Time::ZERO);
        relocation.sent(10 * PAGE_BYTES);
        relocation.acknowledged(10 * PAGE_BYTES, Time::ZERO + Span::from_ms(1000));
        assert_eq!(relocation.phase(), Phase::Counting);
        relocation.counted(1, Time::ZERO + Span::from_ms(1000));
        assert_eq!((relocation.phase(), relocation.to_send_bytes()), (Phase::Stopping, 0));
        relocation.counted(2, Time::ZERO + Span::from_ms(1010));
        assert_eq!((relocation.phase(), relocation.to_send_bytes()), (Phase::Quiesced, 3 * PAGE_BYTES));
        relocation.sent(3 * PAGE_BYTES);
        relocation.acknowledged(13 * PAGE_BYTES, Time::ZERO + Span::from_ms(1250));
        assert_eq!(outcome(&relocation), Outcome::Converged);
        assert_eq!(relocation.quiesce(), Some(Span::from_ms(250)));
    }
}

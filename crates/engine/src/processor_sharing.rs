//! A station whose one server is shared equally among all jobs present.

use crate::sorted_line::SortedLine;
use halftrack_base::{Span, Time};

/// Fraction bits of attained service: it is counted in 2^-16 ps.
const FRACTION_BITS: u32 = 16;
/// Elapsed picoseconds below this can be shifted left by [`FRACTION_BITS`] within 64 bits.
const NARROW_PS: u64 = 1 << (u64::BITS - FRACTION_BITS);

/// One server shared equally among the jobs present (processor sharing).
///
/// The owner keeps one alarm for it ([`crate::Alarms`]): after every call it sets that to [`Self::next_completion`],
/// and when it is due it calls [`Self::complete`]. For a job that finds the station idle an event of
/// [`crate::PendingSet`] does as well, to be ignored if another job comes before it ([`Self::is_lone`]).
///
/// Method: attained service per job (virtual work) grows by elapsed / jobs; a job finishes when it reaches the
/// value at its arrival plus its work. Jobs due at the same value finish in order of arrival.
///
/// Such a job costs the station three numbers, and its queue is not touched.
///
/// Exactness: attained service is rounded down to 2^-16 ps at each arrival and completion, completions up to whole
/// picoseconds. So no job finishes early; in a busy period of k arrivals and completions with at most n jobs the
/// server is busy at least the sum of the works, and at most that plus k * (1 + n * 2^-16) ps.
#[derive(Clone, Debug, PartialEq)]
#[repr(C)]
pub struct ProcessorSharing {
    /// When the job is done that came when nobody was here, as long as nobody has come since; else [`Time::MAX`].
    lone_until: Time,
    /// When `attained`, `busy` and `area` were brought up to date.
    updated: Time,
    busy: Span,
    arrivals: u64,
    area_ps: u128,
    lone_job: u32,
    /// Jobs present: the lone one, or those in the queue.
    present: u32,
    /// Attained service, in 2^-16 ps, of a job present since the busy period began.
    attained: u128,
    /// Jobs by the attained service at which they finish, in 2^-16 ps.
    jobs: SortedLine<u128, u32>,
}

impl ProcessorSharing {
    /// Creates an idle station with room for `jobs` jobs; it grows when there are more.
    pub fn with_capacity(jobs: usize) -> Self {
        Self {
            lone_until: Time::MAX,
            updated: Time::ZERO,
            busy: Span::ZERO,
            arrivals: 0,
            area_ps: 0,
            lone_job: 0,
            present: 0,
            attained: 0,
            jobs: SortedLine::with_capacity(jobs),
        }
    }

    /// Accepts `job` at `now`, which needs `work` of an unshared server.
    ///
    /// # Panics
    /// When `now` is before an earlier call's.
    #[inline(always)]
    pub fn arrive(&mut self, now: Time, job: u32, work: Span) {
        let done = now.saturating_add(work);
        if self.present > 0 || done == Time::MAX {
            self.arrive_among(now, job, work);
            return;
        }
        assert!(now >= self.updated, "a job arrives before an earlier one");
        (self.lone_until, self.lone_job, self.present) = (done, job, 1);
        self.updated = now;
        self.arrivals += 1;
    }

    /// Accepts a job that shares the server with others.
    #[inline(never)]
    fn arrive_among(&mut self, now: Time, job: u32, work: Span) {
        if self.is_lone() {
            // It came when `attained` was zero, which it has been brought up to.
            let finish = u128::from(self.lone_until.since(self.updated).as_ps()) << FRACTION_BITS;
            self.jobs.insert(finish, self.lone_job);
            self.lone_until = Time::MAX;
        }
        self.advance(now);
        let finish = self.attained + (u128::from(work.as_ps()) << FRACTION_BITS);
        self.jobs.insert(finish, job);
        self.arrivals += 1;
        self.present += 1;
    }

    /// Returns the time at which the first of the jobs present finishes if nobody else comes; [`Time::MAX`] if no job is present.
    #[inline(always)]
    pub fn next_completion(&self) -> Time {
        if self.is_lone() || self.present == 0 {
            return self.lone_until;
        }
        self.first_completion()
    }

    /// Returns the time at which the first of the jobs in the queue finishes.
    fn first_completion(&self) -> Time {
        let Some((finish, _)) = self.jobs.first() else { return Time::MAX };
        let left = finish.saturating_sub(self.attained) * u128::from(self.present);
        let left_ps = (left + ((1 << FRACTION_BITS) - 1)) >> FRACTION_BITS;
        u64::try_from(left_ps).map_or(Time::MAX, |ps| self.updated.saturating_add(Span::from_ps(ps)))
    }

    /// Returns the job that finishes at `now`, which is [`Self::next_completion`]; `None` if no job is present.
    ///
    /// # Panics
    /// When `now` is before an earlier call's.
    #[inline(always)]
    pub fn complete(&mut self, now: Time) -> Option<u32> {
        debug_assert!(now == self.next_completion(), "a job finishes at its time");
        if !self.is_lone() {
            return self.complete_first(now);
        }
        let elapsed_ps = now.since(self.updated).as_ps();
        // Never more than `now`.
        self.busy = Span::from_ps(self.busy.as_ps().wrapping_add(elapsed_ps));
        self.area_ps += u128::from(elapsed_ps);
        self.updated = now;
        (self.lone_until, self.present) = (Time::MAX, 0);
        Some(self.lone_job)
    }

    /// Returns the first of the jobs in the queue, which finishes at `now`.
    #[inline(never)]
    fn complete_first(&mut self, now: Time) -> Option<u32> {
        self.advance(now);
        let (_, job) = self.jobs.first()?;
        self.jobs.take_first();
        self.present -= 1;
        if self.present == 0 {
            self.attained = 0;
        }
        Some(job)
    }

    /// Returns whether one job is present, which found the station idle and has not shared it since.
    #[inline]
    pub fn is_lone(&self) -> bool {
        self.lone_until != Time::MAX
    }

    /// Returns the jobs present.
    #[inline]
    pub fn len(&self) -> usize {
        self.present as usize
    }

    /// Returns whether no job is present.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the jobs that have arrived since the start.
    #[inline]
    pub fn arrivals(&self) -> u64 {
        self.arrivals
    }

    /// Returns how long the server has been busy from the start until `at`. It is exact if `at` is not before the
    /// latest call and no completion before `at` is still to come.
    pub fn busy_before(&self, at: Time) -> Span {
        if self.is_empty() { self.busy } else { self.busy + at.saturating_since(self.updated) }
    }

    /// Returns the integral of the number of jobs over time until `at`, in job-picoseconds; exact as [`Self::busy_before`] is.
    pub fn area_before(&self, at: Time) -> u128 {
        self.area_ps + self.len() as u128 * u128::from(at.saturating_since(self.updated).as_ps())
    }

    /// Brings attained service and integrals up to `now`.
    #[inline]
    fn advance(&mut self, now: Time) {
        let elapsed = now.since(self.updated);
        self.updated = now;
        let jobs = u64::from(self.present);
        if jobs == 0 || elapsed.is_zero() {
            return;
        }
        let elapsed_ps = elapsed.as_ps();
        self.busy += elapsed;
        self.area_ps += u128::from(jobs) * u128::from(elapsed_ps);
        self.attained += if jobs == 1 {
            u128::from(elapsed_ps) << FRACTION_BITS
        } else if elapsed_ps < NARROW_PS {
            u128::from((elapsed_ps << FRACTION_BITS) / jobs)
        } else {
            (u128::from(elapsed_ps) << FRACTION_BITS) / u128::from(jobs)
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(ps: u64) -> Time {
        Time::from_ps(ps)
    }
    const fn span(ps: u64) -> Span {
        Span::from_ps(ps)
    }

    #[test]
    fn a_lone_job_has_the_server_to_itself() {
        let mut station = ProcessorSharing::with_capacity(2);
        assert_eq!(station.next_completion(), Time::MAX);
        station.arrive(at(10), 7, span(5));
        assert_eq!(station.next_completion(), at(15));
        assert_eq!(station.busy_before(at(12)), span(2));
        assert_eq!(station.complete(at(15)), Some(7));
        assert!(station.is_empty());
        assert_eq!((station.busy_before(at(99)), station.area_before(at(99))), (span(5), 5));
    }

    /// Job 0 alone for 40 of its 100; then both at half speed until 0 has its 100 at 160; 1 has had 60 of 80 then.
    #[test]
    fn who_comes_puts_the_others_off() {
        let mut station = ProcessorSharing::with_capacity(2);
        station.arrive(at(0), 0, span(100));
        assert_eq!(station.next_completion(), at(100));
        station.arrive(at(40), 1, span(80));
        assert_eq!(station.next_completion(), at(160));
        assert_eq!(station.complete(at(160)), Some(0));
        assert_eq!(station.next_completion(), at(180), "work is conserved: 100 + 80");
        assert_eq!(station.area_before(at(180)), 40 + 2 * 120 + 20);
        assert_eq!(station.complete(at(180)), Some(1));
    }

    #[test]
    fn a_shorter_job_overtakes() {
        let mut station = ProcessorSharing::with_capacity(2);
        station.arrive(at(0), 0, span(100));
        station.arrive(at(10), 1, span(20));
        assert_eq!(station.next_completion(), at(50));
        assert_eq!(station.complete(at(50)), Some(1));
        assert_eq!(station.next_completion(), at(120));
    }

    #[test]
    fn equals_finish_in_order_of_arrival() {
        let mut station = ProcessorSharing::with_capacity(4);
        for job in [9, 3, 5] {
            station.arrive(at(0), job, span(10));
        }
        for job in [9, 3, 5] {
            assert_eq!(station.next_completion(), at(30));
            assert_eq!(station.complete(at(30)), Some(job));
        }
        assert_eq!(station.next_completion(), Time::MAX);
    }

    #[test]
    fn no_work_finishes_at_once() {
        let mut station = ProcessorSharing::with_capacity(1);
        station.arrive(at(4), 0, Span::ZERO);
        assert_eq!(station.next_completion(), at(4));
        assert_eq!(station.complete(at(4)), Some(0));
        assert!(station.is_empty());
    }
}

//! A station whose one server is shared equally among all jobs present.

use serde::{Deserialize, Serialize};

use crate::finish_queue::FinishQueue;
use crate::{SimDuration, SimTime};

/// Fraction bits of attained service: it is counted in 2^-16 ps.
const FRACTION_BITS: u32 = 16;
/// Elapsed picoseconds below this can be shifted left by [`FRACTION_BITS`] within 64 bits.
const NARROW_PS: u64 = 1 << (u64::BITS - FRACTION_BITS);

/// A request of the station to be called at `at` with `generation`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wake {
    /// When to call [`ProcessorSharing::handle_wake`].
    pub at: SimTime,
    /// What to pass to it; tells an outdated request from the one that counts.
    pub generation: u32,
}

/// What a wake-up brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WakeOutcome {
    /// An outdated request: do nothing.
    Stale,
    /// Nobody has finished, because jobs that came since have slowed the server: schedule this instead.
    Later(Wake),
    /// `job` has finished; if others remain, schedule `next`.
    Finished {
        /// The job, as named at its arrival.
        job: u32,
        /// The next wake-up.
        next: Option<Wake>,
    },
}

/// One server shared equally among the jobs present (processor sharing).
///
/// The owner schedules every [`Wake`] that a call returns and brings it back by [`Self::handle_wake`]. At most one
/// wake-up counts at any time: an arrival can only delay the others, so a wake-up that comes too early is answered by
/// [`WakeOutcome::Later`], and a new one is asked for at an arrival only if that job is to finish before the wake-up
/// outstanding, which then becomes [`WakeOutcome::Stale`].
///
/// Method: attained service per job (virtual work) grows by elapsed / jobs; a job finishes when it reaches the
/// value at its arrival plus its work. Jobs due at the same value finish in order of arrival.
///
/// Exactness: attained service is rounded down to 2^-16 ps at each arrival and completion, completions up to whole
/// picoseconds. So no job finishes early; in a busy period of k arrivals and completions with at most n jobs the
/// server is busy at least the sum of the works, and at most that plus k * (1 + n * 2^-16) ps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProcessorSharing {
    /// Jobs by (attained service at which they finish, number of arrival).
    jobs: FinishQueue,
    /// Attained service, in 2^-16 ps, of a job present since the busy period began.
    attained: u128,
    /// When `attained`, `busy` and `area` were brought up to date.
    updated: SimTime,
    /// The wake-up that counts, if any job is present.
    wake_at: SimTime,
    generation: u32,
    arrivals: u64,
    busy: SimDuration,
    area_ps: u128,
}

impl ProcessorSharing {
    /// An idle station with room for `jobs` jobs; it grows when there are more.
    pub fn with_capacity(jobs: usize) -> Self {
        Self {
            jobs: FinishQueue::with_capacity(jobs),
            attained: 0,
            updated: SimTime::ZERO,
            wake_at: SimTime::MAX,
            generation: 0,
            arrivals: 0,
            busy: SimDuration::ZERO,
            area_ps: 0,
        }
    }

    /// Accepts `job` at `now`, which needs `work` of an unshared server. A wake-up to schedule, if a new one is needed.
    ///
    /// # Panics
    /// When `now` is before an earlier call's.
    #[inline]
    pub fn arrive(&mut self, now: SimTime, job: u32, work: SimDuration) -> Option<Wake> {
        self.advance(now);
        let finish = self.attained + (u128::from(work.as_ps()) << FRACTION_BITS);
        self.jobs.push((finish, self.arrivals), job);
        self.arrivals += 1;
        let first = self.first_completion();
        (first < self.wake_at).then(|| {
            self.generation = self.generation.wrapping_add(1);
            self.wake(first)
        })
    }

    /// Brings back a wake-up at its time.
    ///
    /// # Panics
    /// When `now` is before an earlier call's.
    #[inline]
    pub fn handle_wake(&mut self, now: SimTime, generation: u32) -> WakeOutcome {
        if generation != self.generation || now < self.wake_at {
            return WakeOutcome::Stale;
        }
        let first = self.first_completion();
        if first > now {
            return WakeOutcome::Later(self.wake(first));
        }
        self.advance(now);
        let Some(job) = self.jobs.pop() else { return WakeOutcome::Stale };
        let next = if self.jobs.len() > 0 {
            Some(self.wake(self.first_completion()))
        } else {
            self.attained = 0;
            self.wake_at = SimTime::MAX;
            None
        };
        WakeOutcome::Finished { job, next }
    }

    /// Jobs present.
    #[inline]
    pub fn len(&self) -> usize {
        self.jobs.len()
    }

    /// Whether no job is present.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Jobs that have arrived since the start.
    #[inline]
    pub fn arrivals(&self) -> u64 {
        self.arrivals
    }

    /// How long the server has been busy from the start until `at`; exact if `at` is not before the latest call and
    /// no wake-up due before `at` is still to come.
    pub fn busy_before(&self, at: SimTime) -> SimDuration {
        if self.is_empty() { self.busy } else { self.busy + at.saturating_since(self.updated) }
    }

    /// Integral of the number of jobs over time until `at`, in job-picoseconds; exact as [`Self::busy_before`] is.
    pub fn area_before(&self, at: SimTime) -> u128 {
        self.area_ps + self.len() as u128 * u128::from(at.saturating_since(self.updated).as_ps())
    }

    /// Notes that the wake-up at `at` is the one that counts.
    #[inline]
    fn wake(&mut self, at: SimTime) -> Wake {
        self.wake_at = at;
        Wake { at, generation: self.generation }
    }

    /// Brings attained service and integrals up to `now`.
    #[inline]
    fn advance(&mut self, now: SimTime) {
        let elapsed = now.since(self.updated);
        self.updated = now;
        let jobs = self.jobs.len() as u64;
        if jobs == 0 || elapsed.is_zero() {
            return;
        }
        let elapsed_ps = elapsed.as_ps();
        self.busy += elapsed;
        self.area_ps += u128::from(jobs) * u128::from(elapsed_ps);
        self.attained += if elapsed_ps < NARROW_PS {
            u128::from((elapsed_ps << FRACTION_BITS) / jobs)
        } else {
            (u128::from(elapsed_ps) << FRACTION_BITS) / u128::from(jobs)
        };
    }

    /// When the first of the jobs present finishes if nobody else comes.
    #[inline]
    fn first_completion(&self) -> SimTime {
        let Some((finish, _)) = self.jobs.first() else { return SimTime::MAX };
        let left = finish.saturating_sub(self.attained) * self.jobs.len() as u128;
        let left_ps = (left + ((1 << FRACTION_BITS) - 1)) >> FRACTION_BITS;
        u64::try_from(left_ps)
            .map_or(SimTime::MAX, |ps| self.updated.saturating_add(SimDuration::from_ps(ps)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(ps: u64) -> SimTime {
        SimTime::from_ps(ps)
    }
    const fn span(ps: u64) -> SimDuration {
        SimDuration::from_ps(ps)
    }

    #[test]
    fn a_lone_job_has_the_server_to_itself() {
        let mut station = ProcessorSharing::with_capacity(2);
        let wake = station.arrive(at(10), 7, span(5)).unwrap();
        assert_eq!(wake.at, at(15));
        assert_eq!(station.busy_before(at(12)), span(2));
        assert_eq!(
            station.handle_wake(at(15), wake.generation),
            WakeOutcome::Finished { job: 7, next: None }
        );
        assert!(station.is_empty());
        assert_eq!((station.busy_before(at(99)), station.area_before(at(99))), (span(5), 5));
    }

    /// Job 0 alone for 40 of its 100; then both at half speed until 0 has its 100 at 160; 1 has had 60 of 80 then.
    #[test]
    fn an_early_wake_is_put_off() {
        let mut station = ProcessorSharing::with_capacity(2);
        let first = station.arrive(at(0), 0, span(100)).unwrap();
        assert_eq!(station.arrive(at(40), 1, span(80)), None);
        let WakeOutcome::Later(later) = station.handle_wake(at(100), first.generation) else {
            panic!("too early")
        };
        assert_eq!(later.at, at(160));
        let WakeOutcome::Finished { job: 0, next: Some(last) } =
            station.handle_wake(at(160), later.generation)
        else {
            panic!("job 0 is due")
        };
        assert_eq!(last.at, at(180));
        assert_eq!(station.area_before(at(180)), 40 + 2 * 120 + 20);
        assert_eq!(
            station.handle_wake(at(180), last.generation),
            WakeOutcome::Finished { job: 1, next: None },
            "work is conserved: 100 + 80"
        );
    }

    #[test]
    fn a_shorter_job_outdates_the_wake() {
        let mut station = ProcessorSharing::with_capacity(2);
        let first = station.arrive(at(0), 0, span(100)).unwrap();
        let second = station.arrive(at(10), 1, span(20)).unwrap();
        assert_eq!(second.at, at(50));
        let WakeOutcome::Finished { job: 1, next: Some(last) } =
            station.handle_wake(at(50), second.generation)
        else {
            panic!("job 1 is due")
        };
        assert_eq!(station.handle_wake(at(100), first.generation), WakeOutcome::Stale);
        assert_eq!(last.at, at(120));
    }

    #[test]
    fn equals_finish_in_order_of_arrival() {
        let mut station = ProcessorSharing::with_capacity(4);
        let mut wake = station.arrive(at(0), 9, span(10));
        assert_eq!(station.arrive(at(0), 3, span(10)), None);
        assert_eq!(station.arrive(at(0), 5, span(10)), None);
        let mut finished = Vec::new();
        while let Some(Wake { at: now, generation }) = wake {
            wake = match station.handle_wake(now, generation) {
                WakeOutcome::Stale => panic!("the only wake-up is stale"),
                WakeOutcome::Later(later) => Some(later),
                WakeOutcome::Finished { job, next } => {
                    finished.push((job, now));
                    next
                }
            };
        }
        assert_eq!(finished, [(9, at(30)), (3, at(30)), (5, at(30))]);
    }

    #[test]
    fn no_work_finishes_at_once() {
        let mut station = ProcessorSharing::with_capacity(1);
        let wake = station.arrive(at(4), 0, SimDuration::ZERO).unwrap();
        assert_eq!(wake.at, at(4));
        assert_eq!(station.handle_wake(at(4), wake.generation), WakeOutcome::Finished { job: 0, next: None });
        assert_eq!(station.handle_wake(at(4), wake.generation), WakeOutcome::Stale);
    }
}

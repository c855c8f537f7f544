//! Time since the process began.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use halftrack_engine::{SimDuration, SimTime};

/// The clock of a process: an instant of it is what the state machines take as `now`.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    start: Instant,
    start_unix_ns: u64,
}

impl Clock {
    /// A clock that begins now.
    #[must_use]
    pub fn start() -> Self {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self {
            start: Instant::now(),
            start_unix_ns: u64::try_from(since_epoch.as_nanos()).unwrap_or(u64::MAX),
        }
    }

    /// Time since the start; it never runs backwards and stands still after 213 days.
    #[inline]
    #[must_use]
    pub fn now(&self) -> SimTime {
        let elapsed = self.start.elapsed();
        let ps = elapsed.as_secs().saturating_mul(1_000_000_000_000);
        SimTime::from_ps(ps.saturating_add(u64::from(elapsed.subsec_nanos()) * 1_000))
    }

    /// Nanoseconds between 1 January 1970 UTC and `at`, for captures.
    #[must_use]
    pub fn unix_ns(&self, at: SimTime) -> u64 {
        self.start_unix_ns.saturating_add(at.as_ps() / 1_000)
    }
}

/// The same span as the operating system takes it, rounded up to whole nanoseconds, so that a wait never ends early.
#[must_use]
pub fn host_duration(span: SimDuration) -> Duration {
    Duration::from_nanos(span.as_ps().div_ceil(1_000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_goes_on_and_captures_get_the_date() {
        let clock = Clock::start();
        let earlier = clock.now();
        while clock.now() == earlier {}
        let later = clock.now();
        assert!(later > earlier);
        let year_2020_ns = 1_577_836_800_000_000_000;
        assert!(clock.unix_ns(earlier) > year_2020_ns);
        assert_eq!(
            clock.unix_ns(later) - clock.unix_ns(earlier),
            later.as_ps() / 1000 - earlier.as_ps() / 1000
        );
    }

    #[test]
    fn waits_are_rounded_up() {
        assert_eq!(host_duration(SimDuration::from_ps(1_001)), Duration::from_nanos(2));
    }
}

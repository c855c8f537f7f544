//! Time since the process began.

use std::fs;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use halftrack_base::{Span, Time};
use halftrack_wire::fcip::TimeStamp;
use rustix::time::{ClockId, clock_gettime};

use crate::fibre::stamp_of;

/// Says which boot of which system this is.
const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";
/// Says by whose offsets a process sees the system's clock.
const TIME_NAMESPACE: &str = "/proc/self/ns/time";
const NS_PER_S: u64 = 1_000_000_000;

/// Clock that all processes of a host have in common. It is CLOCK_MONOTONIC, which is never set, since a boot of a system
/// and in a time namespace. The identifier of a clock is our choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostClock {
    /// Identifier, equal for processes with the same clock, never 0.
    pub id: u64,
    /// Time of the clock when the process's own time began, nanoseconds.
    pub start_ns: u64,
}

impl HostClock {
    /// Returns the clock of this process, when the operating system identifies it.
    fn of_this_process(start_ns: u64) -> Option<Self> {
        let boot = fs::read_to_string(BOOT_ID).ok()?;
        let namespace = fs::read_link(TIME_NAMESPACE).unwrap_or_default();
        let name = format!("{}{}", boot.trim(), namespace.display());
        Some(Self { id: digest(&name).max(1), start_ns })
    }

    /// Returns the time stamp of an instant of the process.
    #[must_use]
    pub fn stamp(&self, now: Time) -> TimeStamp {
        stamp_of(self.at(now))
    }

    /// Returns what the clock shows at an instant of the process, picoseconds.
    #[inline]
    pub(crate) fn at(&self, now: Time) -> u128 {
        u128::from(self.start_ns) * 1_000 + u128::from(now.as_ps())
    }
}

/// Returns the CLOCK_MONOTONIC, nanoseconds.
#[inline]
fn monotonic_ns() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    time.tv_sec as u64 * NS_PER_S + time.tv_nsec as u64
}

/// Returns the FNV-1a, 64 bits.
fn digest(name: &str) -> u64 {
    let step = |digest: u64, octet: u8| (digest ^ u64::from(octet)).wrapping_mul(0x0000_0100_0000_01B3);
    name.bytes().fold(0xCBF2_9CE4_8422_2325, step)
}

/// The clock of a process: an instant of it is what the state machines take as `now`.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    start_ns: u64,
    start_unix_ns: u64,
    host: Option<HostClock>,
}

impl Clock {
    /// Creates a clock that begins now.
    #[must_use]
    pub fn start() -> Self {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let start_ns = monotonic_ns();
        Self {
            start_ns,
            start_unix_ns: u64::try_from(since_epoch.as_nanos()).unwrap_or(u64::MAX),
            host: HostClock::of_this_process(start_ns),
        }
    }

    /// Returns the clock that the processes of this host have in common.
    #[must_use]
    pub fn host(&self) -> Option<HostClock> {
        self.host
    }

    /// Returns the time since the start; it never runs backwards and stands still after 213 days.
    #[inline]
    #[must_use]
    pub fn now(&self) -> Time {
        Time::from_ps(monotonic_ns().saturating_sub(self.start_ns).saturating_mul(1_000))
    }

    /// Returns the nanoseconds between 1 January 1970 UTC and `at`, for captures.
    #[must_use]
    pub fn unix_ns(&self, at: Time) -> u64 {
        self.start_unix_ns.saturating_add(at.as_ps() / 1_000)
    }
}

/// Returns the same span as the operating system takes it, rounded up to whole nanoseconds, so that a wait never ends early.
#[must_use]
pub fn host_duration(span: Span) -> Duration {
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
    fn processes_of_a_host_have_one_clock() {
        let (one, other) = (Clock::start(), Clock::start());
        let Some((one_host, other_host)) = one.host().zip(other.host()) else { return };
        assert_eq!(one_host.id, other_host.id);
        let (earlier, later) = (one_host.at(one.now()), other_host.at(other.now()));
        assert!(later >= earlier, "{earlier} {later}");
        assert_ne!(digest("a"), digest("b"));
    }

    #[test]
    fn waits_are_rounded_up() {
        assert_eq!(host_duration(Span::from_ps(1_001)), Duration::from_nanos(2));
    }
}

//! Time of a process, by the clock that all processes of the host have.

use halftrack_base::{Span, Time};
use rustix::time::{ClockId, clock_gettime};

/// Clock that begins with the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    zero_ns: u64,
}

impl Default for Clock {
    fn default() -> Self {
        Self { zero_ns: host_ns() }
    }
}

impl Clock {
    /// Returns the clock that began at a time of the host.
    pub const fn of(zero_ns: u64) -> Self {
        Self { zero_ns }
    }

    /// Returns the time of the host at which it began, ns.
    pub const fn zero_ns(&self) -> u64 {
        self.zero_ns
    }

    /// Returns the time since it began, ns.
    #[inline]
    pub fn now_ns(&self) -> u64 {
        host_ns().saturating_sub(self.zero_ns)
    }

    /// Returns the time.
    #[inline]
    pub fn now(&self) -> Time {
        Time::ZERO + Span::from_ns(self.now_ns())
    }
}

/// Returns the time of the host (`CLOCK_MONOTONIC`), ns.
fn host_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec.cast_unsigned() * 1_000_000_000 + now.tv_nsec.cast_unsigned()
}

//! Time of a driver.

use halftrack_base::{Span, Time};
use rustix::time::{ClockId, clock_gettime};

/// Clock that begins with the driver.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    zero_ns: u64,
}

impl Clock {
    /// Starts the clock.
    pub(crate) fn start() -> Self {
        Self { zero_ns: host_ns() }
    }

    /// Returns the time since it began.
    pub(crate) fn now(&self) -> Time {
        Time::ZERO.saturating_add(Span::from_ns(host_ns().saturating_sub(self.zero_ns)))
    }
}

/// Returns the time of the host (`CLOCK_MONOTONIC`), ns.
fn host_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec.cast_unsigned() * 1_000_000_000 + now.tv_nsec.cast_unsigned()
}

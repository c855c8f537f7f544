//! Time of a process.

use std::time::Instant;

use halftrack_base::{Span, Time};

/// Clock that begins with the process.
#[derive(Debug, Clone, Copy)]
pub struct Clock(Instant);

impl Default for Clock {
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl Clock {
    /// Returns the time.
    #[inline]
    pub fn now(&self) -> Time {
        Time::ZERO + Span::from_ns(self.0.elapsed().as_nanos() as u64)
    }
}

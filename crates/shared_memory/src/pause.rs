//! Waits of a thread that spins.

use std::hint;
use std::thread;

/// Pause between two polls. Where the process has one processor only the other end may need it: it is given away.
#[derive(Debug, Clone, Copy)]
pub struct Pause {
    shares_processor: bool,
}

impl Default for Pause {
    /// Creates the pause of a process with its processors.
    fn default() -> Self {
        let shares_processor = thread::available_parallelism().is_ok_and(|processors| processors.get() == 1);
        Self { shares_processor }
    }
}

impl Pause {
    /// Returns whether the process has one processor only.
    #[must_use]
    pub fn shares_processor(self) -> bool {
        self.shares_processor
    }

    /// Waits a moment.
    #[inline]
    pub fn wait(self) {
        if self.shares_processor {
            thread::yield_now();
        } else {
            hint::spin_loop();
        }
    }
}

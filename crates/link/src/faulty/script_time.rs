//! When a script began.

use std::cell::Cell;
use std::fmt;

use halftrack_base::Time;

/// Source of the time, as the links of the process have it.
type Now = Box<dyn Fn() -> Time>;

/// Time of a script: it stands before its start.
pub struct ScriptTime {
    now: Now,
    start: Cell<Option<Time>>,
}

impl ScriptTime {
    /// Returns the time of a script that has not begun.
    pub fn new(now: impl Fn() -> Time + 'static) -> Self {
        Self { now: Box::new(now), start: Cell::new(None) }
    }

    /// Begins the script; later calls change nothing. Returns whether this call began it.
    pub fn begin(&self) -> bool {
        let begins = self.start.get().is_none();
        if begins {
            self.start.set(Some((self.now)()));
        }
        begins
    }

    /// Returns the time.
    #[must_use]
    pub fn now(&self) -> Time {
        (self.now)()
    }

    /// Returns when the script began.
    #[must_use]
    pub fn start(&self) -> Option<Time> {
        self.start.get()
    }
}

impl fmt::Debug for ScriptTime {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ScriptTime").field("start", &self.start).finish_non_exhaustive()
    }
}

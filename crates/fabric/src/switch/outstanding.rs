//! A request of a switch's port that waits for its answer, one at a time.

use halftrack_base::Time;

use crate::timing::{ANSWER_TIMEOUT, TRIES};

/// What was asked, on which exchange, how often.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Asked<T> {
    pub(crate) what: T,
    pub(crate) ox_id: u16,
    pub(crate) until: Time,
    tries: u8,
}

impl<T> Asked<T> {
    /// Returns the asked for the first time.
    pub(crate) fn new(now: Time, what: T, ox_id: u16) -> Self {
        Self { what, ox_id, until: now.saturating_add(ANSWER_TIMEOUT), tries: 1 }
    }

    /// Returns the asked once more, if it was not asked often enough; otherwise what was asked.
    pub(crate) fn again(self, now: Time, ox_id: u16) -> Result<Self, T> {
        let tries = self.tries + 1;
        if tries <= TRIES { Ok(Self { tries, ..Self::new(now, self.what, ox_id) }) } else { Err(self.what) }
    }
}

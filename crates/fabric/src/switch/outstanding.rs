//! A request of a switch's port that waits for its answer, one at a time.

use halftrack_base::Time;

use crate::timing::{ANSWER_TIMEOUT, TRIES};

/// Outstanding request: its contents, its exchange, its number of tries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Outstanding<T> {
    pub(crate) what: T,
    pub(crate) ox_id: u16,
    pub(crate) until: Time,
    tries: u8,
}

impl<T> Outstanding<T> {
    /// Makes the first try of a request.
    pub(crate) fn new(now: Time, what: T, ox_id: u16) -> Self {
        Self { what, ox_id, until: now.saturating_add(ANSWER_TIMEOUT), tries: 1 }
    }

    /// Makes the next try, or returns the contents when the tries are used up.
    pub(crate) fn again(self, now: Time, ox_id: u16) -> Result<Self, T> {
        let tries = self.tries + 1;
        if tries <= TRIES { Ok(Self { tries, ..Self::new(now, self.what, ox_id) }) } else { Err(self.what) }
    }
}

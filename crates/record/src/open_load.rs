//! Load of a stream that does not wait for the machine.

use serde::{Deserialize, Serialize};

/// Offered and served load of a stream whose I/Os arrive whatever is in progress, over the measured time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct OpenLoad {
    /// I/Os that arrived, per second.
    pub offered_per_s: f64,
    /// I/Os that ended, however they did, per second.
    pub served_per_s: f64,
    /// Less than 99 % of what was offered was served, and the backlog grew all the time: not by chance, and not because
    /// I/Os under way at the end were still to come.
    pub overloaded: bool,
}

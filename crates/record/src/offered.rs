//! Load that streams offer whatever is in progress, and rates beyond the capacity of a station.

use serde::{Deserialize, Serialize};

/// A station or pool that is too small for the open streams, by the demands of their programs: found before the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OfferedTooMuch {
    /// Its canonical name.
    pub station: String,
    /// Part of the offered rates that it can serve, below 1.
    pub served: f64,
    /// Streams whose I/Os pass it, by their demand on it; the largest first.
    pub streams: Vec<OfferedRate>,
}

/// Rate that a stream offers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OfferedRate {
    /// Its name.
    pub stream: String,
    /// I/Os a second.
    pub per_s: f64,
}

impl OfferedTooMuch {
    /// Returns the rate that it allows the stream with the largest demand on it, a second, if the others keep their
    /// proportion.
    #[must_use]
    pub fn bound_per_s(&self) -> f64 {
        self.streams.first().map_or(0.0, |first| first.per_s * self.served)
    }
}

/// Load of a stream whose I/Os arrive whatever is in progress: offered and served over the measured time.
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

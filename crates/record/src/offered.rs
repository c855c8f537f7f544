//! Rates that streams offer beyond what there is for them.

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

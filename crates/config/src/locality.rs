//! Distribution of a stream's requests over the tracks of its devices.

/// The tracks that a stream uses on each of its devices: its working set, and how unevenly it uses it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Locality {
    /// Tracks of each device.
    pub tracks: u32,
    /// Track `k` (from 1) has weight `k^-exponent`; `None` uses all alike.
    pub exponent: Option<f64>,
}

//! Fibre and the frames on it: `catalog/fibre/ID.toml`.

use halftrack_input::{Expect, Fields, Sourced};

use crate::shelf::Hardware;

/// Catalog id of the fibre that every cable and inter-switch link is made of.
pub const SINGLE_MODE: &str = "single-mode";

/// Most fill between two frames, bytes.
const FILL_BYTES_MAX: u32 = 2148;

/// One kind of fibre.
#[derive(Debug, Clone, PartialEq)]
pub struct Fibre {
    /// Name in words.
    pub title: String,
    /// Propagation one way, µs per km.
    pub propagation_us_per_km: Sourced<f64>,
    /// Octets of fill words that a transmitter sends between two frames at least.
    pub fill_bytes: Sourced<u32>,
}

impl Hardware for Fibre {
    const DIRECTORY: &'static str = "fibre";

    fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let title = fields.required("title", Expect::text());
        let propagation = fields.sourced("propagation_us_per_km", Expect::positive(1000.0));
        let fill = fields.sourced("fill_bytes", Expect::integer(0..=FILL_BYTES_MAX));
        Some(Self { title: title?.value, propagation_us_per_km: propagation?, fill_bytes: fill? })
    }
}

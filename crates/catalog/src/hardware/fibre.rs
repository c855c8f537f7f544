//! Fibre and the frames on it: `catalog/fibre/ID.toml`.

use crate::catalog::Hardware;
use crate::expect::Expect;
use crate::fields::Fields;
use crate::sourced::Sourced;

/// Catalog id of the fibre that every cable and inter-switch link is made of.
pub const SINGLE_MODE: &str = "single-mode";

/// One kind of fibre.
#[derive(Debug, Clone, PartialEq)]
pub struct Fibre {
    /// Name in words.
    pub title: String,
    /// Propagation one way, µs per km.
    pub propagation_us_per_km: Sourced<f64>,
    /// Bytes of a full data frame with delimiters, header and CRC.
    pub full_frame_bytes: Sourced<u32>,
}

impl Hardware for Fibre {
    const DIRECTORY: &'static str = "fibre";

    fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let title = fields.required("title", Expect::text());
        let propagation = fields.sourced("propagation_us_per_km", Expect::positive(1000.0));
        let full_frame = fields.sourced("full_frame_bytes", Expect::integer(36..=2148));
        Some(Self { title: title?.value, propagation_us_per_km: propagation?, full_frame_bytes: full_frame? })
    }
}

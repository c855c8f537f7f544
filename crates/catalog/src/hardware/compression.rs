//! Compression by a feature: `[compression]` of `catalog/feature/ID.toml`.

use halftrack_input::{Fields, Sourced};

use crate::hardware::prices::time_us;
use crate::hardware::speed::rate_mb_per_s;

/// Id of the feature whose cards compress.
pub const ZEDC: &str = "zedc";

/// Numbers of a card that compresses.
#[derive(Debug, Clone, PartialEq)]
pub struct Compression {
    /// Rate of data that are not compressed, MB/s (10^6 bytes a second).
    pub mb_per_s: Sourced<f64>,
    /// Time that a request takes besides, µs.
    pub setup_us: Sourced<f64>,
}

impl Compression {
    pub(crate) fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let mb_per_s = fields.sourced("mb_per_s", rate_mb_per_s());
        let setup_us = fields.sourced("setup_us", time_us());
        Some(Self { mb_per_s: mb_per_s?, setup_us: setup_us? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Catalog;

    #[test]
    fn four_cards_have_the_published_rate() {
        let (catalog, _) = Catalog::load(&[]);
        let feature = catalog.features.get(ZEDC).expect("built in");
        let card = feature.compression.as_ref().expect("it compresses");
        assert_eq!(4.0 * card.mb_per_s.value, 4000.0);
        assert!(catalog.features.get("roce").expect("built in").compression.is_none());
    }
}

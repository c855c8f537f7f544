//! Limits of the host adapters of one storage box together: its internal bus, the work of its clusters, a bay of
//! adapters.

use halftrack_input::messages::toml_file::MISSING_KEY;
use halftrack_input::{Fields, Sourced};

use crate::hardware::channel::CardLimits;
use crate::hardware::prices::time_us;

/// The limits of all host adapters of a box together.
#[derive(Debug, Clone, PartialEq)]
pub struct Enclosure {
    /// Data that the bus between cache and adapters moves; `None` when the adapters alone limit it.
    pub limits: Option<CardLimits>,
    /// Work of the clusters for each I/O, one after the other, µs; `None` when it limits nothing.
    pub io_us: Option<Sourced<f64>>,
}

impl Enclosure {
    pub(crate) fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let limits =
            match fields.has("mb_per_s") || fields.has("read_mb_per_s") || fields.has("write_mb_per_s") {
                true => CardLimits::read(fields).map(Some),
                false => Some(None),
            };
        let io_us = fields.sourced_if_given("io_us", time_us());
        if !fields.has("io_us") && matches!(limits, Some(None)) {
            let message = "[box] has nothing that its adapters share";
            fields.error(
                MISSING_KEY,
                fields.span(),
                message,
                "give `mb_per_s`, `io_us` or both, or leave [box] out",
            );
            return None;
        }
        Some(Self { limits: limits?, io_us: io_us? })
    }
}

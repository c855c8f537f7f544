//! A port of a channel card that is an FCP channel.

use halftrack_input::{Fields, Sourced};

use crate::hardware::prices::{Prices, time_us};
use crate::hardware::speed::rate_mb_per_s;

/// Prices and limits of an FCP channel, which takes SCSI commands from queues.
#[derive(Debug, Clone, PartialEq)]
pub struct ChannelFcp {
    /// Channel-processor prices, of reads and writes alike.
    pub prices: Prices,
    /// Once a write, on a stage beside the processor that only writes pass, µs.
    pub write_us: Sourced<f64>,
    /// Rate of its data path, both ways together, MB/s (10^6 bytes a second).
    pub bus_mb_per_s: Sourced<f64>,
}

impl ChannelFcp {
    /// Reads the table at hand.
    pub(crate) fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let prices = Prices::read(fields);
        let write_us = fields.sourced("write_us", time_us());
        let bus_mb_per_s = fields.sourced("bus_mb_per_s", rate_mb_per_s());
        Some(Self { prices: prices?, write_us: write_us?, bus_mb_per_s: bus_mb_per_s? })
    }
}

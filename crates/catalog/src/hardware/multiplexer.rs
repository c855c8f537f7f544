//! Wavelength-division multiplexers (DWDM) at both ends of a long fibre: `catalog/multiplexer/ID.toml`.

use halftrack_input::{Expect, Fields, Sourced};

use crate::hardware::prices::time_us;
use crate::hardware::speed::{Speed, credits};
use crate::shelf::Hardware;

/// One kind of multiplexers: a pair of them carries a link, and all that the link sees of it is delay and rate.
#[derive(Debug, Clone, PartialEq)]
pub struct Multiplexer {
    /// Name in words.
    pub title: String,
    /// Time through both, one way, µs.
    pub delay_us: Sourced<f64>,
    /// Receive buffers that they keep for each direction in place of those of the ports; `None` when credits pass through.
    pub credits: Option<Sourced<u32>>,
    /// Link speeds that they carry, slowest first.
    pub speeds: Vec<Speed>,
}

impl Hardware for Multiplexer {
    const DIRECTORY: &'static str = "multiplexer";

    fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let title = fields.required("title", Expect::text());
        let delay_us = fields.sourced("delay_us", time_us());
        let credits = fields.sourced_if_given("credits", credits());
        let speeds = Speed::read_all(fields);
        Some(Self { title: title?.value, delay_us: delay_us?, credits: credits?, speeds: speeds? })
    }
}

//! A FICON director: `catalog/director/ID.toml`.

use halftrack_input::{Expect, Fields, Sourced};

use crate::hardware::bridge::Bridge;
use crate::hardware::prices::time_us;
use crate::hardware::speed::{Speed, credits};
use crate::shelf::Hardware;

/// One generation of directors.
#[derive(Debug, Clone, PartialEq)]
pub struct Director {
    /// Name in words.
    pub title: String,
    /// Time to forward a frame from one port to another, µs, transmission not counted.
    pub forward_us: Sourced<f64>,
    /// Receive buffers of a port, unless an inter-switch link is configured otherwise.
    pub credits: Sourced<u32>,
    /// Port speeds, slowest first.
    pub speeds: Vec<Speed>,
    /// It passes frames that Fibre Channel Endpoint Security has encrypted.
    pub passes_encrypted: Option<Sourced<bool>>,
    /// Its bridge card for FICON channels; `None` when it has none.
    pub bridge: Option<Bridge>,
}

impl Hardware for Director {
    const DIRECTORY: &'static str = "director";

    fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let title = fields.required("title", Expect::text());
        let forward_us = fields.sourced("forward_us", time_us());
        let credits = fields.sourced("credits", credits());
        let speeds = Speed::read_all(fields);
        let passes_encrypted = fields.sourced_if_given("passes_encrypted", Expect::flag());
        let bridge = fields.table_if_given("bridge", Bridge::read);
        Some(Self {
            title: title?.value,
            forward_us: forward_us?,
            credits: credits?,
            speeds: speeds?,
            passes_encrypted: passes_encrypted?,
            bridge: bridge?,
        })
    }
}

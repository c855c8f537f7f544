//! The bridge card of an ESCON director: FICON on one side, ESCON on the other.

use halftrack_input::{Expect, Fields, Sourced};

use crate::hardware::attachment::Reach;
use crate::hardware::prices::time_us;
use crate::hardware::speed::{Speed, credits};

/// The port of a bridge card: its interface to the FICON channel, and its circuits behind.
#[derive(Debug, Clone, PartialEq)]
pub struct Bridge {
    /// I/Os that are active at it at once.
    pub exchanges: Sourced<u32>,
    /// Information units that may be sent to it before its first command response; it is not remembered.
    pub initial_pacing: Sourced<u8>,
    /// Information units that it permits with that response.
    pub granted_pacing: Sourced<u8>,
    /// Its part of one interlock with the control unit, µs.
    pub interlock_us: Sourced<f64>,
    /// Information units for each CCW that the channel is held for beside those that travel.
    pub units_per_command: Sourced<u32>,
    /// Receive buffers of its port.
    pub credits: Sourced<u32>,
    /// How far the control units behind it may be.
    pub reach: Option<Reach>,
    /// Speeds of its port, slowest first.
    pub speeds: Vec<Speed>,
}

impl Bridge {
    pub(crate) fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let exchanges = fields.sourced("exchanges", Expect::integer(1..=65_535));
        let initial_pacing = fields.sourced("initial_pacing", Expect::integer(1..=255));
        let granted_pacing = fields.sourced("granted_pacing", Expect::integer(0..=255));
        let interlock_us = fields.sourced("interlock_us", time_us());
        let units_per_command = fields.sourced("units_per_command", Expect::integer(0..=255));
        let credits = fields.sourced("credits", credits());
        let reach = fields.table_if_given("reach", Reach::read);
        let speeds = Speed::read_all(fields);
        Some(Self {
            exchanges: exchanges?,
            initial_pacing: initial_pacing?,
            granted_pacing: granted_pacing?,
            interlock_us: interlock_us?,
            units_per_command: units_per_command?,
            credits: credits?,
            reach: reach?,
            speeds: speeds?,
        })
    }
}

//! The time that a channel or host-adapter processor takes for its part of an I/O.

use halftrack_input::{Expect, Fields, Sourced};

/// Microseconds of a second.
pub(crate) const US_PER_S: f64 = 1e6;

/// Upper limit of any processor price, µs: a second, which no real price comes near.
const PRICE_MAX_US: f64 = US_PER_S;

/// Processor prices of one protocol on one kind of port.
#[derive(Debug, Clone, PartialEq)]
pub struct Prices {
    /// Once a program, µs.
    pub program_us: Sourced<f64>,
    /// Each CCW or DCW, µs.
    pub command_us: Sourced<f64>,
    /// Each information unit sent or received, µs.
    pub unit_us: Sourced<f64>,
    /// Each 1024 bytes of data moved, in proportion, µs.
    pub kib_us: Sourced<f64>,
}

impl Prices {
    /// Reads the four prices of the table at hand.
    pub(crate) fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let program_us = fields.sourced("program_us", time_us());
        let command_us = fields.sourced("command_us", time_us());
        let unit_us = fields.sourced("unit_us", time_us());
        let kib_us = fields.sourced("kib_us", time_us());
        Some(Self { program_us: program_us?, command_us: command_us?, unit_us: unit_us?, kib_us: kib_us? })
    }

    /// Returns the time of a read of one block of 4 KiB in command mode, by Define Extent, Locate Record and Read
    /// Data, µs.
    #[must_use]
    pub fn read_4k_us(&self) -> f64 {
        const CCWS: f64 = 3.0;
        const KIB: f64 = 4.0;
        self.program_us.value + CCWS * self.command_us.value + self.unit_us.value + KIB * self.kib_us.value
    }
}

/// Expects a time in µs, zero allowed.
pub(crate) fn time_us() -> Expect<'static, f64> {
    Expect::number(0.0..=PRICE_MAX_US)
}

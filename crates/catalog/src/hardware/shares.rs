//! How the channel processor's time for a read of one block of 4 KiB divides, so that one maximum gives all prices.

use halftrack_input::messages::catalog as catalog_numbers;
use halftrack_input::{Expect, Fields, Sourced};

use crate::hardware::prices::{Prices, US_PER_S};

/// Largest deviation of the sum of the shares from the whole.
const TOLERANCE: f64 = 1e-6;
/// KiB of the block.
const KIB: f64 = 4.0;
/// CCWs of the read in command mode: Prefix and Read Data.
pub(crate) const CCWS: f64 = 2.0;
/// DCWs of the read in transport mode: Read Data.
pub(crate) const DCWS: f64 = 1.0;

/// The four shares; together they are 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Shares {
    /// The program.
    pub program: Sourced<f64>,
    /// Its CCWs or DCWs.
    pub command: Sourced<f64>,
    /// The information unit with the data.
    pub unit: Sourced<f64>,
    /// The data.
    pub kib: Sourced<f64>,
}

impl Shares {
    pub(crate) fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let share = || Expect::number(0.0..=1.0);
        let program = fields.sourced("program_share", share());
        let command = fields.sourced("command_share", share());
        let unit = fields.sourced("unit_share", share());
        let kib = fields.sourced("kib_share", share());
        let shares = Self { program: program?, command: command?, unit: unit?, kib: kib? };
        let sum = [&shares.program, &shares.command, &shares.unit, &shares.kib].map(|one| one.value);
        let sum: f64 = sum.iter().sum();
        if (sum - 1.0).abs() > TOLERANCE {
            let message = format!("the four shares of {} are {sum} together: expected 1", fields.name());
            let fix = "correct one of them; together they are the time of a read of 4 KiB";
            fields.error(catalog_numbers::NOT_A_WHOLE, fields.span(), message, fix);
            return None;
        }
        Some(shares)
    }

    /// Returns the prices with which a channel does at most `read_4k_per_s` reads of 4 KiB, each of so many CCWs or
    /// DCWs.
    pub(crate) fn prices(&self, read_4k_per_s: &Sourced<f64>, commands: f64) -> Prices {
        let whole = US_PER_S / read_4k_per_s.value;
        let price = |share: &Sourced<f64>, count: f64| Sourced {
            value: whole * share.value / count,
            ..read_4k_per_s.clone()
        };
        Prices {
            program_us: price(&self.program, 1.0),
            command_us: price(&self.command, commands),
            unit_us: price(&self.unit, 1.0),
            kib_us: price(&self.kib, KIB),
        }
    }
}

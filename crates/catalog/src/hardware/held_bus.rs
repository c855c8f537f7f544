//! Firmware that stays with every transfer while the bus moves it: the channels before the data router.

use crate::expect::Expect;
use crate::fields::Fields;
use crate::sourced::Sourced;

/// Clocks, MHz: beyond any processor or bus.
const CLOCK_MAX_MHZ: f64 = 100_000.0;
/// Clocks that one piece of work may take.
const WORK_MAX_CLOCKS: f64 = 1e9;

/// What decides how long such a channel is held: by clocks, so that cards of one design differ in what is published
/// of them.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldBus {
    /// Clock of the channel processor, MHz.
    pub processor_mhz: Sourced<f64>,
    /// Processor clocks for one information unit sent or received.
    pub sequence_clocks: Sourced<f64>,
    /// Clock of the bus, MHz.
    pub bus_mhz: Sourced<f64>,
    /// Width of the bus, bits.
    pub bus_bits: Sourced<u32>,
    /// Bus clocks for one FC-2 frame beside its data.
    pub frame_clocks: Sourced<f64>,
    /// Share of the bus that polling takes while the channel is idle, percent.
    pub idle_bus_percent: Sourced<f64>,
}

impl HeldBus {
    pub(crate) fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let processor_mhz = fields.sourced("processor_mhz", Expect::positive(CLOCK_MAX_MHZ));
        let sequence_clocks = fields.sourced("sequence_clocks", Expect::number(0.0..=WORK_MAX_CLOCKS));
        let bus_mhz = fields.sourced("bus_mhz", Expect::positive(CLOCK_MAX_MHZ));
        let bus_bits = fields.sourced("bus_bits", Expect::integer(8..=1024));
        let frame_clocks = fields.sourced("frame_clocks", Expect::number(0.0..=WORK_MAX_CLOCKS));
        let idle_bus_percent = fields.sourced("idle_bus_percent", Expect::number(0.0..=100.0));
        Some(Self {
            processor_mhz: processor_mhz?,
            sequence_clocks: sequence_clocks?,
            bus_mhz: bus_mhz?,
            bus_bits: bus_bits?,
            frame_clocks: frame_clocks?,
            idle_bus_percent: idle_bus_percent?,
        })
    }
}

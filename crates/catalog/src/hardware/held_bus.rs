//! Firmware that stays with every transfer while the bus moves it: the channels before the data router.

use halftrack_input::messages::catalog as catalog_numbers;
use halftrack_input::{Expect, Fields, Sourced};

use crate::hardware::common_numbers::sourced_or;
use crate::hardware::prices::US_PER_S;
use crate::hardware::speed::read_4k_per_s;

/// Clocks, MHz: beyond any processor or bus.
const CLOCK_MAX_MHZ: f64 = 100_000.0;
/// Clocks that one piece of work may take.
const WORK_MAX_CLOCKS: f64 = 1e9;

/// Information units and FC-2 frames of a read of one block of 4 KiB: Define Extent, Locate Record and Read Data. The
/// machine's own plan has as many.
const UNITS_OF_4K: f64 = 7.0;
const FRAMES_OF_4K: f64 = 8.0;
/// Bytes of the block.
const BYTES_OF_4K: f64 = 4096.0;
/// Bits of a byte.
const BITS_PER_BYTE: f64 = 8.0;

/// The numbers that cards of one design share.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldBusFamily {
    /// Bus clocks for one FC-2 frame beside its data.
    pub frame_clocks: Sourced<f64>,
    /// Share of the bus that polling takes while the channel is idle, percent.
    pub idle_bus_percent: Sourced<f64>,
}

impl HeldBusFamily {
    /// Reads them; what the file leaves out is that of `family`, if there is one.
    fn read_or(fields: &mut Fields<'_>, family: Option<&Self>) -> Option<Self> {
        let clocks = Expect::number(0.0..=WORK_MAX_CLOCKS);
        let frame_clocks = sourced_or(fields, "frame_clocks", clocks, family.map(|all| &all.frame_clocks));
        let percent = Expect::number(0.0..=100.0);
        let idle = family.map(|all| &all.idle_bus_percent);
        let idle_bus_percent = sourced_or(fields, "idle_bus_percent", percent, idle);
        Some(Self { frame_clocks: frame_clocks?, idle_bus_percent: idle_bus_percent? })
    }

    pub(crate) fn read(fields: &mut Fields<'_>) -> Option<Self> {
        Self::read_or(fields, None)
    }
}

/// The numbers that decide how long such a channel is held. They are clocks, so that cards of one design differ in
/// their published numbers.
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
    /// Numbers of its design.
    pub shared: HeldBusFamily,
}

impl HeldBus {
    pub(crate) fn read(fields: &mut Fields<'_>, family: Option<&HeldBusFamily>) -> Option<Self> {
        let processor_mhz = fields.sourced("processor_mhz", Expect::positive(CLOCK_MAX_MHZ));
        let bus_mhz = fields.sourced("bus_mhz", Expect::positive(CLOCK_MAX_MHZ));
        let bus_bits = fields.sourced("bus_bits", Expect::integer(8..=1024));
        let shared = HeldBusFamily::read_or(fields, family);
        let most = fields.sourced_if_given("read_4k_per_s", read_4k_per_s());
        let said = match &most {
            Some(None) => fields.sourced("sequence_clocks", Expect::number(0.0..=WORK_MAX_CLOCKS)),
            _ => None,
        };
        let (processor_mhz, bus_mhz, bus_bits, shared) = (processor_mhz?, bus_mhz?, bus_bits?, shared?);
        let sequence_clocks = match most? {
            None => said?,
            Some(most) => {
                let bytes_per_us = bus_mhz.value * f64::from(bus_bits.value) / BITS_PER_BYTE;
                let bus_us =
                    FRAMES_OF_4K * shared.frame_clocks.value / bus_mhz.value + BYTES_OF_4K / bytes_per_us;
                clocks_left(fields, &most, bus_us, processor_mhz.value)?
            }
        };
        Some(Self { processor_mhz, sequence_clocks, bus_mhz, bus_bits, shared })
    }
}

/// Returns the processor clocks that a maximum leaves each information unit beside the bus.
fn clocks_left(fields: &Fields<'_>, most: &Sourced<f64>, bus_us: f64, mhz: f64) -> Option<Sourced<f64>> {
    let whole_us = US_PER_S / most.value;
    if whole_us < bus_us {
        let message = format!(
            "{} reads of 4 KiB a second are {whole_us:.1} us each, but the bus alone takes {bus_us:.1} us",
            most.value
        );
        let fix = format!("lower it below {:.0}, or correct the bus", (US_PER_S / bus_us).floor());
        fields.error(catalog_numbers::TOO_FAST, most.span.clone(), message, fix);
        return None;
    }
    Some(Sourced { value: (whole_us - bus_us) * mhz / UNITS_OF_4K, ..most.clone() })
}

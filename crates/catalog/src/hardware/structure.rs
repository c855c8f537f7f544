//! How the processor drawers of a family are built.

use halftrack_input::messages::catalog as catalog_numbers;
use halftrack_input::{Expect, Fields, Sourced};

/// Drawers, modules, chips and cores, and what lies between them.
#[derive(Debug, Clone, PartialEq)]
pub struct Structure {
    /// Drawers of the largest machine.
    pub drawers: Sourced<u8>,
    /// Modules of a drawer (dual-chip modules on z16).
    pub dcms_per_drawer: Sourced<u8>,
    /// Processor chips of a drawer, the same number in every module.
    pub chips_per_drawer: Sourced<u8>,
    /// Cores of a chip.
    pub cores_per_chip: Sourced<u8>,
    /// Most cores that can be configured in the largest machine.
    pub cores: Sourced<u16>,
    /// Printed numbers that limit nothing in the twin.
    pub printed: Printed,
}

/// Rates and sizes that no I/O of the twin waits for; `None` where none is printed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Printed {
    /// Clock, GHz.
    pub clock_ghz: Option<Sourced<f64>>,
    /// Private second-level cache of a core, MB.
    pub l2_mb: Option<Sourced<f64>>,
    /// Memory of a drawer, TB.
    pub memory_tb_per_drawer: Option<Sourced<f64>>,
    /// Memory of the largest machine, TB.
    pub memory_tb: Option<Sourced<f64>>,
    /// Memory rate within a drawer, GB/s.
    pub memory_gb_per_s: Option<Sourced<f64>>,
    /// Between the chips of a module, each way, GB/s.
    pub on_dcm_gb_per_s: Option<Sourced<f64>>,
    /// Links of a module to the others of its drawer.
    pub off_dcm_links: Option<Sourced<u8>>,
    /// One of these links, each way, GB/s.
    pub off_dcm_gb_per_s: Option<Sourced<f64>>,
    /// One pair of links between drawers, GB/s.
    pub off_drawer_gb_per_s: Option<Sourced<f64>>,
}

impl Structure {
    pub(crate) fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let count = || Expect::integer(1..=64);
        let drawers = fields.sourced("drawers", count());
        let dcms_per_drawer = fields.sourced("dcms_per_drawer", count());
        let chips_per_drawer = fields.sourced("chips_per_drawer", count());
        let cores_per_chip = fields.sourced("cores_per_chip", count());
        let cores = fields.sourced("cores", Expect::integer(1..=4096));
        let printed = Printed::read(fields);
        let (dcms, chips) = (dcms_per_drawer?, chips_per_drawer?);
        if chips.value % dcms.value != 0 {
            let message = format!("{} chips do not divide among {} modules", chips.value, dcms.value);
            fields.error(
                catalog_numbers::NOT_A_WHOLE,
                chips.span,
                message,
                "correct one of them; modules are alike",
            );
            return None;
        }
        Some(Self {
            drawers: drawers?,
            dcms_per_drawer: dcms,
            chips_per_drawer: chips,
            cores_per_chip: cores_per_chip?,
            cores: cores?,
            printed: printed?,
        })
    }

    /// Returns the chips of a module.
    #[must_use]
    pub const fn chips_per_dcm(&self) -> u8 {
        self.chips_per_drawer.value / self.dcms_per_drawer.value
    }
}

impl Printed {
    fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let off_dcm_links = fields.sourced_if_given("off_dcm_links", Expect::integer(1..=64));
        let mut size = |key| fields.sourced_if_given(key, Expect::number(0.001..=1e6));
        let (clock_ghz, l2_mb) = (size("clock_ghz"), size("l2_mb"));
        let (memory_tb_per_drawer, memory_tb) = (size("memory_tb_per_drawer"), size("memory_tb"));
        let memory_gb_per_s = size("memory_gb_per_s");
        let (on_dcm_gb_per_s, off_dcm_gb_per_s) = (size("on_dcm_gb_per_s"), size("off_dcm_gb_per_s"));
        let off_drawer_gb_per_s = size("off_drawer_gb_per_s");
        Some(Self {
            clock_ghz: clock_ghz?,
            l2_mb: l2_mb?,
            memory_tb_per_drawer: memory_tb_per_drawer?,
            memory_tb: memory_tb?,
            memory_gb_per_s: memory_gb_per_s?,
            on_dcm_gb_per_s: on_dcm_gb_per_s?,
            off_dcm_links: off_dcm_links?,
            off_dcm_gb_per_s: off_dcm_gb_per_s?,
            off_drawer_gb_per_s: off_drawer_gb_per_s?,
        })
    }
}

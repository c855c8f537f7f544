//! Setting of the link speed of a port.

use std::ops::Range;

use halftrack_input::{Expect, Fields, Located};

/// The settings of a port; what is left out is negotiated.
#[derive(Debug, Clone, Default)]
pub struct SpeedSetting {
    /// Nominal Gbit/s; `None` takes the fastest that both ends offer.
    pub gbps: Option<Located<u32>>,
    /// Forward error correction on or off; `None` has it at speeds that are never without, and where the other end is set
    /// to it.
    pub fec: Option<Located<bool>>,
}

impl SpeedSetting {
    /// Reads `key`, the speed, and `fec`.
    pub(super) fn read(fields: &mut Fields<'_>, key: &'static str) -> Self {
        let gbps = fields.optional(key, Expect::integer(1..=1024));
        Self { gbps, fec: fields.optional("fec", Expect::flag()) }
    }

    /// Returns true when a port that is set so may run at `gbps` with or without FEC.
    #[must_use]
    pub fn allows(&self, gbps: u32, fec: bool) -> bool {
        self.gbps.as_ref().is_none_or(|set| set.value == gbps)
            && self.fec.as_ref().is_none_or(|set| set.value == fec)
    }

    /// Returns its place in the plant: the speed, or else the error correction; `None` without both.
    #[must_use]
    pub fn span(&self) -> Option<Range<usize>> {
        let gbps = self.gbps.as_ref().map(|gbps| gbps.span.clone());
        gbps.or_else(|| self.fec.as_ref().map(|fec| fec.span.clone()))
    }

    /// Returns this setting, with what it leaves open taken from `general`.
    #[must_use]
    pub fn or(&self, general: &Self) -> Self {
        Self {
            gbps: self.gbps.clone().or_else(|| general.gbps.clone()),
            fec: self.fec.clone().or_else(|| general.fec.clone()),
        }
    }
}

//! How the IOP time of an I/O grows with the machine.

use crate::expect::Expect;
use crate::fields::Fields;
use crate::sourced::Sourced;

/// `[growth]`: shares of the time in the smallest model.
#[derive(Debug, Clone, PartialEq)]
pub struct Growth {
    /// What a line of storage from another drawer adds, as a share, times the part of the lines that come from there.
    pub remote_drawer: Sourced<f64>,
    /// What each SAP core beyond `cores` adds, as a share; `None` when nothing.
    pub core: Option<Sourced<f64>>,
    /// SAP cores of the smallest model, from which `core` counts.
    pub cores: Sourced<u16>,
}

impl Growth {
    pub(crate) fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let remote_drawer = fields.sourced("remote_drawer", Expect::number(0.0..=100.0));
        let core = fields.sourced_if_given("core", Expect::number(0.0..=100.0));
        let cores = fields.sourced("cores", Expect::integer(1..=1024));
        Some(Self { remote_drawer: remote_drawer?, core: core?, cores: cores? })
    }

    /// How many times the time of the smallest model an I/O takes with `cores` SAP cores in `drawers` drawers. A line
    /// of storage was last in any of the drawers alike, so that `(drawers - 1) / drawers` of them come from another.
    #[must_use]
    pub fn factor(&self, drawers: u8, cores: u16) -> f64 {
        let drawers = f64::from(drawers.max(1));
        let beyond = f64::from(cores.saturating_sub(self.cores.value));
        let core = self.core.as_ref().map_or(0.0, |core| core.value);
        1.0 + self.remote_drawer.value * (drawers - 1.0) / drawers + core * beyond
    }
}

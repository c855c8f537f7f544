//! LUN masking: the units that each initiator sees, and by which number.

use std::collections::BTreeMap;

use crate::nexus::Nexus;
use halftrack_wire::fcp::Lun;

/// Units by their number at the initiator.
type View = BTreeMap<Lun, usize>;

/// Units that each initiator sees. A unit that is not in the view of an initiator does not exist for it.
#[derive(Debug, Clone, Default)]
pub struct Masking {
    views: BTreeMap<Nexus, View>,
    /// View of the initiators that have none of their own, at the ports that have one.
    ports: BTreeMap<u16, View>,
    /// View of all others.
    everybody: View,
}

impl Masking {
    /// Shows a unit to an initiator at a target port; its own view replaces that of everybody.
    pub fn show(&mut self, nexus: Nexus, lun: Lun, unit: usize) {
        self.views.entry(nexus).or_default().insert(lun.canonical(), unit);
    }

    /// Shows a unit to every initiator at a target port that has no view of its own; the port's view replaces that of
    /// everybody.
    pub fn show_at(&mut self, target_port: u16, lun: Lun, unit: usize) {
        self.ports.entry(target_port).or_default().insert(lun.canonical(), unit);
    }

    /// Shows a unit to every initiator that has no view of its own, at the ports that have none.
    pub fn show_to_everybody(&mut self, lun: Lun, unit: usize) {
        self.everybody.insert(lun.canonical(), unit);
    }

    /// Returns the unit that an initiator sees under a number.
    pub fn unit(&self, nexus: Nexus, lun: Lun) -> Option<usize> {
        self.view(nexus).get(&lun.canonical()).copied()
    }

    /// Returns the units that an initiator sees, in the order of their numbers.
    pub fn units(&self, nexus: Nexus) -> impl Iterator<Item = (Lun, usize)> + '_ {
        self.view(nexus).iter().map(|(lun, unit)| (*lun, *unit))
    }

    fn view(&self, nexus: Nexus) -> &View {
        let of_port = || self.ports.get(&nexus.target_port).unwrap_or(&self.everybody);
        self.views.get(&nexus).unwrap_or_else(of_port)
    }
}

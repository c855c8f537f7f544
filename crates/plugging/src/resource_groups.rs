//! Resource groups: the firmware partitions that manage the native PCIe adapters.
//!
//! How many a machine has is the catalog's (`native-pcie/`). How the configurator gives adapters to groups is not published:
//! here the domains of the drawers take the groups in turn, which the printed AO Data table agrees with. A report that names the
//! group of each adapter is believed instead.

use halftrack_catalog::Catalog;
use halftrack_deck::model::machines::Machine;

/// Largest number of a group that is read: no machine has more than four, which leaves room.
pub const RESOURCE_GROUP_MAX: u8 = 16;

/// Counts the resource groups of `machine`; `None` before native PCIe adapters.
pub fn count(machine: &Machine, catalog: &Catalog) -> Option<u8> {
    catalog.native_pcie_of(machine.machine_type).map(|native| native.resource_groups.value)
}

/// Returns the group, from 1, of the adapters in domain number `domain` of the machine, from 0, of `count` groups.
pub(crate) fn of_domain(domain: usize, count: u8) -> Option<u8> {
    let turn = domain.checked_rem(usize::from(count))?;
    u8::try_from(turn + 1).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_doubled_with_the_z14() {
        let (catalog, _) = Catalog::load(&[]);
        let count = |machine_type| Machine::of(machine_type).and_then(|machine| count(machine, &catalog));
        assert_eq!([2817, 2827, 2965, 3906, 3931].map(count), [None, Some(2), Some(2), Some(4), Some(4)]);
        let turns: Vec<_> = (0..5).map(|domain| of_domain(domain, 4)).collect();
        assert_eq!(turns, [Some(1), Some(2), Some(3), Some(4), Some(1)]);
        assert_eq!(of_domain(0, 0), None);
    }
}

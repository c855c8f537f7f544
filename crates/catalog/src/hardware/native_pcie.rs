//! The firmware of native PCIe adapters, by machine: `catalog/native-pcie/ID.toml`.

use halftrack_input::{Expect, Fields, Sourced};

use crate::catalog::Catalog;
use crate::shelf::Hardware;

/// Firmware that manages the native PCIe adapters of some machines, in place of channel ASICs and SAPs.
#[derive(Debug, Clone, PartialEq)]
pub struct NativePcie {
    /// Name in words.
    pub title: String,
    /// Machine types that it is of.
    pub machine_types: Sourced<Vec<u16>>,
    /// Integrated firmware processors, on which the resource groups run.
    pub ifps: Sourced<u8>,
    /// Resource groups, each a part of the firmware that is updated by itself.
    pub resource_groups: Sourced<u8>,
}

impl Hardware for NativePcie {
    const DIRECTORY: &'static str = "native-pcie";

    fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let title = fields.required("title", Expect::text());
        let words = "machine types with blanks between, such as \"2964 2965\"";
        let types = Expect::parsed(words, |text| {
            let types: Option<Vec<u16>> = text.split_whitespace().map(|one| one.parse().ok()).collect();
            types.filter(|types| !types.is_empty())
        });
        let machine_types = fields.sourced("machine_types", types);
        let ifps = fields.sourced("ifps", Expect::integer(1..=16));
        let resource_groups = fields.sourced("resource_groups", Expect::integer(1..=16));
        Some(Self {
            title: title?.value,
            machine_types: machine_types?,
            ifps: ifps?,
            resource_groups: resource_groups?,
        })
    }
}

impl Catalog {
    /// Returns the firmware of the native PCIe adapters of a machine type; `None` when it has none.
    pub fn native_pcie_of(&self, machine_type: u16) -> Option<&NativePcie> {
        let all = self.native_pcie.ids().filter_map(|id| self.native_pcie.get(id));
        all.into_iter().find(|one| one.machine_types.value.contains(&machine_type))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_has_the_published_processors_and_groups() {
        let (catalog, found) = Catalog::load(&[]);
        assert_eq!(found, []);
        let counts = |machine_type| {
            catalog
                .native_pcie_of(machine_type)
                .map(|native| (native.ifps.value, native.resource_groups.value))
        };
        assert_eq!([2817, 2827, 2964].map(counts), [None, Some((1, 2)), Some((1, 2))]);
        assert_eq!([8561, 3931].map(counts), [Some((1, 4)), Some((2, 4))]);
    }

    #[test]
    fn a_machine_type_is_in_one_file() {
        let (catalog, _) = Catalog::load(&[]);
        let ids = catalog.native_pcie.ids().filter_map(|id| catalog.native_pcie.get(id));
        let mut types: Vec<u16> = ids.flat_map(|one| one.machine_types.value.clone()).collect();
        let all = types.len();
        types.sort_unstable();
        types.dedup();
        assert_eq!(types.len(), all);
    }
}

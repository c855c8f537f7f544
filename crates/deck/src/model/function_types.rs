//! The types of PCIe functions and the needs of each, as data.
//!
//! Source: reference, IOCP, section 2.7: machines mostly M, VF ranges V for ROC2, NETH and NETD and M otherwise. The
//! paper on FICON Express32S has 64 functions a zHyperLink port of the z16 where the table has 127, which other machines keep.

use crate::model::channel_types::ChannelType;
use crate::model::machines::{Generation, Machine};

/// One value of TYPE= of FUNCTION.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FunctionType {
    /// Value of TYPE=.
    pub name: &'static str,
    /// Name of the feature.
    pub what: &'static str,
    /// First and last machine family that has it.
    pub machines: (Generation, Generation),
    /// Largest VF; `None` when the type has none.
    pub vf_max: Option<u16>,
    /// First machine family on which VF is coded (and then required).
    pub vf_since: Generation,
    /// PORT is coded (and then required), 1 or 2.
    pub has_port: bool,
    /// PNETIDs of one statement.
    pub pnetid_count_max: usize,
    /// It lives on a virtual channel, VCHID, not on a PCHID.
    pub is_virtual: bool,
    /// It has a physical function, coded as PF.
    pub has_pf: bool,
    /// How many adapters machines take, where that is published; no other source counts.
    pub adapters: &'static [AdapterLimit],
    /// Fewer virtual functions of a port than `vf_max`, on the machines that a paper has them for.
    pub functions: &'static [FunctionLimit],
}

/// How many virtual functions a port has on some machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FunctionLimit {
    /// The machine types that it is published for.
    pub machines: &'static [u16],
    /// Largest VF.
    pub vf_max: u16,
    /// The paper.
    pub source: &'static str,
}

/// How many adapters of a function type machines take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AdapterLimit {
    /// The machine types that it is published for.
    pub machines: &'static [u16],
    /// Adapters of one machine.
    pub count: usize,
    /// The paper.
    pub source: &'static str,
}

/// The workshop slides of 2015 on native PCIe adapters (figures `zedc-features-per-server`, `roce-adapters-per-cpc` and
/// `roce-features-per-server`).
const PCIE_2015: &str = "z System Hardware Workshop 2015, part 4";
/// The paper on the FICON Express32S of 2023 (figures `zhl-max-adapters` and `zhl-virtual-functions-per-port`).
const FEX32S_2023: &str = "the paper on FICON Express32S (2023)";

const ZEDC_ADAPTERS: &[AdapterLimit] =
    &[AdapterLimit { machines: &[2827, 2828, 2964], count: 8, source: PCIE_2015 }];
const ROCE_ADAPTERS: &[AdapterLimit] =
    &[AdapterLimit { machines: &[2827, 2828, 2964], count: 16, source: PCIE_2015 }];
const ZHYPERLINK_ADAPTERS: &[AdapterLimit] =
    &[AdapterLimit { machines: &[3931, 3932], count: 8, source: FEX32S_2023 }];
const ZHYPERLINK_FUNCTIONS: &[FunctionLimit] =
    &[FunctionLimit { machines: &[3931, 3932], vf_max: 64, source: FEX32S_2023 }];

const fn row(name: &'static str, what: &'static str, first: Generation, last: Generation) -> FunctionType {
    FunctionType {
        name,
        what,
        machines: (first, last),
        vf_max: None,
        vf_since: Generation::Zec12,
        has_port: false,
        pnetid_count_max: 0,
        is_virtual: false,
        has_pf: false,
        adapters: &[],
        functions: &[],
    }
}

const LAST: Generation = Generation::Z17;

/// All function types.
pub const FUNCTION_TYPES: [FunctionType; 10] = [
    // ZEDC takes VF 1-15 by the table; on zEC12 it may be coded without VF and TYPE (reference, section 5.2).
    FunctionType {
        vf_max: Some(15),
        vf_since: Generation::Z13,
        adapters: ZEDC_ADAPTERS,
        ..row("ZEDC", "zEDC Express", Generation::Zec12, Generation::Z14)
    },
    FunctionType {
        vf_max: Some(31),
        vf_since: Generation::Z13,
        pnetid_count_max: 4,
        adapters: ROCE_ADAPTERS,
        ..row("ROCE", "10GbE RoCE Express", Generation::Zec12, Generation::Z14)
    },
    FunctionType {
        vf_max: Some(63),
        has_port: true,
        pnetid_count_max: 1,
        ..row("ROC2", "RoCE Express2", Generation::Z14, Generation::Z16)
    },
    FunctionType {
        vf_max: Some(127),
        has_port: true,
        adapters: ZHYPERLINK_ADAPTERS,
        functions: ZHYPERLINK_FUNCTIONS,
        ..row("HYL", "zHyperLink Express", Generation::Z14, LAST)
    },
    FunctionType {
        vf_max: Some(255),
        pnetid_count_max: 1,
        is_virtual: true,
        ..row("ISM", "internal shared memory", Generation::Z13, LAST)
    },
    // The reference names no machines for NVME and RCE.
    row("NVME", "NVMe carrier", Generation::Zec12, LAST),
    row("RCE", "regional crypto", Generation::Zec12, LAST),
    FunctionType {
        vf_max: Some(123),
        pnetid_count_max: 1,
        ..row("NETH", "Network Express, hybrid", LAST, LAST)
    },
    FunctionType {
        vf_max: Some(127),
        pnetid_count_max: 1,
        ..row("NETD", "Network Express, direct", LAST, LAST)
    },
    // The number of virtual functions of an accelerator is not published: VF 1 and 2 have been seen.
    FunctionType { vf_max: Some(127), has_pf: true, ..row("PAIA", "AI accelerator", LAST, LAST) },
];

/// Features that people code as FUNCTION and that are defined otherwise: how the value of TYPE= begins, and where the
/// feature is defined (M).
const ELSEWHERE: [(&str, &str); 6] = [
    ("CRY", "crypto adapters are assigned to partitions in their image profiles"),
    ("CEX", "crypto adapters are assigned to partitions in their image profiles"),
    ("FLASH", "flash memory is assigned to partitions at the console"),
    ("SCM", "storage class memory is assigned to partitions at the console"),
    ("VFM", "virtual flash memory is assigned to partitions in their image profiles"),
    ("OSA", "OSA is a channel: CHPID TYPE=OSD"),
];

/// Returns the place where the feature called `name` is defined, when it is none of PCIe functions.
pub(crate) fn elsewhere(name: &str) -> Option<String> {
    if let Some(kind) = ChannelType::of(name) {
        return Some(format!("{} is a type of channel: CHPID TYPE={}", kind.name, kind.name));
    }
    ELSEWHERE.iter().find(|(start, _)| name.starts_with(start)).map(|(_, words)| (*words).to_owned())
}

impl FunctionType {
    /// Returns the type named `name`.
    pub fn of(name: &str) -> Option<&'static FunctionType> {
        FUNCTION_TYPES.iter().find(|kind| kind.name == name)
    }

    /// Returns true when `machine` has functions of this type.
    pub fn exists_on(&self, machine: &Machine) -> bool {
        (self.machines.0..=self.machines.1).contains(&machine.generation)
    }

    /// Returns the limit of adapters of the type on `machine`; `None` where that is not published.
    pub fn adapters_on(&self, machine: &Machine) -> Option<&'static AdapterLimit> {
        self.adapters.iter().find(|limit| limit.machines.contains(&machine.machine_type))
    }

    /// Returns the largest VF on `machine`; `None` when the type has no VF there.
    pub fn vf_max_on(&self, machine: &Machine) -> Option<u16> {
        // A zEDC of zEC12 may be coded with VF, a RoCE of zEC12 is dedicated.
        let has_vf = machine.generation >= self.vf_since || self.name == "ZEDC";
        let most = self.functions_on(machine).map(|limit| limit.vf_max);
        most.or(self.vf_max).filter(|_| has_vf)
    }

    /// Returns the published limit of virtual functions of a port on `machine`.
    pub fn functions_on(&self, machine: &Machine) -> Option<&'static FunctionLimit> {
        self.functions.iter().find(|limit| limit.machines.contains(&machine.machine_type))
    }

    /// Returns true when `machine` needs VF (or PF) to be coded.
    pub fn needs_vf_on(&self, machine: &Machine) -> bool {
        self.vf_max.is_some() && machine.generation >= self.vf_since
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_z16_has_no_compression_function() {
        let z16 = Machine::default_machine();
        assert!(!FunctionType::of("ZEDC").unwrap().exists_on(z16));
        assert!(!FunctionType::of("ROCE").unwrap().exists_on(z16));
        assert!(FunctionType::of("HYL").unwrap().exists_on(z16));
        assert!(FunctionType::of("XYZ").is_none());
    }

    #[test]
    fn a_zhyperlink_port_of_a_z16_has_the_functions_of_the_paper() {
        let hyl = FunctionType::of("HYL").unwrap();
        let most = [3906, 8561, 3931, 3932].map(|machine| hyl.vf_max_on(Machine::of(machine).unwrap()));
        assert_eq!(most, [127, 127, 64, 64].map(Some));
    }

    #[test]
    fn roce_is_dedicated_on_zec12_and_shared_from_z13_on() {
        let roce = FunctionType::of("ROCE").unwrap();
        let (zec12, z13) = (Machine::of(2827).unwrap(), Machine::of(2964).unwrap());
        assert_eq!((roce.vf_max_on(zec12), roce.vf_max_on(z13)), (None, Some(31)));
        assert!(roce.needs_vf_on(z13) && !roce.needs_vf_on(zec12));
        let zedc = FunctionType::of("ZEDC").unwrap();
        assert_eq!((zedc.vf_max_on(zec12), zedc.needs_vf_on(zec12)), (Some(15), false));
    }
}

//! The types of PCIe functions and the machines that have them, as data.
//!
//! Source: reference, IOCP, section 2.7 (availability mostly M).

use crate::machines::{Generation, Machine};

/// One value of TYPE= of FUNCTION.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FunctionType {
    /// Value of TYPE=.
    pub name: &'static str,
    /// First and last machine family that has it.
    pub machines: (Generation, Generation),
}

const fn row(name: &'static str, first: Generation, last: Generation) -> FunctionType {
    FunctionType { name, machines: (first, last) }
}

/// All function types.
pub const FUNCTION_TYPES: [FunctionType; 10] = [
    row("ZEDC", Generation::Zec12, Generation::Z14),
    row("ROCE", Generation::Zec12, Generation::Z14),
    row("ROC2", Generation::Z14, Generation::Z16),
    row("HYL", Generation::Z14, Generation::Z17),
    row("ISM", Generation::Z13, Generation::Z17),
    // The reference names no machines for NVME and RCE.
    row("NVME", Generation::Zec12, Generation::Z17),
    row("RCE", Generation::Zec12, Generation::Z17),
    row("NETH", Generation::Z17, Generation::Z17),
    row("NETD", Generation::Z17, Generation::Z17),
    row("PAIA", Generation::Z17, Generation::Z17),
];

impl FunctionType {
    /// The type named `name`.
    pub fn of(name: &str) -> Option<&'static FunctionType> {
        FUNCTION_TYPES.iter().find(|kind| kind.name == name)
    }

    /// True when `machine` has functions of this type.
    pub fn exists_on(&self, machine: &Machine) -> bool {
        (self.machines.0..=self.machines.1).contains(&machine.generation)
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
}

//! Place of a control unit at a director, as a configuration has it.

use crate::address;

/// Port of a director, by its link address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkPlace {
    /// Domain of the director; none for the one that the link leads to.
    pub domain: Option<u8>,
    /// Link address.
    pub area: u8,
}

impl LinkPlace {
    /// Returns the address of the port there, for the port with the address `own`.
    pub(super) fn address(self, own: u32) -> u32 {
        address::of_port(self.domain.unwrap_or_else(|| address::domain(own)), self.area)
    }
}

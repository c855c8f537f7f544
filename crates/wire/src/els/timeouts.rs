//! LS_ACC of RTV: time-out values of a port or the fabric (FC-LS).

use crate::error::ParseError;
use halftrack_base::Octets;

/// Time-out values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TimeoutValues {
    /// R_A_TOV, milliseconds.
    pub resource_allocation_ms: u32,
    /// E_D_TOV, in milliseconds, or in nanoseconds depending on the qualifier.
    pub error_detect: u32,
    /// Qualifier: the constants of this type.
    pub qualifier: u32,
}

impl TimeoutValues {
    /// Qualifier: E_D_TOV is in nanoseconds.
    pub const NANOSECONDS: u32 = 0x0400_0000;

    pub(super) fn parse(octets: &mut Octets<'_>) -> Result<Self, ParseError> {
        Ok(Self {
            resource_allocation_ms: octets.word()?,
            error_detect: octets.word()?,
            qualifier: octets.word()?,
        })
    }

    pub(super) fn emit(&self, into: &mut Vec<u8>) {
        for word in [self.resource_allocation_ms, self.error_detect, self.qualifier] {
            into.extend_from_slice(&word.to_be_bytes());
        }
    }
}

/// The usual values: R_A_TOV 10 s, E_D_TOV 2 s (reference section 1.4).
impl Default for TimeoutValues {
    fn default() -> Self {
        Self { resource_allocation_ms: 10_000, error_detect: 2_000, qualifier: 0 }
    }
}

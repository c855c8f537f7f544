//! Pools of things that are taken and given back.

use serde::{Deserialize, Serialize};

use crate::zero::is_zero;

/// Things of one kind that are taken and given back (open exchanges, aliases, credits) in an interval in which any was taken
/// or waited for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PoolInterval {
    /// Canonical name: `channel CSS0.40 open exchanges`.
    pub name: String,
    /// How many there are.
    pub tokens: u32,
    /// Integral over the interval of how many were taken, tokens times ns; 0 for bases and aliases, which the records of
    /// devices have, and in files of runs that did not count it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub taken_ns: u64,
    /// Time that none was free and somebody waited for one, ps.
    pub short_ps: u64,
}

impl PoolInterval {
    /// Returns true when any was taken or waited for.
    #[must_use]
    pub const fn is_used(&self) -> bool {
        self.taken_ns > 0 || self.short_ps > 0
    }
}

//! Pools of which nothing was free.

use serde::{Deserialize, Serialize};

/// Things of one kind that are taken and given back (open exchanges, aliases, credits) in an interval in which somebody
/// waited for one because all were taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PoolInterval {
    /// Canonical name: `channel CSS0.40 open exchanges`.
    pub name: String,
    /// How many there are.
    pub tokens: u32,
    /// Time that none was free and somebody waited for one, ps.
    pub short_ps: u64,
}

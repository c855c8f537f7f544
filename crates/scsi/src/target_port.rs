//! Ports of the target.

/// A port of the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TargetPort {
    /// Relative identifier, from 1.
    pub relative_id: u16,
    /// Worldwide port name.
    pub name: u64,
    /// Target port group, from 1.
    pub group: u16,
}

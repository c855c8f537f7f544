//! Nexuses, and tasks of them.

/// An initiator port together with a port of the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Nexus {
    /// Worldwide port name of the initiator.
    pub initiator: u64,
    /// Relative identifier of the target port.
    pub target_port: u16,
}

/// A task: a command of a nexus, by the tag of its transport.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TaskId {
    /// The nexus.
    pub nexus: Nexus,
    /// Tag, unique within the nexus.
    pub tag: u64,
}

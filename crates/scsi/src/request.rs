//! A command as a transport delivers it.

use crate::nexus::TaskId;
use halftrack_wire::fcp::Lun;

/// Direction and length of the data that the initiator has announced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Transfer {
    /// No data.
    None,
    /// Room for so many bytes from the target.
    In(u32),
    /// So many bytes to the target.
    Out(u32),
}

impl Transfer {
    /// Returns the bytes of either direction.
    pub const fn bytes(self) -> u32 {
        match self {
            Self::None => 0,
            Self::In(bytes) | Self::Out(bytes) => bytes,
        }
    }

    /// Returns the bytes for which the initiator has room.
    pub(crate) const fn room(self) -> u32 {
        if let Self::In(bytes) = self { bytes } else { 0 }
    }

    /// Returns the bytes that the initiator will send.
    pub(crate) const fn promised(self) -> u32 {
        if let Self::Out(bytes) = self { bytes } else { 0 }
    }
}

/// Place of a task among others (SAM-5, 8.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum TaskAttribute {
    /// In any order, behind older ordered tasks.
    #[default]
    Simple,
    /// Behind all older tasks and before all newer ones.
    Ordered,
    /// At once.
    HeadOfQueue,
}

/// A command.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The task, whose tag is new or replaces the one that has it.
    pub task: TaskId,
    /// Logical unit number.
    pub lun: Lun,
    /// Place among other tasks.
    pub attribute: TaskAttribute,
    /// Command descriptor block; octets behind its last are ignored.
    pub cdb: &'a [u8],
    /// Data that the initiator has announced.
    pub transfer: Transfer,
}

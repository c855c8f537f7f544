//! Events of a network.

/// Event of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct NetworkEvent {
    /// Index of the connection.
    pub connection: u32,
    /// Number of its moves and losses before: what was on the way at a later one is lost.
    pub moves: u16,
    /// Its next step.
    pub step: Step,
}

/// Step of a connection; each is of the next chunk of its transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// The client connects.
    Connects,
    /// The connection stands, and its first exchange begins.
    Begins,
    /// The sender's processor has done its part.
    Sent,
    /// The first octet is at the other port.
    Arrives,
    /// All octets are in the memory of the receiver, which runs.
    Received,
    /// The receiver's processor has done its part.
    Read,
    /// The sender may send as much again.
    Opened,
    /// The connection has moved to other functions, and goes on.
    Moved,
}

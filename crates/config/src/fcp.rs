//! Parts of a configuration that only FCP has.

use halftrack_base::Span;

/// Properties that only an FCP channel has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FcpChannel {
    /// Time of each write on the stage that only writes pass.
    pub write: Span,
}

/// SCSI logical units as the devices of a logical control unit, as one partition sees them. FCP subchannels are in place of
/// paths of subchannels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Luns {
    /// Name of the set in the plant.
    pub name: String,
    /// Commands that the partition keeps open at one unit.
    pub queue_depth: u16,
    /// Number of the FCP subchannel of each path of the group, in its order.
    pub subchannels: Vec<u16>,
}

//! Options of an end of a link.

use halftrack_wire::WorldWideName;

use crate::clock::HostClock;

/// Options of an end of a link.
#[derive(Debug, Clone)]
pub struct FibreOptions {
    /// Name of this end's port.
    pub own_name: WorldWideName,
    /// Frames that this end has buffers for: what it states at login. At least 1.
    pub receive_credit: u16,
    /// Whether frames that come are checked; a director leaves that to the ends.
    pub check_crc: bool,
    /// The clock of this end, when others may have the same.
    pub clock: Option<HostClock>,
}

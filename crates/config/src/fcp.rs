//! Parts of a configuration that only FCP has.

use halftrack_base::Span;
use halftrack_wire::WorldWideName;

/// First octets of port names of initiators (reference fcp-scsi.md 3.1).
const INITIATORS: u64 = 0xC0_5076;

/// Properties that only an FCP channel has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FcpChannel {
    /// Time of each write on the stage that only writes pass.
    pub write: Span,
}

/// An initiator: an FCP subchannel of a partition on a channel, an N_Port of its own (NPIV).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Initiator {
    /// Index of its partition.
    pub lpar: u32,
    /// Number of the subchannel.
    pub subchannel: u16,
    /// Port name, by which boxes mask their logical units. Where no director gives it an address of its own, that of the
    /// channel.
    pub name: WorldWideName,
}

impl Initiator {
    /// Returns the port name of a subchannel of a partition where the plant has none: CPC, channel subsystem and MIF image,
    /// and device number.
    #[must_use]
    pub fn name_of(cpc: u8, (css, mif): (u8, u8), subchannel: u16) -> WorldWideName {
        let image = u64::from(css << 4 | mif & 0xF);
        WorldWideName(INITIATORS << 40 | u64::from(cpc) << 32 | image << 16 | u64::from(subchannel))
    }

    /// Returns the port name of an FCP channel itself, whose port has this number.
    #[must_use]
    pub fn name_of_channel(cpc: u8, port: u16) -> WorldWideName {
        WorldWideName(INITIATORS << 40 | u64::from(cpc) << 32 | 0xFF00_0000 | u64::from(port))
    }
}

/// SCSI logical units as the devices of a logical control unit, as one partition sees them. FCP subchannels are in place of
/// paths of subchannels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Luns {
    /// Name of the set in the plant.
    pub name: String,
    /// Index of the partition.
    pub lpar: u32,
    /// Commands that the partition keeps open at one unit.
    pub queue_depth: u16,
    /// Number of the FCP subchannel of each path of the group, in its order.
    pub subchannels: Vec<u16>,
}

//! Message numbers of studies that cannot be written (983-987). What the catalog does not have is told with the numbers of
//! [`halftrack_config::numbers`].

/// More channels than the machine has CHPIDs for.
pub const TOO_MANY_CHANNELS: u16 = 983;
/// Partitions beyond those of the channel subsystems, or a channel subsystem without one.
pub const TOO_MANY_PARTITIONS: u16 = 984;
/// Devices beyond subchannel sets, logical control units or channels, or too few for the partitions.
pub const TOO_MANY_DEVICES: u16 = 985;
/// Cards beyond the slots and fanouts of the machine.
pub const TOO_MANY_CARDS: u16 = 986;
/// The directory for the study is there already.
pub const DIRECTORY_THERE: u16 = 987;

//! Logical links of ISFC: the channel-to-channel devices between two systems, and what moves over them.

use halftrack_base::Span;

/// A logical link between two systems.
#[derive(Debug, Clone, PartialEq)]
pub struct IsLink {
    /// Name, unique in the workload.
    pub name: String,
    /// Indices of the partitions of both ends.
    pub lpars: [u32; 2],
    /// Its devices, by their numbers at the first end; 1 to 16.
    pub devices: Vec<IsLinkDevice>,
    /// Data that move from one end to the other as fast as the link takes them.
    pub bulks: Vec<BulkFlow>,
}

/// A channel-to-channel device, seen from both ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IsLinkDevice {
    /// Its device number at each end.
    pub numbers: [u16; 2],
    /// Index of the channel at each end; one that both systems share is there twice.
    pub channels: [u32; 2],
    /// Links from each end to the other, in order of travel.
    pub links: [Vec<u32>; 2],
    /// Shortest time between two blocks.
    pub turnaround: Span,
}

/// Data that move in one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BulkFlow {
    /// End that sends: 0 or 1.
    pub from: u8,
}

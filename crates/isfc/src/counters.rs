//! Counts of a device of a link.

use std::ops::AddAssign;

/// Counts of one direction of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct DirectionCounters {
    /// Channel programs started.
    pub starts: u64,
    /// Blocks that crossed the device, those of the ends themselves included.
    pub blocks: u64,
    /// Octets of streams in them.
    pub octets: u64,
    /// Blocks that had to go again, because the device was lost or the partner had not received them.
    pub resends: u64,
}

/// Counts of a device, or of all devices of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Counters {
    /// Writes.
    pub write: DirectionCounters,
    /// Reads. Their resends are duplicates, which were dropped.
    pub read: DirectionCounters,
    /// Writes that met a Write of the partner.
    pub collisions: u64,
}

impl AddAssign for DirectionCounters {
    fn add_assign(&mut self, other: Self) {
        self.starts += other.starts;
        self.blocks += other.blocks;
        self.octets += other.octets;
        self.resends += other.resends;
    }
}

impl AddAssign for Counters {
    fn add_assign(&mut self, other: Self) {
        self.write += other.write;
        self.read += other.read;
        self.collisions += other.collisions;
    }
}

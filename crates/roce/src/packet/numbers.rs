//! Numbers that packets carry.

/// Bits of a packet sequence number, and of a number of a queue pair.
const MASK: u32 = 0x00FF_FFFF;

/// Packet sequence number: 24 bits that wrap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Psn(u32);

/// Number of a queue pair at its adapter, 24 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct QueuePairNumber(u32);

/// Key by which a peer reaches registered memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Rkey(pub u32);

/// Immediate data: a word that comes with the completion of the receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Immediate(pub u32);

impl Psn {
    /// Makes the number of the low 24 bits of `number`.
    pub const fn new(number: u32) -> Self {
        Self(number & MASK)
    }

    /// Returns the number.
    pub const fn get(self) -> u32 {
        self.0
    }

    /// Returns the number that many packets later.
    #[must_use]
    pub const fn plus(self, packets: u64) -> Self {
        Self::new(self.0.wrapping_add(packets as u32))
    }

    /// Returns the number that many packets earlier.
    #[must_use]
    pub const fn minus(self, packets: u32) -> Self {
        Self::new(self.0.wrapping_sub(packets))
    }

    /// Returns the packets from `earlier` to this one, 0 to 2^24 - 1.
    pub const fn since(self, earlier: Self) -> u32 {
        self.0.wrapping_sub(earlier.0) & MASK
    }
}

impl QueuePairNumber {
    /// Makes the number of the low 24 bits of `number`.
    pub const fn new(number: u32) -> Self {
        Self(number & MASK)
    }

    /// Returns the number.
    pub const fn get(self) -> u32 {
        self.0
    }
}

//! Largest payload of a packet.

/// Octets of the largest payload of any path.
pub const MTU_BYTES_MAX: usize = 4096;

/// Largest payload of a packet on a path: one of five sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Mtu {
    /// 256 octets.
    Octets256,
    /// 512 octets.
    Octets512,
    /// 1024 octets: what fits in an Ethernet frame of 1500 octets.
    #[default]
    Octets1024,
    /// 2048 octets.
    Octets2048,
    /// 4096 octets.
    Octets4096,
}

impl Mtu {
    /// Sizes from the smallest.
    pub const ALL: [Self; 5] =
        [Self::Octets256, Self::Octets512, Self::Octets1024, Self::Octets2048, Self::Octets4096];

    /// Returns the size whose code in InfiniBand is `code`: 1 is 256 octets, 5 is 4096.
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code).checked_sub(1)?).copied()
    }

    /// Returns the code.
    pub const fn code(self) -> u8 {
        self as u8 + 1
    }

    /// Returns the octets.
    pub const fn payload_bytes(self) -> u32 {
        256 << self as u32
    }
}

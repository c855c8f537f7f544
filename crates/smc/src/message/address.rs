//! Names of stacks, ports, queue pairs and buffers, as messages carry them.

/// Stack of TCP/IP: an instance number of two octets, and the MAC address of one of its RoCE ports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct PeerId(pub [u8; 8]);

/// Global identifier of a RoCE port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Gid(pub [u8; 16]);

/// MAC address of a RoCE port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Mac(pub [u8; 6]);

/// Number of 24 bits: a queue pair's, or of the first packet of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Bits24([u8; 3]);

/// Key by which a peer reaches a registered buffer over one link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Rkey(pub u32);

/// Name of a connection, chosen by the receiver of its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct AlertToken(pub u32);

/// Number of a link in its group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct LinkNumber(pub u8);

/// Largest packet of a queue pair in the coding of InfiniBand: 1 is 256 octets, 5 is 4096.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Mtu(pub u8);

/// Place of a registered buffer on one link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct RemoteToken {
    /// Key.
    pub rkey: Rkey,
    /// Virtual address of the first octet.
    pub address: u64,
}

impl Bits24 {
    /// Makes the number of the low 24 bits of `number`.
    pub const fn new(number: u32) -> Self {
        let [_, high, middle, low] = number.to_be_bytes();
        Self([high, middle, low])
    }

    /// Makes the number of its octets.
    pub const fn from_octets(octets: [u8; 3]) -> Self {
        Self(octets)
    }

    /// Returns the octets.
    pub const fn octets(self) -> [u8; 3] {
        self.0
    }

    /// Returns the number.
    pub const fn get(self) -> u32 {
        u32::from_be_bytes([0, self.0[0], self.0[1], self.0[2]])
    }
}

impl Mtu {
    /// Returns the octets of the largest packet; `None` for a code that InfiniBand reserves.
    pub const fn payload_bytes(self) -> Option<u32> {
        match self.0 {
            1..=5 => Some(128 << self.0),
            _ => None,
        }
    }
}

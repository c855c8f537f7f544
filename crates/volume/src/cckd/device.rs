//! The device that a compressed image holds, and how its units are numbered.

use std::fmt;

use super::packed_unit::UNIT_HEADER_BYTES;

/// Blocks of a block group of a compressed FBA image.
pub const BLOCKS_PER_GROUP: u32 = 120;
/// Octets of a block group of a compressed FBA image.
pub const GROUP_BYTES: u32 = BLOCKS_PER_GROUP * 512;

/// The device of a compressed image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CckdDevice {
    /// Count-key-data: a unit is a track.
    Ckd {
        /// Low byte of the device type: 0x90 for 3390, 0x80 for 3380.
        device_type: u8,
        /// Cylinders, alternate ones counted.
        cylinders: u32,
        /// Tracks of a cylinder.
        heads: u32,
        /// Most octets of a track image, home address and end marker counted.
        track_bytes: u32,
    },
    /// Fixed-block: a unit is a group of [`BLOCKS_PER_GROUP`] blocks.
    Fba {
        /// Blocks of 512 octets.
        blocks: u32,
    },
}

impl CckdDevice {
    /// Returns the units of the device, or nothing when the image format cannot number them. A unit header has 16
    /// bits for the cylinder and 16 for the head.
    pub fn units(self) -> Option<u32> {
        match self {
            Self::Ckd { cylinders, heads, track_bytes, .. } => {
                let numbered = (1..=0x1_0000).contains(&cylinders) && (1..=0xFF).contains(&heads);
                let stored = (64..=0xFFFF).contains(&track_bytes);
                (numbered && stored).then(|| cylinders * heads)
            }
            Self::Fba { blocks } => (blocks > 0).then(|| blocks.div_ceil(BLOCKS_PER_GROUP)),
        }
    }

    /// Returns the most octets of a unit.
    pub fn unit_bytes(self) -> u32 {
        match self {
            Self::Ckd { track_bytes, .. } => track_bytes,
            Self::Fba { .. } => GROUP_BYTES,
        }
    }

    /// Returns whether a unit is a track.
    pub fn is_ckd(self) -> bool {
        matches!(self, Self::Ckd { .. })
    }

    /// Returns the header of a unit, its compression left 0. For a track it is the home address.
    pub(super) fn unit_header(self, unit: u32) -> [u8; UNIT_HEADER_BYTES] {
        let number = match self {
            Self::Ckd { heads, .. } => ((unit / heads) << 16) | (unit % heads),
            Self::Fba { .. } => unit,
        };
        let [a, b, c, d] = number.to_be_bytes();
        [0, a, b, c, d]
    }

    /// Returns the unit that a unit header names; nothing for a unit that the device has not.
    pub(super) fn unit_of(self, header: [u8; UNIT_HEADER_BYTES]) -> Option<u32> {
        let [_, a, b, c, d] = header;
        let unit = match self {
            Self::Ckd { heads, .. } => {
                let head = u32::from(u16::from_be_bytes([c, d]));
                let cylinder = u32::from(u16::from_be_bytes([a, b]));
                (head < heads).then(|| cylinder * heads + head)?
            }
            Self::Fba { .. } => u32::from_be_bytes([a, b, c, d]),
        };
        (unit < self.units()?).then_some(unit)
    }
}

impl fmt::Display for CckdDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ckd { cylinders, heads, track_bytes, .. } => {
                write!(f, "{cylinders} cylinders of {heads} tracks of {track_bytes} bytes")
            }
            Self::Fba { blocks } => write!(f, "{blocks} blocks"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_named_by_their_header() {
        let device = CckdDevice::Ckd { device_type: 0x90, cylinders: 300, heads: 15, track_bytes: 56_832 };
        assert_eq!(device.units(), Some(4500));
        assert_eq!(device.unit_header(4499), [0, 1, 43, 0, 14]);
        assert_eq!(device.unit_of([2, 1, 43, 0, 14]), Some(4499));
        assert_eq!(device.unit_of([0, 1, 44, 0, 0]), None);
        assert_eq!(device.unit_of([0, 0, 0, 0, 15]), None);
        let blocks = CckdDevice::Fba { blocks: 1000 };
        assert_eq!(blocks.units(), Some(9));
        assert_eq!(blocks.unit_of(blocks.unit_header(8)), Some(8));
        assert_eq!(blocks.unit_of([1, 0, 0, 0, 9]), None);
    }

    #[test]
    fn a_device_that_cannot_be_numbered_has_no_units() {
        let device = |cylinders, heads, track_bytes| CckdDevice::Ckd {
            device_type: 0x90,
            cylinders,
            heads,
            track_bytes,
        };
        assert_eq!(device(65_536, 15, 56_832).units(), Some(983_040));
        assert_eq!(device(65_537, 15, 56_832).units(), None);
        assert_eq!(device(0, 15, 56_832).units(), None);
        assert_eq!(device(1, 256, 56_832).units(), None);
        assert_eq!(device(1, 15, 65_536).units(), None);
        assert_eq!(CckdDevice::Fba { blocks: 0 }.units(), None);
    }
}

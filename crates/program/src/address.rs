//! Addresses of tracks and records, and their CCHH and CCHHR forms.
//!
//! On volumes of more than 65,536 cylinders CC holds the low 16 bits of the cylinder and the upper 12 bits
//! of HH the high ones, so that the head stays in the low four bits of HH.

use halftrack_base::fields::u16_at;

/// Cylinders that a CCHH can name: 28 bits.
pub const ADDRESSABLE_CYLINDERS: u32 = 1 << 28;
/// Heads that a CCHH can name: 4 bits.
pub const ADDRESSABLE_HEADS: u8 = 16;

/// A track, in the range that a CCHH can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct TrackAddress {
    cylinder: u32,
    head: u8,
}

impl TrackAddress {
    /// Returns the track at `cylinder` and `head`, or nothing when a CCHH cannot name it.
    pub const fn new(cylinder: u32, head: u8) -> Option<Self> {
        if cylinder < ADDRESSABLE_CYLINDERS && head < ADDRESSABLE_HEADS {
            Some(Self { cylinder, head })
        } else {
            None
        }
    }

    /// Returns the cylinder, from 0.
    pub const fn cylinder(self) -> u32 {
        self.cylinder
    }

    /// Returns the head, from 0.
    pub const fn head(self) -> u8 {
        self.head
    }

    /// Returns the four bytes of the CCHH.
    pub const fn to_cchh(self) -> [u8; 4] {
        let cc = (self.cylinder as u16).to_be_bytes();
        let hh = (((self.cylinder >> 16) as u16) << 4 | self.head as u16).to_be_bytes();
        [cc[0], cc[1], hh[0], hh[1]]
    }

    /// Returns the track that a CCHH names.
    pub fn from_cchh(cchh: [u8; 4]) -> Self {
        let hh = u16_at(&cchh, 2);
        Self { cylinder: u32::from(hh >> 4) << 16 | u32::from(u16_at(&cchh, 0)), head: (hh & 0x000F) as u8 }
    }
}

/// A record: where a channel program starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct RecordAddress {
    /// Cylinder, from 0.
    pub cylinder: u32,
    /// Head, from 0.
    pub head: u8,
    /// Record number, from 1; 0 is the record zero of the track.
    pub record: u8,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_head_keeps_the_low_nibble_on_large_volumes() {
        assert_eq!(TrackAddress::new(10_016, 14).unwrap().to_cchh(), [0x27, 0x20, 0x00, 0x0E]);
        assert_eq!(TrackAddress::new(65_536, 0).unwrap().to_cchh(), [0x00, 0x00, 0x00, 0x10]);
        assert_eq!(TrackAddress::new(262_667, 14).unwrap().to_cchh(), [0x02, 0x0B, 0x00, 0x4E]);
    }

    #[test]
    fn what_a_cchh_cannot_name_is_refused() {
        assert_eq!(TrackAddress::new(ADDRESSABLE_CYLINDERS, 0), None);
        assert_eq!(TrackAddress::new(0, ADDRESSABLE_HEADS), None);
        assert!(TrackAddress::new(ADDRESSABLE_CYLINDERS - 1, ADDRESSABLE_HEADS - 1).is_some());
    }

    proptest! {
        #[test]
        fn every_cchh_is_a_track_and_back(cchh in any::<[u8; 4]>()) {
            prop_assert_eq!(TrackAddress::from_cchh(cchh).to_cchh(), cchh);
        }
    }
}

//! The tracks of a domain that need not follow each other: a bit for each track from the one sought.

use halftrack_program::{Geometry, TrackAddress};

/// Bytes of the longest set: a bit for each of 255 tracks and one more.
const SET_BYTES: usize = 32;

/// A set of tracks, of which some have been passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TrackSet {
    bits: [u8; SET_BYTES],
    /// Bits up to the track in work.
    at: u16,
}

impl TrackSet {
    /// Returns the set of extended parameters, high bit first. Nothing when they are too long, leave out the track
    /// sought, or do not name `count` tracks: what a device does with such a set is not public, so this one
    /// refuses it.
    pub(crate) fn parse(parameters: &[u8], count: u8) -> Option<Self> {
        let mut bits = [0; SET_BYTES];
        bits.get_mut(..parameters.len())?.copy_from_slice(parameters);
        let tracks: u32 = bits.iter().map(|byte| byte.count_ones()).sum();
        (bits[0] & 0x80 != 0 && tracks == u32::from(count)).then_some(Self { bits, at: 0 })
    }

    /// Goes on from `track` to the next track of the set; nothing behind the last, or past the device.
    pub(crate) fn next(&mut self, track: TrackAddress, geometry: &Geometry) -> Option<TrackAddress> {
        let from = self.at;
        let is_on = |bit: &u16| self.bits[usize::from(bit / 8)] & 0x80 >> (bit % 8) != 0;
        let next = (from + 1..SET_BYTES as u16 * 8).find(is_on)?;
        self.at = next;
        geometry.advance(track, u32::from(next - from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::track;
    use halftrack_program::Model;

    #[test]
    fn a_set_goes_from_bit_to_bit() {
        let geometry = Geometry::of(Model::Model3);
        let mut set = TrackSet::parse(&[0b1001_0000, 0b0100_0000], 3).unwrap();
        assert_eq!(set.next(track(100, 13), &geometry), Some(track(101, 1)));
        assert_eq!(set.next(track(101, 1), &geometry), Some(track(101, 7)));
        assert_eq!(set.next(track(101, 7), &geometry), None);
        let mut past = TrackSet::parse(&[0b1100_0000], 2).unwrap();
        assert_eq!(past.next(track(3338, 14), &geometry), None);
    }

    #[test]
    fn a_set_names_as_many_tracks_as_the_domain_has() {
        assert_eq!(TrackSet::parse(&[0xFF], 7), None);
        assert_eq!(TrackSet::parse(&[0x7F], 7), None, "the track sought is not in it");
        assert_eq!(TrackSet::parse(&[], 1), None);
        assert_eq!(TrackSet::parse(&[0x80; 33], 33), None);
        assert!(TrackSet::parse(&[0xFF; 32], 255).is_none() && TrackSet::parse(&[0xFF, 0xC0], 10).is_some());
    }
}

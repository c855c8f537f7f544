//! An extent: tracks from one to another, ten bytes in a DSCB.

use std::fmt;

use halftrack_program::{Geometry, TrackAddress};

/// Bytes of an extent in a DSCB.
pub(super) const EXTENT_BYTES: usize = 10;

/// Kind of extent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ExtentKind {
    /// Data (X'01').
    Data,
    /// Data, allocated in whole cylinders (X'81').
    DataInCylinders,
    /// User labels (X'40').
    UserLabels,
    /// Another kind, by its code: parts of an indexed data set, split cylinders.
    Other(u8),
}

impl ExtentKind {
    /// Returns the kind of a code other than 0.
    const fn from_code(code: u8) -> Self {
        match code {
            0x01 => Self::Data,
            0x81 => Self::DataInCylinders,
            0x40 => Self::UserLabels,
            other => Self::Other(other),
        }
    }

    /// Returns whether records of the data set lie here, one track after the other.
    pub const fn is_data(self) -> bool {
        matches!(self, Self::Data | Self::DataInCylinders)
    }
}

/// Tracks from one to another, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Extent {
    /// Kind of extent.
    pub kind: ExtentKind,
    /// Number among the extents of the data set, from 0.
    pub sequence: u8,
    /// First track.
    pub begin: TrackAddress,
    /// Last track.
    pub end: TrackAddress,
}

impl Extent {
    /// Returns the extent of its ten bytes; nothing when they mark a missing one, or are fewer.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let [code, sequence, b0, b1, b2, b3, e0, e1, e2, e3] = *bytes.first_chunk::<EXTENT_BYTES>()?;
        (code != 0).then(|| Self {
            kind: ExtentKind::from_code(code),
            sequence,
            begin: TrackAddress::from_cchh([b0, b1, b2, b3]),
            end: TrackAddress::from_cchh([e0, e1, e2, e3]),
        })
    }

    /// Returns the tracks; 0 when the extent is not on the volume or ends before it begins.
    pub fn tracks(&self, geometry: &Geometry) -> u32 {
        if !geometry.contains(self.begin) || !geometry.contains(self.end) {
            return 0;
        }
        let (begin, end) = (track_number(self.begin, geometry), track_number(self.end, geometry));
        if begin > end { 0 } else { end - begin + 1 }
    }
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (begin, end) = (self.begin, self.end);
        write!(f, "{}/{}-{}/{}", begin.cylinder(), begin.head(), end.cylinder(), end.head())
    }
}

/// Returns the number of a track on the volume, from 0. Below 2^32, since there are 2^28 cylinders of 15 heads at most.
pub(super) fn track_number(track: TrackAddress, geometry: &Geometry) -> u32 {
    track.cylinder() * u32::from(geometry.heads()) + u32::from(track.head())
}

/// Returns the track of a number, or nothing past the end of the volume.
pub(super) fn track_at(number: u32, geometry: &Geometry) -> Option<TrackAddress> {
    geometry.advance(TrackAddress::default(), number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_bytes_are_an_extent_unless_their_kind_is_none() {
        let bytes = [0x81, 2, 0, 3, 0, 0, 0, 4, 0, 14];
        let extent = Extent::parse(&bytes).unwrap();
        let geometry = Geometry::with_cylinders(5).unwrap();
        assert_eq!((extent.kind, extent.sequence), (ExtentKind::DataInCylinders, 2));
        assert_eq!((extent.tracks(&geometry), extent.to_string()), (30, "3/0-4/14".to_owned()));
        assert_eq!(Extent::parse(&[0; 10]), None);
        assert_eq!(Extent::parse(&bytes[..9]), None);
    }

    #[test]
    fn extents_outside_or_the_wrong_way_have_no_tracks() {
        let geometry = Geometry::with_cylinders(4).unwrap();
        let parse = |begin: [u8; 4], end: [u8; 4]| {
            let bytes: Vec<u8> = [&[1, 0], &begin[..], &end[..]].concat();
            Extent::parse(&bytes).unwrap()
        };
        assert_eq!(parse([0, 3, 0, 0], [0, 4, 0, 0]).tracks(&geometry), 0);
        assert_eq!(parse([0, 1, 0, 1], [0, 1, 0, 0]).tracks(&geometry), 0);
        assert_eq!(parse([0xFF; 4], [0xFF; 4]).tracks(&geometry), 0);
        assert_eq!(parse([0, 1, 0, 0], [0, 1, 0, 0]).tracks(&geometry), 1);
    }
}

//! What the tracks of a device hold, as far as a channel program can tell: records and their lengths.

use halftrack_program::Geometry;

/// Lengths of one record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RecordLengths {
    /// Bytes of the key area; 0 without a key.
    pub key: u8,
    /// Bytes of the data area; 0 for an end-of-file record.
    pub data: u16,
}

/// Record zero of a formatted track: no key, 8 bytes of data.
pub const RECORD_ZERO: RecordLengths = RecordLengths { key: 0, data: 8 };

/// The layout of a device's tracks. Records of a track are numbered from 1 without gaps; record 0 is the
/// record zero of the track.
pub trait Tracks {
    /// Cylinders, heads and track capacity.
    fn geometry(&self) -> &Geometry;

    /// Lengths of a record, or nothing when the track has no such record.
    fn record(&self, cylinder: u32, head: u8, record: u8) -> Option<RecordLengths>;

    /// Records on a track, record zero not counted.
    fn records_on_track(&self, cylinder: u32, head: u8) -> u8;

    /// Whether the device refuses writes of any kind.
    fn write_inhibited(&self) -> bool {
        false
    }
}

/// A volume of which every track is full of keyless records of one length: layout without bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UniformTracks {
    geometry: Geometry,
    record_bytes: u16,
    records_per_track: u8,
}

impl UniformTracks {
    /// Formats every track of `geometry` with as many records of `record_bytes` as fit. Lengths that do not
    /// fit, and zero, leave the tracks empty.
    pub fn new(geometry: Geometry, record_bytes: u16) -> Self {
        let records_per_track =
            if record_bytes == 0 { 0 } else { geometry.records_per_track(record_bytes, 0) };
        Self { geometry, record_bytes, records_per_track }
    }

    /// Bytes of data of every record.
    pub fn record_bytes(&self) -> u16 {
        self.record_bytes
    }

    fn has_track(&self, cylinder: u32, head: u8) -> bool {
        cylinder < self.geometry.cylinders() && head < self.geometry.heads()
    }
}

impl Tracks for UniformTracks {
    fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    fn record(&self, cylinder: u32, head: u8, record: u8) -> Option<RecordLengths> {
        if !self.has_track(cylinder, head) || record > self.records_per_track {
            None
        } else if record == 0 {
            Some(RECORD_ZERO)
        } else {
            Some(RecordLengths { key: 0, data: self.record_bytes })
        }
    }

    fn records_on_track(&self, cylinder: u32, head: u8) -> u8 {
        if self.has_track(cylinder, head) { self.records_per_track } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use halftrack_program::Model;

    #[test]
    fn every_track_is_full_and_no_track_lies_outside() {
        let tracks = UniformTracks::new(Geometry::of(Model::Model3), 4096);
        assert_eq!(tracks.records_on_track(3338, 14), 12);
        assert_eq!(tracks.records_on_track(3339, 0), 0);
        assert_eq!(tracks.record(0, 0, 12), Some(RecordLengths { key: 0, data: 4096 }));
        assert_eq!(tracks.record(0, 0, 0), Some(RECORD_ZERO));
        assert_eq!(tracks.record(0, 0, 13), None);
        assert_eq!(tracks.record(0, 15, 1), None);
        assert!(!tracks.write_inhibited());
    }

    #[test]
    fn what_does_not_fit_is_not_there() {
        for bytes in [0, 56_665] {
            let tracks = UniformTracks::new(Geometry::of(Model::Model3), bytes);
            assert_eq!(tracks.records_on_track(0, 0), 0);
            assert_eq!(tracks.record(0, 0, 1), None);
        }
    }
}

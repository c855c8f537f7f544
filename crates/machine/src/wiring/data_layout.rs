//! Where the records of a run lie on the volumes: one region for each block size that a volume's streams use.

use std::collections::BTreeMap;

use halftrack_config::{Arrivals, Configuration, Stream};
use halftrack_program::{Geometry, ProgramShape, RecordAddress, TrackAddress};
use halftrack_workload::Pattern;

use crate::wiring::error::WiringError;

/// A volume: number of its logical control unit, and in the low octet its base's unit address there.
pub(crate) type VolumeId = u64;

/// Returns the volume of a base.
pub(crate) fn volume_id(lcu: u32, unit_address: u8) -> VolumeId {
    u64::from(lcu) << 8 | u64::from(unit_address)
}

/// Memory for the tracks of all volumes, bytes; regions share it.
const TRACKS_BYTES: u64 = 1 << 30;
/// Memory of a track, bytes: a 3390's with what goes with it.
const TRACK_BYTES: u64 = 58 * 1024;
/// Most tracks of a region: more would not be more real.
const REGION_MOST_TRACKS: u32 = 1500;

/// Consecutive tracks full of records of one length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Region {
    /// Data bytes of every record.
    pub record_bytes: u16,
    /// Records of every track.
    pub records_per_track: u8,
    /// Number of the first track.
    pub first_track: u32,
    /// Tracks that I/Os choose from.
    pub tracks: u32,
    /// Tracks behind them for I/Os that find no free record: their content is never compared.
    pub spare_tracks: u32,
}

impl Region {
    /// Returns the number of tracks that `records` records take from the first of a track.
    fn tracks_of(&self, records: u16) -> u32 {
        u32::from(records).div_ceil(u32::from(self.records_per_track))
    }

    /// Counts the places where a program of `records` records may begin: any record for one, the first of a track for more.
    pub(crate) fn starts(&self, records: u16) -> u32 {
        if records == 1 {
            self.tracks * u32::from(self.records_per_track)
        } else {
            self.tracks + 1 - self.tracks_of(records)
        }
    }

    /// Returns the start numbered `start`, as track number and record.
    pub(crate) fn start(&self, records: u16, start: u32) -> (u32, u8) {
        let per_track = u32::from(self.records_per_track);
        if records == 1 {
            (self.first_track + start / per_track, (start % per_track) as u8 + 1)
        } else {
            (self.first_track + start, 1)
        }
    }

    /// Returns the place where a program begins that finds no free records.
    pub(crate) fn spare(&self) -> (u32, u8) {
        (self.first_track + self.tracks, 1)
    }

    /// Returns the record that lies `records` behind `(track, record)`.
    pub(crate) fn behind(&self, (track, record): (u32, u8), records: u16) -> (u32, u8) {
        let per_track = u32::from(self.records_per_track);
        let index = u32::from(record) - 1 + u32::from(records);
        (track + index / per_track, (index % per_track) as u8 + 1)
    }

    fn end(&self) -> u32 {
        self.first_track + self.tracks + self.spare_tracks
    }
}

/// The regions of one volume.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct VolumeLayout {
    /// Device number of its base.
    pub device: u16,
    /// Cylinders and heads.
    pub geometry: Geometry,
    regions: Vec<Region>,
}

impl VolumeLayout {
    /// Returns the region of records of `record_bytes`, which a stream of the volume uses.
    pub(crate) fn region(&self, record_bytes: u16) -> &Region {
        let found = self.regions.iter().find(|region| region.record_bytes == record_bytes);
        found.expect("every block size of the volume's streams has its region")
    }

    /// Returns the region that a track lies in.
    pub(crate) fn region_of_track(&self, track: u32) -> Option<&Region> {
        self.regions.iter().find(|region| (region.first_track..region.end()).contains(&track))
    }
}

/// Address of a record of a volume of `geometry`.
pub(crate) fn address(geometry: &Geometry, (track, record): (u32, u8)) -> RecordAddress {
    let at = geometry.advance(TrackAddress::default(), track).unwrap_or_default();
    RecordAddress { cylinder: at.cylinder(), head: at.head(), record }
}

/// The volumes of a run with real data.
#[derive(Debug)]
pub(crate) struct DataLayout {
    /// Seed of the octets and of the choice of records.
    pub seed: u64,
    /// The octets.
    pub pattern: Pattern,
    volumes: BTreeMap<VolumeId, VolumeLayout>,
}

impl DataLayout {
    /// Lays out the volumes that the streams of `configuration` use.
    ///
    /// # Errors
    /// [`WiringError::Data`] when they would take too much memory or a volume is too small;
    /// [`WiringError::TraceHasNoData`].
    pub(crate) fn new(configuration: &Configuration, seed: u64) -> Result<Self, WiringError> {
        let traced = |stream: &&Stream| matches!(stream.arrivals, Arrivals::Traced(_));
        if let Some(stream) = configuration.streams.iter().find(traced) {
            return Err(WiringError::TraceHasNoData { stream: stream.name.clone() });
        }
        let needs = needs(configuration);
        let regions: usize = needs.values().map(|(.., sizes)| sizes.len()).sum();
        let share = (TRACKS_BYTES / TRACK_BYTES / regions.max(1) as u64).clamp(1, REGION_MOST_TRACKS.into());
        let mut volumes = BTreeMap::new();
        let mut tracks = 0;
        for (id, (device, geometry, sizes)) in needs {
            let layout =
                lay_out((device, geometry), &sizes, share as u32).ok_or_else(|| WiringError::Data {
                    reason: format!(
                        "a volume of {} cylinders is too small for the programs of its streams",
                        geometry.cylinders()
                    ),
                })?;
            tracks += layout.regions.last().map_or(0, |last| u64::from(last.end()));
            volumes.insert(id, layout);
        }
        if tracks * TRACK_BYTES > 4 * TRACKS_BYTES {
            let gib = tracks * TRACK_BYTES / (1 << 30);
            let reason = format!("the tracks of {} volumes would take {gib} GiB of memory", volumes.len());
            return Err(WiringError::Data { reason });
        }
        Ok(Self { seed, pattern: Pattern::new(seed), volumes })
    }

    /// Returns the layout of a volume that a stream uses.
    pub(crate) fn volume(&self, id: VolumeId) -> &VolumeLayout {
        &self.volumes[&id]
    }
}

/// By volume: its device number and geometry, and by block size the most tracks that a program takes.
type Needs = BTreeMap<VolumeId, (u16, Geometry, BTreeMap<u16, u32>)>;

fn needs(configuration: &Configuration) -> Needs {
    let mut needs = Needs::new();
    for stream in &configuration.streams {
        for device in &stream.devices {
            let device = &configuration.devices[*device as usize];
            let Some(geometry) = Geometry::with_cylinders(device.cylinders) else { continue };
            let (.., sizes) = needs
                .entry(volume_id(device.lcu, device.unit_address))
                .or_insert_with(|| (device.number, geometry, BTreeMap::new()));
            for shape in [&stream.read, &stream.write] {
                let tracks = sizes.entry(shape.record_bytes).or_insert(1);
                *tracks = tracks_of(shape, &geometry).max(*tracks);
            }
        }
    }
    needs
}

fn tracks_of(shape: &ProgramShape, geometry: &Geometry) -> u32 {
    let per_track = geometry.records_per_track(shape.record_bytes, 0).max(1);
    u32::from(shape.records).div_ceil(u32::from(per_track))
}

/// Lays regions one after the other, each with its share of tracks or with the need of its longest program. Returns nothing
/// when the volume has no room.
fn lay_out(
    (device, geometry): (u16, Geometry),
    sizes: &BTreeMap<u16, u32>,
    share: u32,
) -> Option<VolumeLayout> {
    let room = geometry.tracks() / sizes.len() as u64;
    let mut first_track = 0;
    let mut regions = Vec::new();
    for (&record_bytes, &needed) in sizes {
        let most = u32::try_from(room).unwrap_or(u32::MAX).checked_sub(needed)?;
        let tracks = share.max(needed).min(most);
        if tracks < needed {
            return None;
        }
        let records_per_track = geometry.records_per_track(record_bytes, 0);
        regions.push(Region { record_bytes, records_per_track, first_track, tracks, spare_tracks: needed });
        first_track += tracks + needed;
    }
    Some(VolumeLayout { device, geometry, regions })
}

#[cfg(test)]
mod tests {
    use super::*;
    use halftrack_program::Model;

    fn layout(sizes: &[(u16, u32)], share: u32) -> Option<VolumeLayout> {
        lay_out((0x1000, Geometry::of(Model::Model3)), &sizes.iter().copied().collect(), share)
    }

    #[test]
    fn regions_follow_each_other_and_hold_the_longest_program() {
        let layout = layout(&[(4096, 3), (27_998, 2)], 2).unwrap();
        let small = layout.region(4096);
        assert_eq!((small.first_track, small.tracks, small.spare_tracks), (0, 3, 3));
        let large = layout.region(27_998);
        assert_eq!((large.first_track, large.tracks, large.records_per_track), (6, 2, 2));
        assert_eq!(layout.region_of_track(5), Some(small));
        assert_eq!(layout.region_of_track(6), Some(large));
        assert_eq!(layout.region_of_track(10), None);
    }

    #[test]
    fn one_record_begins_anywhere_and_more_at_a_track() {
        let layout = layout(&[(4096, 3)], 10).unwrap();
        let region = layout.region(4096);
        assert_eq!((region.starts(1), region.starts(32), region.starts(12)), (120, 8, 10));
        assert_eq!(region.start(1, 119), (9, 12));
        assert_eq!(region.start(32, 7), (7, 1));
        assert_eq!(region.behind((7, 1), 31), (9, 8));
        assert_eq!(region.spare(), (10, 1));
    }

    #[test]
    fn a_volume_too_small_is_refused() {
        let tiny = (0x1000, Geometry::with_cylinders(1).unwrap());
        assert_eq!(lay_out(tiny, &BTreeMap::from([(4096, 8)]), 1), None);
        assert!(lay_out(tiny, &BTreeMap::from([(4096, 7)]), 1).is_some());
    }
}

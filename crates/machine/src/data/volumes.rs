//! The volumes of a run with real data: tracks in memory, formatted when an I/O first comes to them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use halftrack_exchange::TwinDevice;
use halftrack_exchange::eckd_device::EckdDevice;
use halftrack_program::{Geometry, Octets, RECORD_ZERO_DATA_BYTES, TrackAddress};
use halftrack_volume::{COUNT_AREA_BYTES, CountArea, HOME_ADDRESS_BYTES, Track, TrackFault, Tracks};
use halftrack_workload::{RecordId, UNWRITTEN};

use crate::wiring::data_layout::{DataLayout, Region, VolumeId, VolumeLayout};

/// Octets of the tracks touched so far: count and data area of each record from record zero on.
type Touched = BTreeMap<u32, Vec<u8>>;

/// All volumes; exchanges share theirs.
#[derive(Debug, Default)]
pub(crate) struct Volumes {
    volumes: BTreeMap<VolumeId, Arc<Mutex<Touched>>>,
}

impl Volumes {
    /// Returns the device of an exchange with volume `id`.
    pub(crate) fn device(&mut self, layout: &Arc<DataLayout>, id: VolumeId) -> TwinDevice {
        let touched = Arc::clone(self.volumes.entry(id).or_default());
        let tracks = VolumeTracks { layout: Arc::clone(layout), id, touched };
        TwinDevice::Volume(Box::new(EckdDevice::new(tracks)))
    }

    /// Returns the octets of a record, or nothing when its track was never touched.
    pub(crate) fn record(&self, layout: &DataLayout, id: RecordId) -> Option<Vec<u8>> {
        let touched = lock(self.volumes.get(&id.volume)?);
        let region = layout.volume(id.volume).region_of_track(id.track)?;
        Some(touched.get(&id.track)?[data_range(region, id.record)].to_vec())
    }
}

/// Locks the tracks of a volume. A poisoned lock is that of a run that has panicked already.
fn lock(touched: &Mutex<Touched>) -> MutexGuard<'_, Touched> {
    touched.lock().unwrap_or_else(PoisonError::into_inner)
}

fn record_start(region: &Region, place: u8) -> usize {
    let count = COUNT_AREA_BYTES;
    match place.checked_sub(1) {
        None => 0,
        Some(before) => {
            let zero = count + usize::from(RECORD_ZERO_DATA_BYTES);
            zero + usize::from(before) * (count + usize::from(region.record_bytes))
        }
    }
}

fn data_range(region: &Region, place: u8) -> std::ops::Range<usize> {
    let bytes = if place == 0 { RECORD_ZERO_DATA_BYTES } else { region.record_bytes };
    let start = record_start(region, place) + COUNT_AREA_BYTES;
    start..start + usize::from(bytes)
}

/// The tracks of one volume.
struct VolumeTracks {
    layout: Arc<DataLayout>,
    id: VolumeId,
    touched: Arc<Mutex<Touched>>,
}

impl VolumeTracks {
    fn volume(&self) -> &VolumeLayout {
        self.layout.volume(self.id)
    }

    /// Brings a track, formatted with what its records hold before anybody writes them.
    fn bring(&self, address: TrackAddress) -> Result<VolumeTrack<'_>, TrackFault> {
        let geometry = &self.volume().geometry;
        let track = geometry.track_number(address).ok_or(TrackFault::NoTrack)?;
        // No I/O comes to a track outside the regions; it holds record zero alone.
        let empty =
            Region { record_bytes: 0, records_per_track: 0, first_track: track, tracks: 1, spare_tracks: 0 };
        let region = *self.volume().region_of_track(track).unwrap_or(&empty);
        let mut touched = lock(&self.touched);
        touched.entry(track).or_insert_with(|| self.formatted(address, track, &region));
        Ok(VolumeTrack { touched, address, track, region })
    }

    fn formatted(&self, address: TrackAddress, track: u32, region: &Region) -> Vec<u8> {
        let mut octets = Vec::with_capacity(record_start(region, region.records_per_track + 1));
        for place in 0..=region.records_per_track {
            octets.extend_from_slice(&count_area(region, address, place).to_bytes());
            if place == 0 {
                octets.resize(octets.len() + usize::from(RECORD_ZERO_DATA_BYTES), 0);
            } else {
                let id = RecordId { volume: self.id, track, record: place };
                self.layout.pattern.append(id, UNWRITTEN, region.record_bytes, &mut octets);
            }
        }
        octets
    }
}

fn count_area(region: &Region, address: TrackAddress, place: u8) -> CountArea {
    let data_bytes = if place == 0 { RECORD_ZERO_DATA_BYTES } else { region.record_bytes };
    CountArea { cchh: address.to_cchh(), record: place, key_bytes: 0, data_bytes }
}

/// One track, held while it is read or written.
struct VolumeTrack<'a> {
    touched: MutexGuard<'a, Touched>,
    address: TrackAddress,
    track: u32,
    region: Region,
}

impl VolumeTrack<'_> {
    fn octets(&self, range: std::ops::Range<usize>) -> Octets<'_> {
        Octets::Bytes(self.touched.get(&self.track).and_then(|octets| octets.get(range)).unwrap_or_default())
    }
}

impl Track for VolumeTrack<'_> {
    fn home_address(&self) -> [u8; HOME_ADDRESS_BYTES] {
        let [c0, c1, h0, h1] = self.address.to_cchh();
        [0, c0, c1, h0, h1]
    }

    fn records(&self) -> u8 {
        self.region.records_per_track + 1
    }

    fn count(&self, place: u8) -> Option<CountArea> {
        (place <= self.region.records_per_track).then(|| count_area(&self.region, self.address, place))
    }

    fn key(&self, _: u8) -> Octets<'_> {
        Octets::NONE
    }

    fn data(&self, place: u8) -> Octets<'_> {
        self.octets(data_range(&self.region, place))
    }

    fn record(&self, place: u8) -> Octets<'_> {
        self.octets(record_start(&self.region, place)..data_range(&self.region, place).end)
    }
}

impl Tracks for VolumeTracks {
    type Track<'a> = VolumeTrack<'a>;

    fn geometry(&self) -> &Geometry {
        &self.volume().geometry
    }

    fn write_inhibited(&self) -> bool {
        false
    }

    fn track(&mut self, address: TrackAddress) -> Result<VolumeTrack<'_>, TrackFault> {
        self.bring(address)
    }

    fn write_key(&mut self, _: TrackAddress, _: u8, octets: Octets<'_>) -> Result<(), TrackFault> {
        if octets.is_empty() { Ok(()) } else { Err(TrackFault::TooLong) }
    }

    fn write_data(&mut self, address: TrackAddress, place: u8, octets: Octets<'_>) -> Result<(), TrackFault> {
        let mut track = self.bring(address)?;
        let (number, range) = (track.track, data_range(&track.region, place));
        let area = track.touched.get_mut(&number).and_then(|octets| octets.get_mut(range));
        let area = area.ok_or(TrackFault::NoTrack)?;
        let (written, rest) = area.split_at_mut_checked(octets.len() as usize).ok_or(TrackFault::TooLong)?;
        written.copy_from_slice(octets.bytes().ok_or(TrackFault::Medium)?);
        rest.fill(0);
        Ok(())
    }

    fn commit(&mut self) -> Result<(), TrackFault> {
        Ok(())
    }
}

//! A volume of which every track is full of keyless records of one length: layout without octets.

use halftrack_program::{Geometry, Octets, RECORD_ZERO_DATA_BYTES, TrackAddress};

use crate::tracks::{COUNT_AREA_BYTES, CountArea, HOME_ADDRESS_BYTES, Track, TrackFault, Tracks};

/// Uniform tracks; the twin's device.
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

    /// Returns the bytes of data of every record.
    pub fn record_bytes(&self) -> u16 {
        self.record_bytes
    }

    /// Returns the count area at `place` of a track.
    fn count(&self, address: TrackAddress, place: u8) -> Option<CountArea> {
        let data_bytes = if place == 0 { RECORD_ZERO_DATA_BYTES } else { self.record_bytes };
        (place <= self.records_per_track).then_some(CountArea {
            cchh: address.to_cchh(),
            record: place,
            key_bytes: 0,
            data_bytes,
        })
    }

    /// Returns whether a write to the record at `place` is one that the layout survives: an update.
    fn check_update(&self, address: TrackAddress, place: u8, octets: Octets<'_>) -> Result<(), TrackFault> {
        let count = self.track_at(address)?.count(place).ok_or(TrackFault::NoTrack)?;
        if octets.len() > u32::from(count.data_bytes) { Err(TrackFault::TooLong) } else { Ok(()) }
    }

    fn track_at(&self, address: TrackAddress) -> Result<UniformTrack<'_>, TrackFault> {
        if self.geometry.contains(address) {
            Ok(UniformTrack { tracks: self, address })
        } else {
            Err(TrackFault::NoTrack)
        }
    }
}

/// One track of [`UniformTracks`].
#[derive(Debug, Clone, Copy)]
pub struct UniformTrack<'a> {
    tracks: &'a UniformTracks,
    address: TrackAddress,
}

impl Track for UniformTrack<'_> {
    fn home_address(&self) -> [u8; HOME_ADDRESS_BYTES] {
        let [c0, c1, h0, h1] = self.address.to_cchh();
        [0, c0, c1, h0, h1]
    }

    fn records(&self) -> u8 {
        self.tracks.records_per_track + 1
    }

    fn count(&self, place: u8) -> Option<CountArea> {
        self.tracks.count(self.address, place)
    }

    fn key(&self, _: u8) -> Octets<'_> {
        Octets::NONE
    }

    fn data(&self, place: u8) -> Octets<'_> {
        Octets::Count(self.count(place).map_or(0, |count| u32::from(count.data_bytes)))
    }

    fn record(&self, place: u8) -> Octets<'_> {
        Octets::Count(self.count(place).map_or(0, |count| COUNT_AREA_BYTES as u32 + count.area_bytes()))
    }
}

impl Tracks for UniformTracks {
    type Track<'a> = UniformTrack<'a>;

    fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    fn write_inhibited(&self) -> bool {
        false
    }

    fn track(&mut self, address: TrackAddress) -> Result<UniformTrack<'_>, TrackFault> {
        self.track_at(address)
    }

    fn write_key(&mut self, _: TrackAddress, _: u8, octets: Octets<'_>) -> Result<(), TrackFault> {
        if octets.is_empty() { Ok(()) } else { Err(TrackFault::TooLong) }
    }

    fn write_data(&mut self, address: TrackAddress, place: u8, octets: Octets<'_>) -> Result<(), TrackFault> {
        self.check_update(address, place, octets)
    }

    /// Takes a record that is as the layout has it already, and refuses any other.
    fn format_record(
        &mut self,
        address: TrackAddress,
        place: u8,
        count: CountArea,
        key_and_data: Octets<'_>,
    ) -> Result<(), TrackFault> {
        self.check_update(address, place, key_and_data)?;
        let fits = self.count(address, place) == Some(count);
        if fits { Ok(()) } else { Err(TrackFault::TooLong) }
    }

    fn commit(&mut self) -> Result<(), TrackFault> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use halftrack_program::Model;

    fn track(cylinder: u32, head: u8) -> TrackAddress {
        TrackAddress::new(cylinder, head).unwrap()
    }

    #[test]
    fn every_track_is_full_and_no_track_lies_outside() {
        let mut tracks = UniformTracks::new(Geometry::of(Model::Model3), 4096);
        let last = tracks.track(track(3338, 14)).unwrap();
        assert_eq!(last.records(), 13);
        assert_eq!(last.count(12).unwrap().to_bytes(), [0x0D, 0x0A, 0, 14, 12, 0, 0x10, 0]);
        assert_eq!(last.data(12), Octets::Count(4096));
        assert_eq!(last.record(0), Octets::Count(16));
        assert_eq!(last.count(13), None);
        assert_eq!(tracks.track(track(3339, 0)).unwrap_err(), TrackFault::NoTrack);
        assert_eq!(tracks.track(track(0, 15)).unwrap_err(), TrackFault::NoTrack);
    }

    #[test]
    fn what_does_not_fit_is_not_there() {
        for bytes in [0, 56_665] {
            let mut tracks = UniformTracks::new(Geometry::of(Model::Model3), bytes);
            assert_eq!(tracks.track(track(0, 0)).unwrap().records(), 1);
        }
    }

    #[test]
    fn only_writes_that_keep_the_layout_are_taken() {
        let mut tracks = UniformTracks::new(Geometry::of(Model::Model3), 4096);
        assert_eq!(tracks.write_data(track(0, 0), 1, Octets::Count(4096)), Ok(()));
        assert_eq!(tracks.write_data(track(0, 0), 1, Octets::Count(4097)), Err(TrackFault::TooLong));
        assert_eq!(tracks.write_data(track(0, 0), 13, Octets::Count(1)), Err(TrackFault::NoTrack));
        let count = tracks.count(track(0, 0), 2).unwrap();
        assert_eq!(tracks.format_record(track(0, 0), 2, count, Octets::Count(4096)), Ok(()));
        let other = CountArea { data_bytes: 80, ..count };
        assert!(tracks.format_record(track(0, 0), 2, other, Octets::Count(80)).is_err());
    }
}

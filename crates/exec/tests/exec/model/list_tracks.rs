//! The model's volume in the place of a product's tracks, so that the control unit is compared by itself.

use halftrack_program::{Geometry, Octets, TrackAddress};
use halftrack_volume::{CountArea, Track, TrackFault, Tracks};

use crate::model::volume::{self, HEADS, Record, Volume};

/// A volume of lists.
pub struct ListTracks {
    /// The volume.
    pub volume: Volume,
    geometry: Geometry,
}

impl ListTracks {
    /// Returns the volume as tracks.
    pub fn new(volume: Volume) -> Self {
        let geometry = Geometry::with_cylinders(volume.cylinders).unwrap();
        Self { volume, geometry }
    }

    fn find(&mut self, address: TrackAddress) -> Result<&mut volume::Track, TrackFault> {
        let index = address.cylinder() * HEADS + u32::from(address.head());
        self.volume.tracks.get_mut(index as usize).ok_or(TrackFault::NoTrack)
    }
}

/// A track of lists, with each record's areas in one piece.
pub struct ListTrack<'a> {
    track: &'a volume::Track,
    records: Vec<Vec<u8>>,
}

impl Track for ListTrack<'_> {
    fn home_address(&self) -> [u8; 5] {
        self.track.home
    }

    fn records(&self) -> u8 {
        self.track.records.len() as u8
    }

    fn count(&self, place: u8) -> Option<CountArea> {
        self.track.records.get(usize::from(place)).map(|record| CountArea::from_bytes(record.count))
    }

    fn key(&self, place: u8) -> Octets<'_> {
        self.track.records.get(usize::from(place)).map_or(Octets::NONE, |record| Octets::Bytes(&record.key))
    }

    fn data(&self, place: u8) -> Octets<'_> {
        self.track.records.get(usize::from(place)).map_or(Octets::NONE, |record| Octets::Bytes(&record.data))
    }

    fn record(&self, place: u8) -> Octets<'_> {
        self.records.get(usize::from(place)).map_or(Octets::NONE, |record| Octets::Bytes(record))
    }
}

/// Returns the octets, with zeros behind up to a length.
fn filled(octets: Octets<'_>, length: usize) -> Vec<u8> {
    let mut bytes = octets.bytes().unwrap_or_default().to_vec();
    bytes.resize(length, 0);
    bytes
}

impl Tracks for ListTracks {
    type Track<'a> = ListTrack<'a>;

    fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    fn write_inhibited(&self) -> bool {
        false
    }

    fn track(&mut self, address: TrackAddress) -> Result<ListTrack<'_>, TrackFault> {
        let track: &volume::Track = self.find(address)?;
        let records = track
            .records
            .iter()
            .map(|record| [&record.count[..], &record.key[..], &record.data[..]].concat())
            .collect();
        Ok(ListTrack { track, records })
    }

    fn write_key(&mut self, address: TrackAddress, place: u8, octets: Octets<'_>) -> Result<(), TrackFault> {
        let record = &mut self.find(address)?.records[usize::from(place)];
        if octets.len() as usize != record.key.len() {
            return Err(TrackFault::TooLong);
        }
        record.key = filled(octets, record.key.len());
        Ok(())
    }

    fn write_data(&mut self, address: TrackAddress, place: u8, octets: Octets<'_>) -> Result<(), TrackFault> {
        let record = &mut self.find(address)?.records[usize::from(place)];
        if octets.len() as usize > record.data.len() {
            return Err(TrackFault::TooLong);
        }
        record.data = filled(octets, record.data.len());
        Ok(())
    }

    fn format_record(
        &mut self,
        address: TrackAddress,
        place: u8,
        count: CountArea,
        key_and_data: Octets<'_>,
    ) -> Result<(), TrackFault> {
        let track = self.find(address)?;
        let mut formatted = track.clone();
        formatted.records.truncate(usize::from(place));
        let key_bytes = usize::from(count.key_bytes);
        let areas = filled(key_and_data, key_bytes + usize::from(count.data_bytes));
        let (key, data) = areas.split_at(key_bytes);
        formatted.records.push(Record { count: count.to_bytes(), key: key.to_vec(), data: data.to_vec() });
        if !formatted.fits() {
            return Err(TrackFault::TooLong);
        }
        *track = formatted;
        Ok(())
    }

    fn erase(&mut self, address: TrackAddress, place: u8) -> Result<(), TrackFault> {
        self.find(address)?.records.truncate(usize::from(place));
        Ok(())
    }

    fn write_home_address(&mut self, address: TrackAddress, home: [u8; 5]) -> Result<(), TrackFault> {
        self.find(address)?.home = home;
        Ok(())
    }

    fn commit(&mut self) -> Result<(), TrackFault> {
        Ok(())
    }
}

//! The tracks of a shared volume, as a device with count, key and data has them.

use halftrack_program::{Geometry, Octets, TrackAddress};
use halftrack_volume::{CkdVolume, CountArea, FileMedium, HOME_ADDRESS_BYTES, TrackFault, Tracks};

use super::served_volume::ServedVolume;
use super::shared_volume::SharedVolume;

/// Tracks of a volume, there while it is here.
#[derive(Debug)]
pub struct SharedTracks {
    /// The volume.
    pub volume: SharedVolume,
    /// Cylinders and heads.
    pub geometry: Geometry,
}

impl Tracks for SharedTracks {
    type Track<'a> = <CkdVolume<FileMedium> as Tracks>::Track<'a>;

    fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    fn write_inhibited(&self) -> bool {
        self.volume.here().and_then(ServedVolume::tracks).is_none_or(Tracks::write_inhibited)
    }

    #[inline]
    fn is_in_memory(&self, address: TrackAddress) -> bool {
        self.volume.here().and_then(ServedVolume::tracks).is_some_and(|tracks| tracks.is_in_memory(address))
    }

    #[inline]
    fn stores_at_once(&self) -> bool {
        self.volume.here().and_then(ServedVolume::tracks).is_some_and(Tracks::stores_at_once)
    }

    #[inline]
    fn track(&mut self, address: TrackAddress) -> Result<Self::Track<'_>, TrackFault> {
        self.volume.tracks()?.track(address)
    }

    fn write_key(&mut self, address: TrackAddress, place: u8, octets: Octets<'_>) -> Result<(), TrackFault> {
        self.volume.tracks()?.write_key(address, place, octets)
    }

    fn write_data(&mut self, address: TrackAddress, place: u8, octets: Octets<'_>) -> Result<(), TrackFault> {
        self.volume.tracks()?.write_data(address, place, octets)
    }

    fn format_record(
        &mut self,
        address: TrackAddress,
        place: u8,
        count: CountArea,
        key_and_data: Octets<'_>,
    ) -> Result<(), TrackFault> {
        self.volume.tracks()?.format_record(address, place, count, key_and_data)
    }

    fn erase(&mut self, address: TrackAddress, place: u8) -> Result<(), TrackFault> {
        self.volume.tracks()?.erase(address, place)
    }

    fn write_home_address(
        &mut self,
        address: TrackAddress,
        home_address: [u8; HOME_ADDRESS_BYTES],
    ) -> Result<(), TrackFault> {
        self.volume.tracks()?.write_home_address(address, home_address)
    }

    fn commit(&mut self) -> Result<(), TrackFault> {
        self.volume.tracks()?.commit()
    }
}

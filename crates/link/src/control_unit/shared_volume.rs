//! A volume that its base device and its aliases use by turns.

use std::cell::Cell;
use std::fmt;
use std::rc::Rc;

use halftrack_program::{Geometry, Octets, TrackAddress};
use halftrack_volume::{CkdVolume, CountArea, FileMedium, HOME_ADDRESS_BYTES, TrackFault, Tracks};

/// Where a volume is while no device uses it.
#[derive(Clone, Default)]
pub struct VolumeHome(Rc<Cell<Option<Box<CkdVolume<FileMedium>>>>>);

impl fmt::Debug for VolumeHome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("VolumeHome")
    }
}

impl VolumeHome {
    /// Returns the home of `volume`.
    pub fn new(volume: CkdVolume<FileMedium>) -> Self {
        Self(Rc::new(Cell::new(Some(Box::new(volume)))))
    }

    /// Returns the volume, unless it is away.
    #[inline]
    pub fn take(&self) -> Option<Box<CkdVolume<FileMedium>>> {
        self.0.take()
    }

    /// Brings the volume home.
    #[inline]
    pub fn set(&self, volume: Option<Box<CkdVolume<FileMedium>>>) {
        self.0.set(volume);
    }
}

/// The tracks of a volume as one of its devices has them: there between [`SharedVolume::fetch`] and
/// [`SharedVolume::put_back`], which surround every command. Commands are executed one after the other, so that a volume
/// is always at home when one begins.
#[derive(Debug)]
pub struct SharedVolume {
    home: VolumeHome,
    here: Option<Box<CkdVolume<FileMedium>>>,
    geometry: Geometry,
}

impl SharedVolume {
    /// Returns the volume at `home`, of this geometry.
    pub fn new(home: VolumeHome, geometry: Geometry) -> Self {
        Self { home, here: None, geometry }
    }

    /// Fetches the volume from home.
    #[inline]
    pub fn fetch(&mut self) {
        self.here = self.home.take();
    }

    /// Puts the volume back.
    #[inline]
    pub fn put_back(&mut self) {
        self.home.set(self.here.take());
    }

    /// Returns the volume; a device that has none reads and writes nothing.
    #[inline]
    fn volume(&mut self) -> Result<&mut CkdVolume<FileMedium>, TrackFault> {
        self.here.as_deref_mut().ok_or(TrackFault::Medium)
    }
}

impl Tracks for SharedVolume {
    type Track<'a> = <CkdVolume<FileMedium> as Tracks>::Track<'a>;

    fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    fn write_inhibited(&self) -> bool {
        self.here.as_ref().is_none_or(|volume| volume.write_inhibited())
    }

    #[inline]
    fn track(&mut self, address: TrackAddress) -> Result<Self::Track<'_>, TrackFault> {
        self.volume()?.track(address)
    }

    fn write_key(&mut self, address: TrackAddress, place: u8, octets: Octets<'_>) -> Result<(), TrackFault> {
        self.volume()?.write_key(address, place, octets)
    }

    fn write_data(&mut self, address: TrackAddress, place: u8, octets: Octets<'_>) -> Result<(), TrackFault> {
        self.volume()?.write_data(address, place, octets)
    }

    fn format_record(
        &mut self,
        address: TrackAddress,
        place: u8,
        count: CountArea,
        key_and_data: Octets<'_>,
    ) -> Result<(), TrackFault> {
        self.volume()?.format_record(address, place, count, key_and_data)
    }

    fn erase(&mut self, address: TrackAddress, place: u8) -> Result<(), TrackFault> {
        self.volume()?.erase(address, place)
    }

    fn write_home_address(
        &mut self,
        address: TrackAddress,
        home_address: [u8; HOME_ADDRESS_BYTES],
    ) -> Result<(), TrackFault> {
        self.volume()?.write_home_address(address, home_address)
    }

    fn commit(&mut self) -> Result<(), TrackFault> {
        self.volume()?.commit()
    }
}

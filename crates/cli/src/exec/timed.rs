//! Volume that reads the clock whenever it is used, and hardens writes that have waited for too long.

use halftrack_link::Clock;
use halftrack_program::{Geometry, Octets, TrackAddress};
use halftrack_volume::{
    Blocks, CkdVolume, CountArea, FbaVolume, FileMedium, HOME_ADDRESS_BYTES, TrackFault, Tracks,
};

/// A volume and a clock.
#[derive(Debug)]
pub struct Timed<V> {
    volume: V,
    clock: Clock,
}

impl<V> Timed<V> {
    /// Makes the volume, with times of `clock`.
    pub const fn new(volume: V, clock: Clock) -> Self {
        Self { volume, clock }
    }

    /// Returns the volume.
    pub fn into_volume(self) -> V {
        self.volume
    }
}

impl Timed<CkdVolume<FileMedium>> {
    /// Returns the volume after it has hardened writes that have waited for too long.
    fn looked(&mut self) -> Result<&mut CkdVolume<FileMedium>, TrackFault> {
        self.volume.flush_due(self.clock.now())?;
        Ok(&mut self.volume)
    }
}

impl Tracks for Timed<CkdVolume<FileMedium>> {
    type Track<'a> = <CkdVolume<FileMedium> as Tracks>::Track<'a>;

    fn geometry(&self) -> &Geometry {
        self.volume.geometry()
    }

    fn write_inhibited(&self) -> bool {
        self.volume.write_inhibited()
    }

    fn track(&mut self, address: TrackAddress) -> Result<Self::Track<'_>, TrackFault> {
        self.looked()?.track(address)
    }

    fn write_key(&mut self, address: TrackAddress, place: u8, octets: Octets<'_>) -> Result<(), TrackFault> {
        self.looked()?.write_key(address, place, octets)
    }

    fn write_data(&mut self, address: TrackAddress, place: u8, octets: Octets<'_>) -> Result<(), TrackFault> {
        self.looked()?.write_data(address, place, octets)
    }

    fn format_record(
        &mut self,
        address: TrackAddress,
        place: u8,
        count: CountArea,
        key_and_data: Octets<'_>,
    ) -> Result<(), TrackFault> {
        self.looked()?.format_record(address, place, count, key_and_data)
    }

    fn erase(&mut self, address: TrackAddress, place: u8) -> Result<(), TrackFault> {
        self.looked()?.erase(address, place)
    }

    fn write_home_address(
        &mut self,
        address: TrackAddress,
        home_address: [u8; HOME_ADDRESS_BYTES],
    ) -> Result<(), TrackFault> {
        self.looked()?.write_home_address(address, home_address)
    }

    fn commit(&mut self) -> Result<(), TrackFault> {
        self.volume.commit()?;
        self.looked().map(drop)
    }
}

impl Timed<FbaVolume<FileMedium>> {
    /// Returns the volume after it has hardened writes that have waited for too long.
    fn looked(&mut self) -> Result<&mut FbaVolume<FileMedium>, TrackFault> {
        self.volume.flush_due(self.clock.now())?;
        Ok(&mut self.volume)
    }
}

impl Blocks for Timed<FbaVolume<FileMedium>> {
    fn blocks(&self) -> u32 {
        self.volume.blocks()
    }

    fn write_inhibited(&self) -> bool {
        self.volume.write_inhibited()
    }

    fn read(&mut self, block: u32) -> Result<&[u8], TrackFault> {
        self.looked()?.read(block)
    }

    fn write(&mut self, block: u32, octets: &[u8]) -> Result<(), TrackFault> {
        self.looked()?.write(block, octets)
    }

    fn commit(&mut self) -> Result<(), TrackFault> {
        self.volume.commit()?;
        self.looked().map(drop)
    }
}

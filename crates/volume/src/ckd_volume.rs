//! A CKD volume in image files, as the tracks that a control unit reads and writes.

use halftrack_base::Time;
use halftrack_engine::Prefetch;
use halftrack_program::{Geometry, Octets, TrackAddress};

use crate::format::CkdFormat;
use crate::layout::{Layout, LayoutError};
use crate::medium::Medium;
use crate::track_image::{END_MARKER, MOST_RECORDS, RecordPlace, fits, track_number};
use crate::track_index::{TrackIndex, TrackView};
use crate::tracks::{COUNT_AREA_BYTES, CountArea, HOME_ADDRESS_BYTES, Track, TrackFault, Tracks};
use crate::unit_store::{Mode, UnitStore};

/// A CKD volume.
#[derive(Debug)]
pub struct CkdVolume<M: Medium> {
    store: UnitStore<M, CkdFormat>,
    geometry: Geometry,
    index: TrackIndex,
    trouble: Option<LayoutError>,
}

impl<M: Medium> CkdVolume<M> {
    /// Returns the volume of these units, which are the tracks of a device of this geometry.
    pub fn new(store: UnitStore<M, CkdFormat>, geometry: Geometry) -> Self {
        let index = TrackIndex::new(Layout::<M>::units(store.layout()));
        Self { store, geometry, index, trouble: None }
    }

    /// Returns the guarantee of the volume for writes.
    pub fn mode(&self) -> Mode {
        self.store.mode()
    }

    /// Returns how tracks lie in the files.
    pub fn format(&self) -> &CkdFormat {
        self.store.layout()
    }

    /// Returns the files.
    pub fn files(&self) -> &[M] {
        self.store.files()
    }

    /// Returns the cause of the last fault, when it was a failure of the files, which the fault itself does not
    /// contain.
    pub fn take_failure(&mut self) -> Option<LayoutError> {
        self.trouble.take()
    }

    /// Makes everything safe, in write-back mode what was gathered as well.
    ///
    /// # Errors
    /// [`TrackFault::Medium`].
    pub fn flush(&mut self) -> Result<(), TrackFault> {
        let result = self.store.flush();
        self.without_trouble(result)
    }

    /// Makes safe what write-back mode has gathered for too long; to be called often, with the time. Returns when it is
    /// to be called at the latest, if something waits.
    ///
    /// # Errors
    /// [`TrackFault::Medium`].
    pub fn flush_due(&mut self, now: Time) -> Result<Option<Time>, TrackFault> {
        let result = self.store.flush_due(now);
        self.without_trouble(result)
    }

    /// Returns the units, for group commit.
    #[inline]
    pub fn store(&self) -> &UnitStore<M, CkdFormat> {
        &self.store
    }

    /// Returns the units, for group commit.
    #[inline]
    pub fn store_mut(&mut self) -> &mut UnitStore<M, CkdFormat> {
        &mut self.store
    }

    /// Keeps the failure of a barrier, as the reason of the faults that follow.
    pub fn keep_failure(&mut self, error: LayoutError) {
        self.trouble = Some(error);
    }

    /// Makes everything safe in the files themselves and gives the volume up: other programs may use it.
    ///
    /// # Errors
    /// Journal or files failed; the journal still has what was safe.
    pub fn close(mut self) -> Result<(), LayoutError> {
        self.store.close()
    }

    /// Returns the data of a record that will be read soon, where they are in memory. A hint, which changes nothing.
    #[inline]
    pub fn prefetch(&self, address: TrackAddress, record: u8) -> Prefetch {
        let Ok(track) = self.number(address) else { return Prefetch::default() };
        let Some(octets) = self.store.mapped(track) else { return Prefetch::default() };
        // Most tracks number their records by their place.
        match self.index.view(track, address, octets).data(record) {
            Octets::Bytes(data) => Prefetch::of(data),
            Octets::Count(_) => Prefetch::default(),
        }
    }

    /// Returns the octets of a track as they are, readable or not.
    ///
    /// # Errors
    /// [`TrackFault::NoTrack`], [`TrackFault::Unreadable`], [`TrackFault::Medium`].
    pub fn track_octets(&mut self, address: TrackAddress) -> Result<&[u8], TrackFault> {
        let track = self.number(address)?;
        match self.store.octets(track) {
            Ok(octets) => Ok(octets),
            Err(error) => Err(keep_trouble(&mut self.trouble, error)),
        }
    }

    /// Writes a whole track: an image from home address to end marker, which must be one.
    ///
    /// # Errors
    /// Any fault; [`TrackFault::Unreadable`] of octets that are no track.
    pub fn write_track(&mut self, address: TrackAddress, octets: &[u8]) -> Result<(), TrackFault> {
        let used = crate::track_image::used_octets(octets)?;
        if used as u64 > u64::from(Layout::<M>::unit_bytes(self.store.layout())) {
            return Err(TrackFault::TooLong);
        }
        let track = self.changeable(address)?;
        self.index.forget(track);
        let changed = self.store.change(track, 0);
        let changed = changed.map_err(|error| keep_trouble(&mut self.trouble, error))?;
        changed.write(0, &octets[..used]);
        changed.truncate(used);
        self.changed()
    }

    fn without_trouble<T>(&mut self, result: Result<T, LayoutError>) -> Result<T, TrackFault> {
        result.map_err(|error| keep_trouble(&mut self.trouble, error))
    }

    #[inline]
    fn number(&self, address: TrackAddress) -> Result<u32, TrackFault> {
        track_number(&self.geometry, address).ok_or(TrackFault::NoTrack)
    }

    fn changeable(&self, address: TrackAddress) -> Result<u32, TrackFault> {
        if self.write_inhibited() { Err(TrackFault::WriteInhibited) } else { self.number(address) }
    }

    /// Ensures that the track is in the index.
    fn index_track(&mut self, track: u32, address: TrackAddress) -> Result<(), TrackFault> {
        if self.index.contains(track) {
            return Ok(());
        }
        match self.store.octets(track) {
            Ok(octets) => self.index.add(track, address, octets),
            Err(error) => Err(keep_trouble(&mut self.trouble, error)),
        }
    }

    /// Returns the record at `place` of a track that is to be changed.
    fn record(&mut self, address: TrackAddress, place: u8) -> Result<(u32, RecordPlace), TrackFault> {
        let track = self.changeable(address)?;
        let view = self.track(address)?;
        Ok((track, view.place(place).ok_or(TrackFault::NoTrack)?))
    }

    /// Returns the octets of a track from home address to end marker.
    fn used(&mut self, address: TrackAddress) -> Result<usize, TrackFault> {
        Ok(self.track(address)?.image().len())
    }

    /// Writes over octets of a track, behind its home address, that are there already.
    fn update(
        &mut self,
        address: TrackAddress,
        offset: u32,
        length: u32,
        octets: Octets<'_>,
    ) -> Result<(), TrackFault> {
        let track = self.changeable(address)?;
        let used = self.used(address)?;
        let range = offset as usize..(offset + length) as usize;
        let written = self.store.write_over(track, used, range, octets.bytes().unwrap_or(&[]));
        written.map_err(|error| keep_trouble(&mut self.trouble, error))?;
        self.changed()
    }

    /// Returns where a record at `place` begins, when the records before it and this one fit on the track.
    fn room(&mut self, address: TrackAddress, place: u8, count: CountArea) -> Result<usize, TrackFault> {
        let image_track_bytes = Layout::<M>::unit_bytes(self.store.layout());
        let device = self.geometry.device_type();
        if place == MOST_RECORDS || count.to_bytes() == END_MARKER {
            return Err(TrackFault::TooLong);
        }
        let mut offset = HOME_ADDRESS_BYTES;
        let own = std::iter::once((count.key_bytes, count.data_bytes));
        let fit = if place == 0 {
            fits(device, image_track_bytes, own)
        } else {
            let view = self.track(address)?;
            offset = view.place(place - 1).ok_or(TrackFault::NoTrack)?.end() as usize;
            let before = (0..place).filter_map(|place| view.count(place));
            let before = before.map(|count| (count.key_bytes, count.data_bytes));
            fits(device, image_track_bytes, before.chain(own))
        };
        if fit { Ok(offset) } else { Err(TrackFault::TooLong) }
    }

    /// Returns a track whose records change from `offset` on: `octets`, zeros up to `end`, end marker.
    fn reformat(
        &mut self,
        address: TrackAddress,
        offset: usize,
        octets: [&[u8]; 2],
        end: usize,
    ) -> Result<(), TrackFault> {
        let track = self.changeable(address)?;
        self.index.forget(track);
        let changed = self.store.change(track, offset);
        let changed = changed.map_err(|error| keep_trouble(&mut self.trouble, error))?;
        changed.truncate(offset);
        let [count, areas] = octets;
        changed.write(offset, count);
        changed.write_padded(offset + count.len(), areas, end);
        changed.write(end, &END_MARKER);
        self.changed()
    }

    fn changed(&mut self) -> Result<(), TrackFault> {
        let result = self.store.commit(false);
        self.without_trouble(result)
    }
}

/// Returns the fault of a failure, which is kept.
fn keep_trouble(trouble: &mut Option<LayoutError>, error: LayoutError) -> TrackFault {
    let fault = TrackFault::of(&error);
    *trouble = Some(error);
    fault
}

impl<M: Medium> Tracks for CkdVolume<M> {
    type Track<'a>
        = TrackView<'a>
    where
        M: 'a;

    fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    fn write_inhibited(&self) -> bool {
        self.store.mode() == Mode::ReadOnly
    }

    #[inline]
    fn track(&mut self, address: TrackAddress) -> Result<TrackView<'_>, TrackFault> {
        let track = self.number(address)?;
        self.index_track(track, address)?;
        match self.store.octets(track) {
            Ok(octets) => Ok(self.index.view(track, address, octets)),
            Err(error) => Err(keep_trouble(&mut self.trouble, error)),
        }
    }

    #[inline]
    fn is_in_memory(&self, address: TrackAddress) -> bool {
        self.number(address).is_ok_and(|track| self.store.is_in_memory(track))
    }

    #[inline]
    fn stores_at_once(&self) -> bool {
        self.store.stores_at_once(1)
    }

    fn write_key(&mut self, address: TrackAddress, place: u8, octets: Octets<'_>) -> Result<(), TrackFault> {
        let (_, record) = self.record(address, place)?;
        let length = u32::from(record.count.key_bytes);
        if octets.len() != length {
            return Err(TrackFault::TooLong);
        }
        self.update(address, u32::from(record.offset) + COUNT_AREA_BYTES as u32, length, octets)
    }

    fn write_data(&mut self, address: TrackAddress, place: u8, octets: Octets<'_>) -> Result<(), TrackFault> {
        let (_, record) = self.record(address, place)?;
        let length = u32::from(record.count.data_bytes);
        if octets.len() > length {
            return Err(TrackFault::TooLong);
        }
        self.update(address, record.end() - length, length, octets)
    }

    fn format_record(
        &mut self,
        address: TrackAddress,
        place: u8,
        count: CountArea,
        key_and_data: Octets<'_>,
    ) -> Result<(), TrackFault> {
        self.changeable(address)?;
        if key_and_data.len() > count.area_bytes() {
            return Err(TrackFault::TooLong);
        }
        let offset = self.room(address, place, count)?;
        let end = offset + COUNT_AREA_BYTES + count.area_bytes() as usize;
        let areas = key_and_data.bytes().unwrap_or(&[]);
        self.reformat(address, offset, [&count.to_bytes(), areas], end)
    }

    fn erase(&mut self, address: TrackAddress, place: u8) -> Result<(), TrackFault> {
        self.changeable(address)?;
        let view = self.track(address)?;
        let offset = match (view.place(place), place) {
            (Some(record), _) => usize::from(record.offset),
            (None, _) if place == view.records() => return Ok(()),
            (None, _) => return Err(TrackFault::NoTrack),
        };
        self.reformat(address, offset, [&[], &[]], offset)
    }

    /// Writes the home address; a track that could not be read has no record then. A compressed image keeps no
    /// other home address than that of the track ([`TrackFault::WriteInhibited`]).
    fn write_home_address(
        &mut self,
        address: TrackAddress,
        home_address: [u8; HOME_ADDRESS_BYTES],
    ) -> Result<(), TrackFault> {
        let track = self.changeable(address)?;
        let [flag, cchh @ ..] = home_address;
        if self.format().is_compressed() && (flag, cchh) != (0, address.to_cchh()) {
            return Err(TrackFault::WriteInhibited);
        }
        let used = match self.used(address) {
            Err(TrackFault::Unreadable) => 0,
            used => used?,
        };
        let changed = self.store.change(track, used);
        let changed = changed.map_err(|error| keep_trouble(&mut self.trouble, error))?;
        changed.write(0, &home_address);
        if used == 0 {
            changed.write(HOME_ADDRESS_BYTES, &END_MARKER);
        }
        self.changed()
    }

    fn commit(&mut self) -> Result<(), TrackFault> {
        let result = self.store.commit(true);
        self.without_trouble(result)
    }
}

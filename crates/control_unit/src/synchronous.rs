//! Synchronous I/O: one record, read or written over at once or not at all, without a channel program.

use halftrack_program::{Octets, RecordAddress, TrackAddress};
use halftrack_volume::{Track, TrackFault, Tracks};

use crate::eckd_device::EckdDevice;
use crate::extent::WriteKind;

/// Reason for which a record is neither read nor written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordFault {
    /// Its track is not in memory.
    NotInMemory,
    /// No such record without a key and with data of this length.
    NotFound,
    /// Written data would have to wait for the disk.
    NotStored,
    /// Reading or writing the track failed.
    Track(TrackFault),
}

impl<T: Tracks> EckdDevice<T> {
    /// Returns whether a chain that runs may write on `track`, or for a request that `writes`, touch it at all. A chain
    /// without an extent may touch every track.
    pub fn conflicts_with(&self, track: TrackAddress, writes: bool) -> bool {
        if !self.chain.has_begun() {
            return false;
        }
        let extent = self.chain.extent_on(self.tracks.geometry());
        extent.contains(track) && (writes || extent.lets_write(WriteKind::Update))
    }

    /// Gives the data of a record of `data_bytes` without a key to `give`.
    ///
    /// # Errors
    /// [`RecordFault`]; nothing was given.
    #[inline]
    pub fn read_at_once<R>(
        &mut self,
        record: &RecordAddress,
        data_bytes: u32,
        give: impl FnOnce(&[u8]) -> R,
    ) -> Result<R, RecordFault> {
        let address = self.resident(record)?;
        let track = self.tracks.track(address).map_err(RecordFault::Track)?;
        let place = place_of(&track, address, record.record, data_bytes).ok_or(RecordFault::NotFound)?;
        match track.data(place) {
            Octets::Bytes(data) if data.len() == data_bytes as usize => Ok(give(data)),
            _ => Err(RecordFault::NotFound),
        }
    }

    /// Writes over the data of a record of as many octets without a key. It is as safe then as the volume promises.
    ///
    /// # Errors
    /// [`RecordFault`]; nothing was written, unless the volume has failed.
    #[inline]
    pub fn write_at_once(&mut self, record: &RecordAddress, data: &[u8]) -> Result<(), RecordFault> {
        if self.tracks.write_inhibited() {
            return Err(RecordFault::Track(TrackFault::WriteInhibited));
        }
        let address = self.resident(record)?;
        let found = self.tracks.track(address);
        let found = found.map(|track| place_of(&track, address, record.record, data.len() as u32));
        let place = found.map_err(RecordFault::Track)?.ok_or(RecordFault::NotFound)?;
        if !self.tracks.stores_at_once() {
            return Err(RecordFault::NotStored);
        }
        self.tracks.write_data(address, place, Octets::Bytes(data)).map_err(RecordFault::Track)?;
        self.tracks.commit().map_err(RecordFault::Track)
    }

    /// Returns the track of a record, which is in memory.
    #[inline]
    fn resident(&self, record: &RecordAddress) -> Result<TrackAddress, RecordFault> {
        let address = TrackAddress::new(record.cylinder, record.head).ok_or(RecordFault::NotFound)?;
        if !self.tracks.geometry().contains(address) || record.record == 0 {
            Err(RecordFault::NotFound)
        } else if self.tracks.is_in_memory(address) {
            Ok(address)
        } else {
            Err(RecordFault::NotInMemory)
        }
    }
}

/// Returns the place of the record with this number on a track, if it has no key and data of this length.
#[inline]
fn place_of(track: &impl Track, address: TrackAddress, record: u8, data_bytes: u32) -> Option<u8> {
    let [c0, c1, h0, h1] = address.to_cchh();
    let id = [c0, c1, h0, h1, record];
    let is_found = |place: &u8| track.count(*place).is_some_and(|count| count.id() == id);
    // Most tracks number their records by their place.
    let place = Some(record).filter(is_found).or_else(|| (1..track.records()).find(is_found))?;
    let count = track.count(place)?;
    ((count.key_bytes, count.data_bytes.into()) == (0, data_bytes)).then_some(place)
}

#[cfg(test)]
mod tests {
    use halftrack_program::command::{DEFINE_EXTENT, SEEK};
    use halftrack_program::{ChainEnd, Device, FileMask};

    use super::*;
    use crate::rig::*;

    const RECORD: RecordAddress = RecordAddress { cylinder: 100, head: 3, record: 2 };

    fn read(unit: &mut Unit, record: RecordAddress, bytes: u32) -> Result<Vec<u8>, RecordFault> {
        unit.read_at_once(&record, bytes, <[u8]>::to_vec)
    }

    #[test]
    fn a_record_is_read_and_written_over_where_its_id_is() {
        let mut unit = Unit::new(MemoryTracks::of_4k());
        assert_eq!(read(&mut unit, RECORD, 4096), Ok(vec![2; 4096]));
        unit.write_at_once(&RECORD, &[9; 4096]).unwrap();
        assert_eq!((read(&mut unit, RECORD, 4096), unit.tracks().commits), (Ok(vec![9; 4096]), 1));
    }

    #[test]
    fn another_length_a_key_or_another_place_is_no_record() {
        let tracks =
            MemoryTracks::of_4k().with_records(100, 3, &[(b"", b"sixteen octets.."), (b"KEY1", b"data")]);
        let mut unit = Unit::new(tracks);
        let record = |record| RecordAddress { record, ..RECORD };
        assert_eq!(read(&mut unit, record(1), 16), Ok(b"sixteen octets..".to_vec()));
        let absent = Err(RecordFault::NotFound);
        assert_eq!(read(&mut unit, record(1), 32), absent);
        assert_eq!(read(&mut unit, record(2), 4), absent, "it has a key");
        for strange in [
            record(0),
            record(3),
            RecordAddress { head: 15, ..RECORD },
            RecordAddress { cylinder: u32::MAX, ..RECORD },
        ] {
            assert_eq!(read(&mut unit, strange, 16), absent, "{strange:?}");
            assert_eq!(unit.write_at_once(&strange, &[0; 16]), Err(RecordFault::NotFound));
        }
        assert_eq!(unit.tracks().commits, 0);
    }

    #[test]
    fn faults_of_tracks_and_inhibited_writes_are_reported() {
        let mut tracks = MemoryTracks::of_4k();
        tracks.fault = Some((track(100, 3), TrackFault::Medium));
        let mut unit = Unit::new(tracks);
        assert_eq!(read(&mut unit, RECORD, 4096), Err(RecordFault::Track(TrackFault::Medium)));
        let mut unit = Unit::new(MemoryTracks::of_4k().write_inhibited());
        let inhibited = Err(RecordFault::Track(TrackFault::WriteInhibited));
        assert_eq!(unit.write_at_once(&RECORD, &[0; 4096]), inhibited);
    }

    #[test]
    fn a_chain_that_runs_keeps_requests_out_of_its_extent() {
        let mut unit = Unit::new(MemoryTracks::of_4k());
        let (inside, outside) = (track(100, 3), track(90, 0));
        assert!(!unit.conflicts_with(inside, true), "nothing runs");
        unit.does(DEFINE_EXTENT, &read_extent().emit());
        assert!(unit.conflicts_with(inside, true) && !unit.conflicts_with(inside, false), "it only reads");
        assert!(!unit.conflicts_with(outside, true));
        unit.end_chain(ChainEnd::Unchained);
        unit.does(DEFINE_EXTENT, &extent(FileMask::UPDATE_WRITES_ONLY).emit());
        assert!(unit.conflicts_with(inside, false) && !unit.conflicts_with(outside, false));
        unit.end_chain(ChainEnd::Unchained);
        unit.does(SEEK, &seek_to(100, 3));
        assert!(unit.conflicts_with(outside, false), "without an extent it may go anywhere");
        unit.end_chain(ChainEnd::Unchained);
        assert!(!unit.conflicts_with(inside, true));
    }
}

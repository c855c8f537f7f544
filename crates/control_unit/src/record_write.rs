//! The commands that write over key and data of records that are there.

use halftrack_program::{DataPort, Octets};
use halftrack_volume::{Track, Tracks};

use crate::access::Areas;
use crate::chain::{AGAINST_FILE_MASK, Chain, INVALID_SEQUENCE};
use crate::extent::WriteKind;
use crate::phase::{Phase, Scratch, Span};
use crate::predecessor::Predecessor;
use crate::sense::UnitCheck;

impl Chain {
    /// Writes over key and data, or data, of a record. What the program does not send becomes zeros; a record
    /// of which it sends nothing keeps what it has.
    pub(crate) fn write_record<T: Tracks, P: DataPort>(
        &mut self,
        tracks: &mut T,
        scratch: &mut Scratch,
        areas: Areas,
        multi_track: bool,
        phase: &mut Phase<'_, P>,
    ) -> Result<Span, UnitCheck> {
        if self.domain.is_none() {
            self.oriented_for_update(tracks, areas)?;
        }
        let position = self.record_for(tracks, areas, multi_track)?;
        self.position = Some(position.past(areas.last()));
        self.index_points = 0;
        let (address, place) = (position.track(), position.place());
        let track = tracks.track(address).map_err(UnitCheck::from_fault)?;
        let count = track.count(place).ok_or(UnitCheck::InvalidTrackFormat)?;
        let key_bytes = if areas.key { u32::from(count.key_bytes) } else { 0 };
        drop(track);
        if !self.domain.is_none_or(|domain| domain.lets_update(key_bytes + u32::from(count.data_bytes))) {
            return Err(UnitCheck::UnlikeTransferLength);
        }
        let written = if key_bytes == 0 {
            scratch.gather(phase, u32::from(count.data_bytes), |data| {
                if data.is_empty() { Ok(()) } else { tracks.write_data(address, place, data) }
            })
        } else {
            scratch.gather(phase, count.area_bytes(), |octets| match octets {
                octets if octets.is_empty() => Ok(()),
                Octets::Count(bytes) => {
                    tracks.write_key(address, place, Octets::Count(key_bytes))?;
                    tracks.write_data(address, place, Octets::Count(bytes.saturating_sub(key_bytes)))
                }
                Octets::Bytes(bytes) => {
                    let (key, data) = bytes.split_at(bytes.len().min(key_bytes as usize));
                    let mut padded = [0; u8::MAX as usize];
                    padded[..key.len()].copy_from_slice(key);
                    tracks.write_key(address, place, Octets::Bytes(&padded[..key_bytes as usize]))?;
                    tracks.write_data(address, place, Octets::Bytes(data))
                }
            })
        };
        written.map_err(UnitCheck::from_fault)?;
        Ok(areas.span(count))
    }

    /// Returns the outside a domain an update needs the search that found its record right before it: the ID, or for
    /// data alone the key.
    fn oriented_for_update<T: Tracks>(&self, tracks: &T, areas: Areas) -> Result<(), UnitCheck> {
        let found = match self.before {
            Predecessor::IdFound => true,
            Predecessor::KeyFound => !areas.key,
            _ => false,
        };
        if !found {
            return Err(INVALID_SEQUENCE);
        }
        if self.extent_on(tracks.geometry()).lets_write(WriteKind::Update) {
            Ok(())
        } else {
            Err(AGAINST_FILE_MASK)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::*;
    use halftrack_program::command::*;
    use halftrack_program::{ChainEnd, DefineExtent, Device, DeviceEnd, FileMask};

    fn write_data(tracks: &MemoryTracks, record: u8, count: u8) -> Unit {
        positioned(tracks, extent(FileMask::UPDATE_WRITES_ONLY), locate(WRITE_DATA_DOMAIN, 3, record, count))
    }

    #[test]
    fn writes_take_what_the_record_holds() {
        let mut unit = write_data(&MemoryTracks::of_4k(), 12, 3);
        let short = unit.send(multi_track(WRITE_DATA), &[0xAA; 100]);
        assert_eq!((short.moved_bytes, short.device_bytes), (100, 4096));
        let long = unit.send(multi_track(WRITE_DATA), &[0xBB; 5000]);
        assert_eq!((long.moved_bytes, long.device_bytes), (4096, 4096));
        let nothing = unit.send(multi_track(WRITE_DATA), &[]);
        assert_eq!((nothing.moved_bytes, nothing.device_bytes), (0, 4096));
        assert_eq!(unit.tracks().commits, 0);
        assert_eq!(unit.end_chain(ChainEnd::Unchained), None);
        assert_eq!(unit.tracks().commits, 1, "once, at the end");
        let tracks = unit.tracks_mut();
        assert_eq!(tracks.records(track(100, 3))[12][8..], [[0xAA; 100].as_slice(), &[0; 3996]].concat());
        assert_eq!(tracks.records(track(100, 4))[1][8..], [0xBB; 4096]);
        assert_eq!(tracks.records(track(100, 4))[2][8..], [2; 4096], "nothing came for it");
    }

    #[test]
    fn keys_are_written_with_their_data() {
        let tracks = MemoryTracks::of_4k().with_records(100, 3, &[(b"KEY1", b"data"), (b"KEY2", b"more")]);
        let update = of_length(8, locate(WRITE_DATA_DOMAIN, 3, 1, 2));
        let mut unit = positioned(&tracks, extent(FileMask::UPDATE_WRITES_ONLY), update);
        unit.does(WRITE_KEY_AND_DATA, b"NEW1DATA");
        let end = unit.send(WRITE_KEY_AND_DATA, b"N");
        assert_eq!((end.moved_bytes, end.device_bytes), (1, 8));
        let records = unit.tracks_mut().records(track(100, 3));
        assert_eq!(&records[1][8..], b"NEW1DATA");
        assert_eq!(&records[2][8..], b"N\0\0\0\0\0\0\0");
    }

    /// Returns the ending of an update of record 1, a key of 4 octets and 76 of data. It runs in a domain with a
    /// transfer length, in an extent of blocks of this size.
    fn updated(block_bytes: u16, length: Option<u16>, command: u8, octets: usize) -> (DeviceEnd, Vec<u8>) {
        let tracks = MemoryTracks::of_4k().with(100, 3, &[(4, 76)]);
        let locate = locate(WRITE_DATA_DOMAIN, 3, 1, 1);
        let locate = length.map_or(locate.clone(), |length| of_length(length, locate));
        let blocks = DefineExtent { block_size_bytes: block_bytes, ..extent(FileMask::UPDATE_WRITES_ONLY) };
        let mut unit = positioned(&tracks, blocks, locate);
        let end = unit.send(command, &vec![0xAA; octets]);
        (end, unit.tracks_mut().records(track(100, 3))[1][8..].to_vec())
    }

    #[test]
    fn an_update_write_has_the_length_that_its_factor_says() {
        let before = updated(80, Some(76), WRITE_DATA, 0).1;
        let cases = [
            (4096, Some(76), WRITE_DATA, true),
            (4096, Some(80), WRITE_DATA, false),
            (4096, Some(75), WRITE_DATA, false),
            (4096, Some(80), WRITE_KEY_AND_DATA, true),
            (4096, Some(76), WRITE_KEY_AND_DATA, false),
            // The block size stands in for a factor that is not there.
            (76, None, WRITE_DATA, true),
            (80, None, WRITE_KEY_AND_DATA, true),
            (80, None, WRITE_DATA, false),
            (0, None, WRITE_DATA, false),
            (0, Some(76), WRITE_DATA, true),
        ];
        for (block_bytes, length, command, fits) in cases {
            let (end, after) = updated(block_bytes, length, command, 80);
            let case = format!("{command:#04x} blocks of {block_bytes}, factor {length:?}: {end:?}");
            assert_eq!(end.sense.is_none(), fits, "{case}");
            assert_eq!(after == before, !fits, "{case}");
            if let Some(sense) = end.sense {
                assert_eq!(
                    (end.moved_bytes, sense[0], sense[1], sense[3], sense[7]),
                    (0, 0, 0x40, 0, 0),
                    "{case}"
                );
            }
        }
        let (short, _) = updated(76, Some(76), WRITE_DATA, 10);
        assert_eq!((short.sense, short.device_bytes), (None, 76), "the record counts, not what comes for it");
    }

    #[test]
    fn a_broken_chain_leaves_what_was_written() {
        let mut unit = write_data(&MemoryTracks::of_4k(), 12, 2);
        unit.does(WRITE_DATA, &[0xAA; 4096]);
        let end = unit.send(WRITE_DATA, &[0xBB; 4096]);
        assert_eq!(reason(end), UnitCheck::NoRecordFound);
        let sense = end.sense.unwrap();
        assert_eq!((sense[1], sense[3]), (0x09, 1), "imprecise: one unit of the domain remained");
        assert_eq!(unit.end_chain(ChainEnd::Broken), None);
        assert_eq!(unit.tracks_mut().records(track(100, 3))[12][8..], [0xAA; 4096]);
    }

    #[test]
    fn a_chain_that_cannot_be_committed_ends_with_equipment_check() {
        let mut unit = write_data(&MemoryTracks::of_4k(), 1, 1);
        unit.tracks_mut().commit_fails = true;
        assert_eq!(unit.clone().end_chain(ChainEnd::Unchained), None, "nothing was written");
        unit.does(WRITE_DATA, &[0xAA; 4096]);
        let end = unit.end_chain(ChainEnd::Unchained).unwrap();
        assert_eq!(reason(end), UnitCheck::EquipmentCheck);
        assert_eq!(unit.bytes(SENSE), end.sense.unwrap());
    }

    #[test]
    fn a_write_inhibited_device_says_so() {
        let mut unit = write_data(&MemoryTracks::of_4k().write_inhibited(), 1, 1);
        assert_eq!(reason(unit.send(WRITE_DATA, &[1])), UnitCheck::WriteInhibited);
    }
}

//! Data-set control blocks: records of the VTOC with 44 bytes of key and 96 of data. Offsets count from the key.

use std::collections::BTreeMap;

use halftrack_program::TrackAddress;

use crate::tracks::{COUNT_AREA_BYTES, CountArea, Track, Tracks};
use crate::vtoc::extent::{EXTENT_BYTES, Extent, track_at, track_number};
use crate::vtoc::{PlacedFault, VtocError, VtocFault};

/// Bytes of the key area.
pub(super) const KEY_BYTES: usize = 44;
/// Bytes of the data area.
const DATA_BYTES: usize = 96;
/// Bytes of both.
const DSCB_BYTES: usize = KEY_BYTES + DATA_BYTES;
/// Where the extent of the VTOC is in a format-4 DSCB (DS4VTOCE).
const VTOC_EXTENT: usize = 105;
/// Where the cylinders of the device are in a format-4 DSCB (DS4DSCYL).
const DEVICE_CYLINDERS: usize = 62;
/// DS4DSCYL of an extended address volume, whose cylinders are elsewhere.
const EXTENDED_ADDRESS_VOLUME: u16 = 0xFFFE;
/// Where the three extents of a format-1 or format-8 DSCB are (DS1EXT1).
const FIRST_EXTENTS: (usize, usize) = (105, 3);
/// Where the four and the nine extents of a format-3 DSCB are (DS3EXTNT, DS3ADEXT).
const MORE_EXTENTS: [(usize, usize); 2] = [(4, 4), (45, 9)];
/// Where the CCHHR of the next DSCB of a data set is (DS1PTRDS, DS3PTRDS, DS9PTRDS).
const NEXT: usize = 135;
/// Most DSCBs in the chain of one data set: its own, attributes, and those of 123 extents.
const CHAIN_MAXIMUM: usize = 16;

/// Format identifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DscbFormat {
    /// 0: not in use.
    Free,
    /// A data set.
    Format1,
    /// Extents of a data set past the first three.
    Format3,
    /// The VTOC itself.
    Format4,
    /// A data set that may lie above 65,520 cylinders.
    Format8,
    /// Attributes of such a data set.
    Format9,
    /// Free space (5, 7) and what is no data set.
    Other,
}

/// One DSCB.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dscb([u8; DSCB_BYTES]);

impl Dscb {
    /// Returns its format.
    pub(super) fn format(&self) -> DscbFormat {
        match self.0[KEY_BYTES] {
            0x00 => DscbFormat::Free,
            0xF1 => DscbFormat::Format1,
            0xF3 => DscbFormat::Format3,
            0xF4 => DscbFormat::Format4,
            0xF8 => DscbFormat::Format8,
            0xF9 => DscbFormat::Format9,
            _ => DscbFormat::Other,
        }
    }

    /// Returns the octets at an offset that the layout has.
    pub(super) fn field<const N: usize>(&self, offset: usize) -> [u8; N] {
        let mut field = [0; N];
        field.copy_from_slice(&self.0[offset..offset + N]);
        field
    }

    /// Returns the extent of the VTOC, of a format-4 DSCB.
    pub(super) fn vtoc_extent(&self) -> Option<Extent> {
        (self.format() == DscbFormat::Format4).then(|| self.extent(VTOC_EXTENT)).flatten()
    }

    /// Returns the cylinders of the device, of a format-4 DSCB that has them in 16 bits.
    pub(super) fn device_cylinders(&self) -> Option<u16> {
        let cylinders = u16::from_be_bytes(self.field(DEVICE_CYLINDERS));
        (self.format() == DscbFormat::Format4 && cylinders != EXTENDED_ADDRESS_VOLUME).then_some(cylinders)
    }

    fn extent(&self, offset: usize) -> Option<Extent> {
        Extent::parse(&self.field::<EXTENT_BYTES>(offset))
    }

    fn extents(&self, (offset, count): (usize, usize)) -> impl Iterator<Item = Extent> {
        (0..count).filter_map(move |number| self.extent(offset + number * EXTENT_BYTES))
    }

    fn next(&self) -> Option<[u8; 5]> {
        let next = self.field(NEXT);
        (next != [0; 5]).then_some(next)
    }
}

/// Returns the DSCB that is record `record` of a track, if there is one.
///
/// # Errors
/// When the track cannot be read.
pub(super) fn read_one<T: Tracks>(
    tracks: &mut T,
    at: TrackAddress,
    record: u8,
) -> Result<Option<Dscb>, VtocError> {
    let track = tracks.track(at).map_err(|fault| VtocError::Track { at, fault })?;
    let is_it = |place: &u8| track.count(*place).is_some_and(|count| count.record == record);
    Ok((1..track.records()).find(is_it).and_then(|place| parse(&track, place)))
}

fn parse(track: &impl Track, place: u8) -> Option<Dscb> {
    let octets = track.record(place).bytes()?;
    let (count, areas) = octets.split_first_chunk::<COUNT_AREA_BYTES>()?;
    let keyed = usize::from(CountArea::from_bytes(*count).key_bytes) == KEY_BYTES;
    Some(Dscb(areas.try_into().ok().filter(|_| keyed)?))
}

/// Every DSCB of a VTOC, by the CCHHR of its count area.
#[derive(Debug, Default)]
pub(super) struct Dscbs(BTreeMap<[u8; 5], Dscb>);

impl Dscbs {
    /// Reads the tracks of `extent`; what is no DSCB is a fault.
    pub(super) fn read<T: Tracks>(tracks: &mut T, extent: &Extent, faults: &mut Vec<PlacedFault>) -> Self {
        let geometry = *tracks.geometry();
        let mut found = Self::default();
        let begin = track_number(extent.begin, &geometry);
        for number in begin..begin + extent.tracks(&geometry) {
            let Some(at) = track_at(number, &geometry) else { break };
            match tracks.track(at) {
                Ok(track) => found.read_track(&track, at, faults),
                Err(fault) => faults.push(PlacedFault { at, fault: VtocFault::Track { fault } }),
            }
        }
        found
    }

    fn read_track(&mut self, track: &impl Track, at: TrackAddress, faults: &mut Vec<PlacedFault>) {
        for place in 1..track.records() {
            let Some(count) = track.count(place) else { break };
            match parse(track, place) {
                Some(dscb) => {
                    self.0.insert(count.id(), dscb);
                }
                // The operating system ends a VTOC with no such record, but a copy of one may.
                None if count.area_bytes() == 0 => {}
                None => {
                    let CountArea { record, key_bytes, data_bytes, .. } = count;
                    let fault = VtocFault::NoDscb { record, key_bytes, data_bytes };
                    faults.push(PlacedFault { at, fault });
                }
            }
        }
    }

    /// Returns the DSCBs of the VTOC.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns every DSCB with its CCHHR, ascending.
    pub(super) fn iter(&self) -> impl Iterator<Item = ([u8; 5], &Dscb)> {
        self.0.iter().map(|(at, dscb)| (*at, dscb))
    }

    /// Returns the extents of a data set in their order, and whether its chain was whole.
    pub(super) fn extents_of(&self, first: &Dscb) -> (Vec<Extent>, bool) {
        let mut extents: Vec<Extent> = first.extents(FIRST_EXTENTS).collect();
        let mut next = first.next();
        for _ in 0..CHAIN_MAXIMUM {
            let Some(at) = next else { return (extents, true) };
            let Some(dscb) = self.0.get(&at) else { break };
            match dscb.format() {
                DscbFormat::Format3 => {
                    extents.extend(MORE_EXTENTS.into_iter().flat_map(|place| dscb.extents(place)));
                }
                DscbFormat::Format9 => {}
                // A format-2 DSCB describes the index of an indexed data set.
                DscbFormat::Other => {}
                _ => break,
            }
            next = dscb.next();
        }
        (extents, false)
    }
}

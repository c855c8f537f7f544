//! A small volume in memory for the tests: tracks as lists of records, with a label and a VTOC on request.

use std::collections::BTreeMap;

use halftrack_program::{Geometry, Octets, TrackAddress};

use crate::tracks::{COUNT_AREA_BYTES, CountArea, HOME_ADDRESS_BYTES, Track, TrackFault, Tracks};
use halftrack_base::CodePage;

/// Returns the EBCDIC of `text`, padded with blanks to `bytes`.
pub(super) fn ebcdic(text: &str, bytes: usize) -> Vec<u8> {
    let mut octets = CodePage::Page1047.octets(text);
    octets.resize(bytes, 0x40);
    octets
}

/// Returns the shorthand for a track.
pub(super) fn track(cylinder: u32, head: u8) -> TrackAddress {
    TrackAddress::new(cylinder, head).expect("a track that can be named")
}

/// Tracks in memory; those that were not written have record zero only.
pub(super) struct Rig {
    geometry: Geometry,
    tracks: BTreeMap<TrackAddress, Vec<Vec<u8>>>,
    /// Tracks that cannot be read.
    pub(super) unreadable: Vec<TrackAddress>,
}

impl Rig {
    pub(super) fn new(cylinders: u32) -> Self {
        let geometry = Geometry::with_cylinders(cylinders).expect("a volume");
        Self { geometry, tracks: BTreeMap::new(), unreadable: Vec::new() }
    }

    /// Appends a record, whose number is its place.
    pub(super) fn put(&mut self, at: TrackAddress, key: &[u8], data: &[u8]) -> u8 {
        let records = self.tracks.entry(at).or_insert_with(|| vec![record(at, 0, &[], &[0; 8])]);
        let number = records.len() as u8;
        records.push(record(at, number, key, data));
        number
    }

    /// Writes the octets of the data area of a record again.
    pub(super) fn change(&mut self, at: TrackAddress, number: u8, change: impl FnOnce(&mut [u8])) {
        let records = self.tracks.get_mut(&at).expect("the track was written");
        change(&mut records[usize::from(number)][COUNT_AREA_BYTES..]);
    }

    /// Puts a label and a VTOC of the tracks 1 and 2 on the volume.
    pub(super) fn with_vtoc(mut self) -> Self {
        let first = track(0, 0);
        self.put(first, &ebcdic("IPL1", 4), &[0; 24]);
        self.put(first, &ebcdic("IPL2", 4), &[0; 144]);
        let mut label = ebcdic("VOL1RIG001", 80);
        label[11..16].copy_from_slice(&[0, 0, 0, 1, 1]);
        self.put(first, &ebcdic("VOL1", 4), &label);
        let mut format_4 = [0; 96];
        format_4[0] = 0xF4;
        format_4[61..71].copy_from_slice(&extent(1, 0, track(0, 1), track(0, 2)));
        self.put(track(0, 1), &[4; 44], &format_4);
        self
    }

    /// Puts a format-1 DSCB into the VTOC, its data area changed by `change`; its record number.
    pub(super) fn data_set(
        &mut self,
        name: &str,
        extents: &[[u8; 10]],
        change: impl FnOnce(&mut [u8]),
    ) -> u8 {
        let mut data = [0; 96];
        data[0] = 0xF1;
        data[15] = extents.len() as u8;
        // PS, ends on this volume.
        (data[38], data[49]) = (0x40, 0x80);
        for (number, extent) in extents.iter().take(3).enumerate() {
            data[61 + number * 10..71 + number * 10].copy_from_slice(extent);
        }
        change(&mut data);
        self.put(track(0, 1), &ebcdic(name, 44), &data)
    }
}

/// Returns the ten bytes of an extent.
pub(super) fn extent(kind: u8, sequence: u8, begin: TrackAddress, end: TrackAddress) -> [u8; 10] {
    let octets = [&[kind, sequence], &begin.to_cchh()[..], &end.to_cchh()[..]].concat();
    octets.try_into().expect("ten octets")
}

fn record(at: TrackAddress, number: u8, key: &[u8], data: &[u8]) -> Vec<u8> {
    let count = CountArea {
        cchh: at.to_cchh(),
        record: number,
        key_bytes: key.len() as u8,
        data_bytes: data.len() as u16,
    };
    [&count.to_bytes(), key, data].concat()
}

/// One track of a [`Rig`].
pub(super) struct RigTrack(TrackAddress, Vec<Vec<u8>>);

impl RigTrack {
    fn area(&self, place: u8, area: impl Fn(CountArea) -> std::ops::Range<usize>) -> Octets<'_> {
        let octets = || self.1.get(usize::from(place))?.get(area(self.count(place)?));
        octets().map_or(Octets::NONE, Octets::Bytes)
    }
}

impl Track for RigTrack {
    fn home_address(&self) -> [u8; HOME_ADDRESS_BYTES] {
        let [c0, c1, h0, h1] = self.0.to_cchh();
        [0, c0, c1, h0, h1]
    }

    fn records(&self) -> u8 {
        self.1.len() as u8
    }

    fn count(&self, place: u8) -> Option<CountArea> {
        self.1.get(usize::from(place))?.first_chunk().map(|bytes| CountArea::from_bytes(*bytes))
    }

    fn key(&self, place: u8) -> Octets<'_> {
        self.area(place, |count| COUNT_AREA_BYTES..COUNT_AREA_BYTES + usize::from(count.key_bytes))
    }

    fn data(&self, place: u8) -> Octets<'_> {
        self.area(place, |count| {
            COUNT_AREA_BYTES + usize::from(count.key_bytes)..COUNT_AREA_BYTES + count.area_bytes() as usize
        })
    }

    fn record(&self, place: u8) -> Octets<'_> {
        self.area(place, |count| 0..COUNT_AREA_BYTES + count.area_bytes() as usize)
    }
}

impl Tracks for Rig {
    type Track<'a> = RigTrack;

    fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    fn write_inhibited(&self) -> bool {
        true
    }

    fn track(&mut self, at: TrackAddress) -> Result<RigTrack, TrackFault> {
        if !self.geometry.contains(at) {
            return Err(TrackFault::NoTrack);
        }
        if self.unreadable.contains(&at) {
            return Err(TrackFault::Unreadable);
        }
        let records = self.tracks.get(&at).cloned();
        Ok(RigTrack(at, records.unwrap_or_else(|| vec![record(at, 0, &[], &[0; 8])])))
    }

    fn write_key(&mut self, _: TrackAddress, _: u8, _: Octets<'_>) -> Result<(), TrackFault> {
        Err(TrackFault::WriteInhibited)
    }

    fn write_data(&mut self, _: TrackAddress, _: u8, _: Octets<'_>) -> Result<(), TrackFault> {
        Err(TrackFault::WriteInhibited)
    }

    fn commit(&mut self) -> Result<(), TrackFault> {
        Ok(())
    }
}

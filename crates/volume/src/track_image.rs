//! One track as the image formats have it, byte after byte:
//!
//! ```text
//! home address (flag, CCHH) | count, key, data | count, key, data | ... | end marker FF FF FF FF FF FF FF FF
//! ```
//!
//! Cylinder, head and record in count areas are free; the lengths lay out the track.

use halftrack_program::{DeviceType, Geometry, RECORD_ZERO_DATA_BYTES, TrackAddress};

use crate::tracks::{COUNT_AREA_BYTES, CountArea, HOME_ADDRESS_BYTES, TrackFault};

/// Octets in the place of the count area of one more record.
pub const END_MARKER: [u8; COUNT_AREA_BYTES] = [0xFF; COUNT_AREA_BYTES];

/// Most records of a track, record zero counted.
pub const MOST_RECORDS: u8 = u8::MAX;

/// Where a record lies on its track.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordPlace {
    /// Offset of the count area from the home address, bytes.
    pub offset: u16,
    /// The count area.
    pub count: CountArea,
}

impl RecordPlace {
    /// Returns the offset of the byte behind the record.
    pub const fn end(&self) -> u32 {
        self.offset as u32 + COUNT_AREA_BYTES as u32 + self.count.area_bytes()
    }
}

/// The records of a track image, one after the other. After the last comes nothing, or once the fault that
/// ends a track without end marker.
#[derive(Debug, Clone)]
pub struct Records<'a> {
    octets: &'a [u8],
    at: usize,
    records: u8,
    ended: bool,
}

impl<'a> Records<'a> {
    /// Returns the records of a track image. What lies behind its end marker does not count.
    pub fn of(octets: &'a [u8]) -> Self {
        Self { octets, at: HOME_ADDRESS_BYTES, records: 0, ended: false }
    }

    /// Returns the offset of the next count area, or of the end marker behind the last record.
    pub fn offset(&self) -> usize {
        self.at
    }

    fn step(&mut self) -> Result<Option<RecordPlace>, TrackFault> {
        let bytes: [u8; COUNT_AREA_BYTES] = self
            .octets
            .get(self.at..)
            .and_then(|rest| rest.first_chunk())
            .copied()
            .ok_or(TrackFault::Unreadable)?;
        if bytes == END_MARKER {
            return Ok(None);
        }
        let offset = u16::try_from(self.at).map_err(|_| TrackFault::Unreadable)?;
        let record = RecordPlace { offset, count: CountArea::from_bytes(bytes) };
        let end = record.end() as usize;
        if end + COUNT_AREA_BYTES > self.octets.len() || self.records == MOST_RECORDS {
            return Err(TrackFault::Unreadable);
        }
        self.at = end;
        self.records += 1;
        Ok(Some(record))
    }
}

impl Iterator for Records<'_> {
    type Item = Result<RecordPlace, TrackFault>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let step = self.step();
        self.ended = !matches!(step, Ok(Some(_)));
        step.transpose()
    }
}

/// Returns the octets of a track image from home address to end marker.
///
/// # Errors
/// [`TrackFault::Unreadable`] without end marker.
pub fn used_octets(octets: &[u8]) -> Result<usize, TrackFault> {
    let mut records = Records::of(octets);
    for record in records.by_ref() {
        record?;
    }
    Ok(records.offset() + COUNT_AREA_BYTES)
}

/// Writes home address, record zero of 8 zeros and end marker: a track that was never used.
pub fn push_empty_track(address: TrackAddress, into: &mut Vec<u8>) {
    let cchh = address.to_cchh();
    into.push(0);
    into.extend_from_slice(&cchh);
    let zero = CountArea { cchh, record: 0, key_bytes: 0, data_bytes: RECORD_ZERO_DATA_BYTES };
    into.extend_from_slice(&zero.to_bytes());
    into.extend_from_slice(&[0; RECORD_ZERO_DATA_BYTES as usize]);
    into.extend_from_slice(&END_MARKER);
}

/// Returns whether records of these lengths (key, data; record zero first) fit on a track. The capacity formula of
/// the device limits them, and the track length of the image.
pub fn fits(device: DeviceType, image_track_bytes: u32, lengths: impl Iterator<Item = (u8, u16)>) -> bool {
    let (mut cells, mut bytes) = (0, (HOME_ADDRESS_BYTES + END_MARKER.len()) as u32);
    for (key, data) in lengths {
        cells += device.record_cells(u32::from(key), u32::from(data));
        bytes += COUNT_AREA_BYTES as u32 + u32::from(key) + u32::from(data);
    }
    cells <= device.cells_with_record_zero() && bytes <= image_track_bytes
}

/// Returns the number of a track: cylinder × heads + head; nothing when the device has no such track.
pub fn track_number(geometry: &Geometry, address: TrackAddress) -> Option<u32> {
    let number = u64::from(address.cylinder()) * u64::from(geometry.heads()) + u64::from(address.head());
    if geometry.contains(address) { u32::try_from(number).ok() } else { None }
}

/// Returns the track with a number; nothing when a CCHH cannot name it.
pub fn track_address(geometry: &Geometry, number: u32) -> Option<TrackAddress> {
    let heads = u32::from(geometry.heads());
    TrackAddress::new(number / heads, (number % heads) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use halftrack_program::Model;
    use proptest::prelude::*;

    /// Returns a track of records with these areas; place in the order given.
    fn image(records: &[(CountArea, Vec<u8>)]) -> Vec<u8> {
        let mut octets = vec![0, 0, 1, 0, 2];
        for (count, areas) in records {
            octets.extend_from_slice(&count.to_bytes());
            octets.extend_from_slice(areas);
        }
        octets.extend_from_slice(&END_MARKER);
        octets
    }

    fn any_record() -> impl Strategy<Value = (CountArea, Vec<u8>)> {
        (any::<[u8; 5]>(), any::<u8>(), 0u16..2000, any::<u8>()).prop_map(
            |(id, key_bytes, data_bytes, octet)| {
                let [c0, c1, h0, h1, record] = id;
                let count = CountArea { cchh: [c0, c1, h0, h1], record, key_bytes, data_bytes };
                (count, vec![octet; count.area_bytes() as usize])
            },
        )
    }

    proptest! {
        #[test]
        fn what_is_built_is_read(records in prop::collection::vec(any_record(), 0..20), behind in 0usize..50) {
            let mut octets = image(&records);
            let used = octets.len();
            octets.resize(used + behind, 0xA5);
            prop_assert_eq!(used_octets(&octets), Ok(used));
            let read: Vec<_> = Records::of(&octets).map(Result::unwrap).collect();
            prop_assert_eq!(read.len(), records.len());
            for (place, (count, areas)) in read.iter().zip(&records) {
                prop_assert_eq!(place.count, *count);
                let begin = place.offset as usize + COUNT_AREA_BYTES;
                prop_assert_eq!(&octets[begin..place.end() as usize], &areas[..]);
            }
        }

        #[test]
        fn anything_is_read_to_an_end(octets in prop::collection::vec(any::<u8>(), 0..3000)) {
            prop_assert!(Records::of(&octets).count() <= usize::from(MOST_RECORDS) + 1);
        }
    }

    #[test]
    fn a_track_without_end_marker_is_unreadable() {
        let octets = image(&[]);
        for length in 0..octets.len() {
            assert_eq!(used_octets(&octets[..length]), Err(TrackFault::Unreadable), "{length}");
        }
        let zeros = [0; 5000];
        assert_eq!(
            used_octets(&zeros),
            Err(TrackFault::Unreadable),
            "records of no length, more than a track has"
        );
        assert_eq!(Records::of(&zeros).filter(Result::is_ok).count(), 255);
    }

    #[test]
    fn an_empty_track_has_record_zero() {
        let mut octets = Vec::new();
        push_empty_track(TrackAddress::new(65_537, 3).unwrap(), &mut octets);
        assert_eq!(octets.len(), 29);
        let zero = Records::of(&octets).next().unwrap().unwrap();
        assert_eq!(zero.count.to_bytes(), [0, 1, 0, 0x13, 0, 0, 0, 8]);
    }

    #[test]
    fn a_3390_track_takes_twelve_4k_records_and_an_image_not_more_than_it_has() {
        let lengths = |records| std::iter::once((0, 8)).chain(std::iter::repeat_n((0, 4096), records));
        assert!(fits(DeviceType::D3390, 56_832, lengths(12)));
        assert!(!fits(DeviceType::D3390, 56_832, lengths(13)));
        assert!(!fits(DeviceType::D3390, 40_000, lengths(12)));
        assert!(fits(DeviceType::D3390, 56_832, [(0, 8), (0, 56_664)].into_iter()));
        assert!(!fits(DeviceType::D3390, 60_000, [(0, 100), (0, 56_664)].into_iter()));
    }

    #[test]
    fn tracks_are_numbered_through_the_volume() {
        let geometry = Geometry::of(Model::Model3);
        for number in [0, 14, 15, 50_084] {
            let address = track_address(&geometry, number).unwrap();
            assert_eq!(track_number(&geometry, address), Some(number));
        }
        assert_eq!(track_number(&geometry, TrackAddress::new(3339, 0).unwrap()), None);
    }
}

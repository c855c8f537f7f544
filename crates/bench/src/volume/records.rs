//! The records that are read: every 4 KiB record behind cylinder 0, in an order without order.

use halftrack_engine::RandomStream;
use halftrack_program::{Geometry, TrackAddress};

use super::content::BLOCK_BYTES;
use super::guest::Target;

/// Seed of the order.
const SEED: u64 = 1;

/// A record of the volume: its number, from 0 at cylinder 1 on, and where it is.
#[derive(Debug, Clone, Copy)]
pub struct Record {
    /// Number, from which its octets are made.
    pub number: u64,
    /// Seek, search and sector.
    pub target: Target,
}

/// Returns the tracks behind cylinder 0, in their order. Cylinder 0 has the label, and tracks of other records.
pub fn tracks(geometry: &Geometry) -> impl Iterator<Item = TrackAddress> {
    let (cylinders, heads) = (geometry.cylinders(), geometry.heads());
    (1..cylinders)
        .flat_map(move |cylinder| (0..heads).filter_map(move |head| TrackAddress::new(cylinder, head)))
}

/// Returns seek, search and sector of a record.
fn target(geometry: &Geometry, track: TrackAddress, record: u8) -> Target {
    let [c0, c1, h0, h1] = track.to_cchh();
    let sector = geometry.sector(record, BLOCK_BYTES as u16).unwrap_or(0);
    [c0, c1, h0, h1, c0, c1, h0, h1, record, sector]
}

/// Returns the records of the volume, in their order.
pub fn in_order(geometry: &Geometry) -> Vec<Record> {
    let per_track = geometry.records_per_track(BLOCK_BYTES as u16, 0);
    tracks(geometry)
        .flat_map(|track| (1..=per_track).map(move |record| (track, record)))
        .zip(0..)
        .map(|((track, record), number)| Record { number, target: target(geometry, track, record) })
        .collect()
}

/// Puts `records` into an order without order (Fisher and Yates).
pub fn shuffle(records: &mut [Record]) {
    let mut random = RandomStream::new(SEED, "records");
    for end in (1..records.len()).rev() {
        records.swap(end, random.below(end as u64 + 1) as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_record_is_there_once_in_any_order() {
        let geometry = Geometry::with_cylinders(3).unwrap();
        let mut records = in_order(&geometry);
        assert_eq!(records.len(), 2 * 15 * 12);
        assert_eq!(records[13].target, [0, 1, 0, 1, 0, 1, 0, 1, 2, 24]);
        shuffle(&mut records);
        assert!(records.windows(2).any(|pair| pair[0].number > pair[1].number));
        records.sort_by_key(|record| record.number);
        assert!(records.iter().zip(0..).all(|(record, number)| record.number == number));
        assert_eq!(records[359].target, [0, 2, 0, 14, 0, 2, 0, 14, 12, 202]);
    }
}

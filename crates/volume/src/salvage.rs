//! Salvage of a damaged track: its records before the damage.

use halftrack_program::{Geometry, TrackAddress};

use crate::track_image::{END_MARKER, Records, fits, push_empty_track};
use crate::tracks::{COUNT_AREA_BYTES, HOME_ADDRESS_BYTES};

/// Damage of a track.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Damage {
    /// The home address is not that of the track; the records are whole.
    HomeAddress,
    /// Behind so many records, record zero counted, comes neither a record nor the end of the track.
    Records(u8),
}

/// Returns the damage of a track of which `octets` are there, and its offset from the home address; nothing when the
/// track is whole.
pub fn damage(
    octets: &[u8],
    geometry: &Geometry,
    image_track_bytes: u32,
    address: TrackAddress,
) -> Option<(Damage, usize)> {
    let mut lengths = Vec::new();
    let mut records = Records::of(octets);
    loop {
        let offset = records.offset();
        let Some(record) = records.next() else { break };
        // Octets that were never written resemble records without length, numbers and address.
        let unwritten = octets.get(offset..).is_some_and(|rest| rest.starts_with(&[0; COUNT_AREA_BYTES]));
        lengths.extend(record.ok().map(|record| (record.count.key_bytes, record.count.data_bytes)));
        let fit = fits(geometry.device_type(), image_track_bytes, lengths.iter().copied());
        if record.is_err() || unwritten || !fit {
            let whole = lengths.len() - usize::from(record.is_ok());
            return Some((Damage::Records(whole as u8), offset));
        }
    }
    let home_address = octets.get(1..HOME_ADDRESS_BYTES);
    (home_address != Some(&address.to_cchh())).then_some((Damage::HomeAddress, 0))
}

/// Returns a whole track of what a damaged one has: its records before the damage. One without record is empty.
pub fn salvaged(octets: &[u8], address: TrackAddress, damage: (Damage, usize)) -> Vec<u8> {
    let mut track = Vec::new();
    let end = match damage {
        (Damage::Records(0), _) => {
            push_empty_track(address, &mut track);
            return track;
        }
        (Damage::Records(_), end) => end,
        (Damage::HomeAddress, _) => {
            let mut records = Records::of(octets);
            let whole = records.by_ref().all(|record| record.is_ok());
            if whole { records.offset() } else { HOME_ADDRESS_BYTES }
        }
    };
    track.extend_from_slice(&octets[..end]);
    track[1..HOME_ADDRESS_BYTES].copy_from_slice(&address.to_cchh());
    track.extend_from_slice(&END_MARKER);
    track
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::track_image::used_octets;
    use crate::tracks::CountArea;
    use halftrack_program::Model;
    use proptest::prelude::*;

    const TRACK_BYTES: u32 = 56_832;

    fn address() -> TrackAddress {
        TrackAddress::new(7, 3).unwrap()
    }

    /// Returns a track of three records of 100 bytes behind record zero, which begin at 21, 129 and 237.
    fn track() -> Vec<u8> {
        let mut octets = Vec::new();
        push_empty_track(address(), &mut octets);
        octets.truncate(octets.len() - 8);
        for record in 1..=3 {
            let count = CountArea { cchh: address().to_cchh(), record, key_bytes: 0, data_bytes: 100 };
            octets.extend_from_slice(&count.to_bytes());
            octets.extend_from_slice(&[record; 100]);
        }
        octets.extend_from_slice(&END_MARKER);
        octets
    }

    fn found(octets: &[u8]) -> Option<(Damage, usize)> {
        damage(octets, &Geometry::of(Model::Model1), TRACK_BYTES, address())
    }

    #[test]
    fn records_before_the_damage_are_kept() {
        let whole = track();
        assert_eq!(found(&whole), None);
        let mut cases = vec![(whole[..200].to_vec(), 2, 129), (whole[..3].to_vec(), 0, 5)];
        let mut long = whole.clone();
        long[129 + 6] = 0xFF;
        cases.push((long, 2, 129));
        let mut unwritten = whole[..237].to_vec();
        unwritten.resize(TRACK_BYTES as usize, 0);
        cases.push((unwritten, 3, 237));
        for (octets, records, offset) in cases {
            let damage = found(&octets).unwrap();
            assert_eq!(damage, (Damage::Records(records), offset));
            let repaired = salvaged(&octets, address(), damage);
            assert_eq!(found(&repaired), None);
            if records > 0 {
                assert_eq!(repaired[..offset], whole[..offset]);
            }
        }
    }

    #[test]
    fn a_wrong_home_address_costs_no_record() {
        let mut octets = track();
        octets[2] = 99;
        let damage = found(&octets).unwrap();
        assert_eq!(damage, (Damage::HomeAddress, 0));
        assert_eq!(salvaged(&octets, address(), damage), track());
    }

    proptest! {
        #[test]
        fn whatever_is_salvaged_is_whole(octets in prop::collection::vec(any::<u8>(), 0..4000), zeros in any::<bool>()) {
            let mut octets = octets;
            if zeros {
                octets[..].iter_mut().step_by(2).for_each(|octet| *octet = 0);
            }
            if let Some(damage) = found(&octets) {
                let repaired = salvaged(&octets, address(), damage);
                prop_assert_eq!(found(&repaired), None);
                prop_assert_eq!(used_octets(&repaired), Ok(repaired.len()));
            }
        }
    }
}

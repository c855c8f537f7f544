//! LOG SENSE.

use halftrack_base::Time;

use crate::rig::{Rig, cdb_10, lun_of, nexus};
use crate::{SenseCode, Transfer, Transmit};

/// Returns LOG SENSE of the cumulative values of a page.
const fn log(page: u8) -> [u8; 10] {
    [0x4D, 0, 0x40 | page, 0, 0, 0, 0, 1, 0, 0]
}

#[test]
fn every_listed_page_is_there_and_no_other_is() {
    for (unit, listed) in [(0, &[0x00, 0x0C, 0x19, 0x2F][..]), (1, &[0x00, 0x19, 0x2F])] {
        let mut rig = Rig::ready(512);
        assert_eq!(rig.data(unit, &log(0))[4..], *listed);
        for page in 0..0x40 {
            if listed.contains(&page) {
                let data = rig.data(unit, &log(page));
                assert_eq!((data[0], usize::from(data[3])), (page, data.len() - 4));
            } else {
                assert_eq!(rig.code(1, unit, &log(page)), Some(SenseCode::INVALID_FIELD_IN_CDB));
            }
        }
    }
    let mut rig = Rig::ready(512);
    for control in [0x00, 0x80] {
        let cdb = [0x4D, 0, control | 0x19, 0, 0, 0, 0, 1, 0, 0];
        assert_eq!(rig.code(1, 0, &cdb), Some(SenseCode::INVALID_FIELD_IN_CDB), "thresholds");
    }
}

#[test]
fn reads_and_writes_are_counted_with_their_time() {
    let mut rig = Rig::ready(512);
    rig.data(0, &cdb_10(0x28, 0, 0, 7));
    let id = rig.begin(nexus(1), lun_of(0), &cdb_10(0x2A, 0, 0, 2), Transfer::Out(1024));
    assert!(matches!(rig.target.poll_transmit(), Some(Transmit::DataOut { .. })));
    rig.target.handle_data_out(Time::from_ps(5_000_000), id, &[1; 1024]);
    rig.target.poll_transmit();
    let data = rig.data(0, &log(0x19));
    let counts: Vec<u8> = data[8..].chunks(8).take(6).map(|count| count[7]).collect();
    assert_eq!(counts, [1, 1, 2, 7, 0, 5]);
    assert_eq!(data[72..], [0, 3, 3, 8, 0, 0, 0, 6, 0, 0, 0, 1], "a microsecond");
    let space = rig.data(0, &log(0x0C));
    assert_eq!(space[8..12], 998_u32.to_be_bytes());
    assert_eq!(space[20..24], 2_u32.to_be_bytes());
}

//! INQUIRY, READ CAPACITY and REPORT LUNS.

use crate::rig::{BLOCKS, Rig, lun_of, nexus};
use crate::{Lun, MemoryBlocks, ScsiStatus, SenseCode, Transfer};

/// Returns INQUIRY of a page of vital product data.
fn page(page: u8) -> [u8; 6] {
    [0x12, 1, page, 1, 0, 0]
}

#[test]
fn every_listed_page_is_there_with_its_length_and_no_other_is() {
    let mut rig = Rig::ready(512);
    let listed = rig.data(0, &page(0))[4..].to_vec();
    assert_eq!(listed, [0x00, 0x80, 0x83, 0xB0, 0xB1, 0xB2]);
    for number in 0..=255 {
        let cdb = page(number);
        if listed.contains(&number) {
            let data = rig.data(0, &cdb);
            assert_eq!(
                (data[1], usize::from(data[2]) * 256 + usize::from(data[3])),
                (number, data.len() - 4)
            );
        } else {
            assert_eq!(rig.code(1, 0, &cdb), Some(SenseCode::INVALID_FIELD_IN_CDB));
        }
    }
    assert_eq!(rig.code(1, 0, &[0x12, 0, 0x80, 0, 96, 0]), Some(SenseCode::INVALID_FIELD_IN_CDB));
}

#[test]
fn standard_data_names_the_unit_and_is_cut_to_the_allocation_length() {
    let mut rig = Rig::ready(512);
    let data = rig.data(0, &[0x12, 0, 0, 1, 0, 0]);
    assert_eq!((data.len(), data[0], data[2], data[4]), (96, 0, 6, 91));
    assert_eq!(&data[8..36], b"HALFTRCKFIXED BLOCK     0001");
    assert_eq!(rig.data(0, &[0x12, 0, 0, 0, 5, 0]), data[..5]);
}

#[test]
fn the_designators_are_of_the_unit_and_of_the_port() {
    let mut rig = Rig::ready(512);
    let of_port = |rig: &mut Rig, target_port| {
        let nexus = crate::Nexus { initiator: 1, target_port };
        rig.run(nexus, lun_of(0), &page(0x83), Transfer::In(256), &[]).data_in
    };
    let (first, second) = (of_port(&mut rig, 1), of_port(&mut rig, 2));
    assert_eq!(first[4..8], [0x01, 0x03, 0, 16]);
    assert_eq!(first[8..24], second[8..24], "one name of the unit at all ports");
    assert_ne!(first, second);
    assert_eq!(first[first.len() - 16..first.len() - 8], [0x01, 0x94, 0, 4, 0, 0, 0, 1]);
}

#[test]
fn capacities_are_of_the_last_block() {
    let mut rig = Rig::ready(4096);
    let last = (BLOCKS - 1) as u32;
    assert_eq!(rig.data(0, &[0x25, 0, 0, 0, 0, 0, 0, 0, 0, 0]), [last.to_be_bytes(), [0, 0, 16, 0]].concat());
    let mut cdb = [0; 16];
    (cdb[0], cdb[1], cdb[13]) = (0x9E, 0x10, 32);
    let data = rig.data(0, &cdb);
    assert_eq!((data[7], data[13], data[14]), (last as u8, 0, 0xC0), "a thin unit");
    assert_eq!(rig.data(1, &cdb)[14], 0);
    assert_eq!(Rig::ready(512).data(0, &cdb)[13], 3, "eight blocks a granule");
    let mut rig = Rig::new([MemoryBlocks::new(512, 1 << 40)]);
    rig.admit(1);
    assert_eq!(rig.data(0, &[0x25, 0, 0, 0, 0, 0, 0, 0, 0, 0])[..4], [0xFF; 4]);
    assert_eq!(rig.code(1, 0, &[0x25, 0, 0, 0, 0, 1, 0, 0, 0, 0]), Some(SenseCode::INVALID_FIELD_IN_CDB));
}

#[test]
fn the_list_of_units_has_its_full_length_whatever_room_there_is() {
    let mut rig = Rig::ready(512);
    let list = |select, room| [0xA0, 0, select, 0, 0, 0, 0, 0, 0, room, 0, 0];
    assert_eq!(rig.data(0, &list(0, 16)), [0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(rig.data(0, &list(1, 64)), [&[0, 0, 0, 8, 0, 0, 0, 0][..], &Lun::REPORT_LUNS.0].concat());
    assert_eq!(rig.data(0, &list(2, 64))[3], 24);
    assert_eq!(rig.code(1, 0, &list(0, 15)), Some(SenseCode::INVALID_FIELD_IN_CDB));
    let response = rig.run(nexus(9), Lun::REPORT_LUNS, &list(0, 64), Transfer::In(64), &[]);
    assert_eq!((response.status, response.data_in[3]), (ScsiStatus::GOOD, 16), "the well-known unit");
}

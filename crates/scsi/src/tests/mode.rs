//! MODE SENSE and MODE SELECT.

use crate::rig::{Rig, cdb_10, lun_of};
use crate::{SenseCode, Transfer};

const MODE_SELECT: u8 = 0x15;

/// Returns the parameter list of MODE SELECT(6) with the control page of these bytes 2 and 4.
fn control(sense: u8, protect: u8) -> [u8; 16] {
    [0, 0, 0, 0, 0x0A, 10, 0x02 | sense, 0x10, protect, 0, 0, 0, 0xFF, 0xFF, 0, 0]
}

#[test]
fn both_headers_have_the_length_of_what_follows() {
    let mut rig = Rig::ready(512);
    let short = rig.data(0, &[0x1A, 0, 0x3F, 0, 255, 0]);
    assert_eq!((usize::from(short[0]), short[2], short[3]), (short.len() - 1, 0x10, 8));
    assert_eq!(short[4..12], [0, 0, 3, 232, 0, 0, 2, 0]);
    let long = rig.data(0, &[0x5A, 0x08, 0x3F, 0xFF, 0, 0, 0, 1, 0, 0]);
    assert_eq!((usize::from(long[1]), long[7]), (long.len() - 2, 0));
    assert_eq!(long[8..], short[12..]);
    let (mut pages, mut rest) = (Vec::new(), &long[8..]);
    while let [page, bytes, ..] = *rest {
        pages.push(page);
        rest = &rest[2 + usize::from(bytes)..];
    }
    assert_eq!(pages, [0x02, 0x08, 0x0A, 0x1C]);
}

#[test]
fn a_page_that_is_not_there_and_saved_values_are_refused() {
    let mut rig = Rig::ready(512);
    assert_eq!(rig.code(1, 0, &[0x1A, 0, 0x05, 0, 255, 0]), Some(SenseCode::INVALID_FIELD_IN_CDB));
    assert_eq!(rig.code(1, 0, &[0x1A, 0, 0x0A, 1, 255, 0]), Some(SenseCode::INVALID_FIELD_IN_CDB));
    assert_eq!(rig.code(1, 0, &[0x1A, 0, 0xCA, 0, 255, 0]), Some(SenseCode::SAVING_NOT_SUPPORTED));
}

#[test]
fn descriptor_sense_and_write_protection_are_switched_and_others_notice() {
    let mut rig = Rig::ready(512);
    rig.admit(2);
    let list = control(0x04, 0x08);
    assert_eq!(rig.send(1, 0, &[MODE_SELECT, 0x10, 0, 0, 16, 0], &list), None);
    assert_eq!(rig.code(2, 0, &[0; 6]), Some(SenseCode::MODE_PARAMETERS_CHANGED));
    assert_eq!(rig.code(1, 0, &[0; 6]), None, "not the one that changed them");
    let write = cdb_10(0x2A, 0, 0, 1);
    let response = rig.run(crate::rig::nexus(1), lun_of(0), &write, Transfer::Out(512), &[1; 512]);
    assert_eq!(response.sense[..4], [0x72, 0x07, 0x27, 0x02]);
    assert_eq!(rig.data(0, &[0x1A, 0x08, 0x0A, 0, 255, 0])[2], 0x90);
    assert_eq!(rig.send(1, 0, &[MODE_SELECT, 0x10, 0, 0, 16, 0], &control(0, 0)), None);
    assert_eq!(rig.send(1, 0, &write, &[1; 512]), None);
}

#[test]
fn nothing_is_applied_of_a_list_with_a_mistake() {
    let mut rig = Rig::ready(512);
    let before = rig.data(0, &[0x1A, 0, 0x3F, 0, 255, 0]);
    let good = control(0x04, 0x08);
    let mut unchangeable = good.to_vec();
    unchangeable.extend([0x1C, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    let mut unknown = good.to_vec();
    unknown.extend([0x05, 2, 0, 0]);
    let lists: [(&[u8], SenseCode); 5] = [
        (&unchangeable, SenseCode::INVALID_FIELD_IN_LIST),
        (&unknown, SenseCode::INVALID_FIELD_IN_LIST),
        (&good[..15], SenseCode::PARAMETER_LIST_LENGTH),
        (&good[..3], SenseCode::PARAMETER_LIST_LENGTH),
        (&[0, 1, 0, 0], SenseCode::INVALID_FIELD_IN_LIST),
    ];
    for (list, code) in lists {
        assert_eq!(rig.send(1, 0, &[MODE_SELECT, 0x10, 0, 0, list.len() as u8, 0], list), Some(code));
    }
    for options in [0x00, 0x11] {
        let code = rig.send(1, 0, &[MODE_SELECT, options, 0, 0, 16, 0], &good);
        assert_eq!(code, Some(SenseCode::INVALID_FIELD_IN_CDB), "PF off, SP on");
    }
    assert_eq!(rig.data(0, &[0x1A, 0, 0x3F, 0, 255, 0]), before);
}

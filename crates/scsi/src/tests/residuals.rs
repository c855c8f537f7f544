//! Data longer or shorter than the initiator announced.

use crate::rig::{Rig, cdb_10, cdb_16, code, lun_of, nexus};
use crate::{Lun, Residual, ScsiStatus, SenseCode, Transfer, Transmit};
use halftrack_base::Time;

const LUN: Lun = lun_of(0);

/// The cases of the public test suite.
#[test]
fn a_read_of_a_block_has_the_residual_of_the_expected_length() {
    let mut rig = Rig::ready(512);
    for (room, residual) in [
        (0, Residual::Over(512)),
        (200, Residual::Over(312)),
        (512, Residual::None),
        (10_000, Residual::Under(9488)),
    ] {
        let response = rig.run(nexus(1), LUN, &cdb_10(0x28, 0, 0, 1), Transfer::In(room), &[]);
        assert_eq!((response.status, response.residual), (ScsiStatus::GOOD, residual));
        assert_eq!(response.data_in.len() as u32, room.min(512));
    }
    let response = rig.run(nexus(1), LUN, &cdb_10(0x28, 0, 0, 1), Transfer::None, &[]);
    assert_eq!(response.residual, Residual::Over(512));
    let response = rig.run(nexus(1), LUN, &[0; 6], Transfer::In(100), &[]);
    assert_eq!(response.residual, Residual::Under(100));
    let response = rig.run(nexus(1), LUN, &[0x12, 0, 0, 0, 5, 0], Transfer::In(96), &[]);
    assert_eq!(response.residual, Residual::Under(91), "the allocation length counts");
}

#[test]
fn a_short_write_stores_whole_blocks_only() {
    let mut rig = Rig::ready(512);
    let response = rig.run(nexus(1), LUN, &cdb_10(0x2A, 0, 0, 3), Transfer::Out(1100), &[9; 1100]);
    assert_eq!((response.status, response.residual), (ScsiStatus::GOOD, Residual::Over(436)));
    let read = rig.data(0, &cdb_10(0x28, 0, 0, 3));
    assert_eq!((read[1023], read[1024]), (9, 0));
    let response = rig.run(nexus(1), LUN, &cdb_10(0x2A, 0, 10, 1), Transfer::Out(4096), &[9; 4096]);
    assert_eq!(response.residual, Residual::Under(3584));
    assert_eq!(rig.data(0, &cdb_10(0x28, 0, 11, 1)), [0; 512], "surplus is not stored");
    let response = rig.run(nexus(1), LUN, &cdb_10(0x2A, 0, 10, 1), Transfer::In(512), &[]);
    assert_eq!(response.residual, Residual::Over(512), "no data-out at all");
}

#[test]
fn compare_and_write_refuses_another_length() {
    let mut rig = Rig::ready(512);
    let mut cdb = cdb_16(0x89, 0, 0, 0);
    cdb[13] = 1;
    for bytes in [0, 512, 1023, 2048] {
        assert_eq!(rig.send(1, 0, &cdb, &vec![0; bytes]), Some(SenseCode::INVALID_FIELD_IN_CDB));
    }
    assert_eq!(rig.send(1, 0, &cdb, &[0; 1024]), None);
}

#[test]
fn data_of_another_length_than_was_fetched_is_not_written() {
    let mut rig = Rig::ready(512);
    for bytes in [0, 511, 513, 5000] {
        let id = rig.begin(nexus(1), LUN, &cdb_10(0x2A, 0, 0, 1), Transfer::Out(512));
        assert_eq!(rig.target.poll_transmit(), Some(Transmit::DataOut { task: id, bytes: 512 }));
        rig.target.handle_data_out(Time::ZERO, id, &vec![1; bytes]);
        let Some(Transmit::Response { response, .. }) = rig.target.poll_transmit() else { panic!("no end") };
        assert_eq!(code(&response), Some(SenseCode::DATA_PHASE_ERROR));
    }
    assert_eq!(rig.data(0, &cdb_10(0x28, 0, 0, 1)), [0; 512]);
}

#[test]
fn a_refused_write_fetches_nothing() {
    let mut rig = Rig::ready(512);
    rig.begin(nexus(1), LUN, &cdb_10(0x2A, 0, 1000, 1), Transfer::Out(512));
    let Some(Transmit::Response { response, .. }) = rig.target.poll_transmit() else { panic!("no end") };
    assert_eq!(
        (code(&response), response.residual),
        (Some(SenseCode::LBA_OUT_OF_RANGE), Residual::Under(512))
    );
}

//! Units that an initiator sees, and the order of unit attentions.

use halftrack_base::Time;

use crate::rig::{Rig, cdb_10, lun_of, nexus};
use crate::{Masking, SenseCode, Transfer, Transmit};

#[test]
fn a_unit_that_is_not_there_has_the_answers_of_spc() {
    let mut rig = Rig::ready(512);
    assert_eq!(rig.data(5, &[0x12, 0, 0, 0, 96, 0])[0], 0x7F);
    assert_eq!(rig.data(5, &[0x03, 0, 0, 0, 18, 0])[12], 0x25);
    assert_eq!(rig.data(5, &[0xA0, 0, 0, 0, 0, 0, 0, 0, 0, 64, 0, 0])[3], 16);
    for cdb in [&[0; 6][..], &cdb_10(0x28, 0, 0, 1), &[0xFF; 16], &[]] {
        assert_eq!(rig.code(1, 5, cdb), Some(SenseCode::UNIT_NOT_SUPPORTED));
    }
}

#[test]
fn masking_hides_units_and_gives_them_their_numbers() {
    let mut rig = Rig::ready(512);
    let mut masking = Masking::default();
    masking.show(nexus(1), lun_of(300), 1);
    masking.show(nexus(2), lun_of(0), 0);
    masking.show(nexus(2), lun_of(1), 7);
    rig.target.set_masking(Time::ZERO, masking);
    assert_eq!(rig.code(1, 0, &[0; 6]), Some(SenseCode::UNIT_NOT_SUPPORTED));
    assert_eq!(rig.code(1, 300, &[0; 6]), Some(SenseCode::REPORTED_LUNS_CHANGED));
    let list = rig.data(300, &[0xA0, 0, 0, 0, 0, 0, 0, 0, 0, 64, 0, 0]);
    assert_eq!(list[8..], lun_of(300).0);
    assert_eq!(rig.send(1, 300, &cdb_10(0x2A, 0, 0, 1), &[3; 512]), None);
    assert_eq!(rig.code(2, 1, &[0; 6]), Some(SenseCode::UNIT_NOT_SUPPORTED), "a unit of a wrong masking");
    let mut empty =
        rig.run(nexus(3), lun_of(0), &[0xA0, 0, 0, 0, 0, 0, 0, 0, 0, 64, 0, 0], Transfer::In(64), &[]);
    assert_eq!(empty.data_in.split_off(3), [0; 5]);
}

/// A port's view replaces that of everybody, and a host's own that of its port.
#[test]
fn a_port_shows_units_of_its_own() {
    let mut rig = Rig::ready(512);
    let mut masking = Masking::default();
    masking.show_to_everybody(lun_of(0), 0);
    masking.show_at(2, lun_of(1), 1);
    masking.show(nexus(3), lun_of(7), 1);
    rig.target.set_masking(Time::ZERO, masking);
    let at = |initiator, target_port| crate::Nexus { initiator, target_port };
    let cdb = [0x12, 0, 0, 0, 96, 0];
    for (nexus, lun, is_there) in [
        (at(1, 1), 0, true),
        (at(1, 2), 0, false),
        (at(1, 2), 1, true),
        (nexus(3), 7, true),
        (nexus(3), 0, false),
    ] {
        let response = rig.run(nexus, lun_of(lun), &cdb, Transfer::In(96), &[]);
        assert_eq!(response.data_in[0] == 0, is_there, "{nexus:?} {lun}");
    }
}

/// A read takes the buffer that was lent; its data are there once more for a transport that lost them.
#[test]
fn a_read_uses_the_buffer_lent_and_can_be_repeated() {
    let mut rig = Rig::ready(512);
    assert_eq!(rig.send(1, 0, &cdb_10(0x2A, 0, 3, 1), &[5; 512]), None);
    let mut buffer = Vec::with_capacity(4096);
    let place = buffer.as_ptr();
    rig.target.lend(&mut buffer);
    let read = cdb_10(0x28, 0, 3, 1);
    let response = rig.run(nexus(1), lun_of(0), &read, Transfer::In(512), &[]);
    assert_eq!((response.data_in.as_ptr(), &response.data_in[..]), (place, &[5; 512][..]));
    assert_eq!(rig.target.read_again(nexus(1), lun_of(0), &read, 512), Some(vec![5; 512]));
    assert_eq!(rig.target.read_again(nexus(1), lun_of(0), &cdb_10(0x2A, 0, 3, 1), 512), None, "no read");
    assert_eq!(rig.target.read_again(nexus(1), lun_of(0), &cdb_10(0x28, 0, u32::MAX, 1), 512), None);
    assert_eq!(rig.target.read_again(nexus(1), lun_of(9), &read, 512), None, "no unit");
}

#[test]
fn attentions_come_one_a_command_and_not_before_inquiry() {
    let mut rig = Rig::new([crate::MemoryBlocks::new(512, 10)]);
    let sense = [0x03, 0, 0, 0, 18, 0];
    assert_eq!(rig.code(1, 0, &[0x12, 0, 0, 0, 96, 0]), None);
    assert_eq!(rig.code(1, 0, &[0xFF; 16]), Some(SenseCode::POWER_ON_OR_RESET), "before the opcode counts");
    assert_eq!(rig.code(1, 0, &[0xFF; 16]), Some(SenseCode::INVALID_OPCODE));
    let mut masking = Masking::default();
    masking.show_to_everybody(lun_of(0), 0);
    rig.target.set_masking(Time::ZERO, masking.clone());
    assert_eq!(rig.data(0, &sense)[12..14], [0, 0], "no change");
    masking.show_to_everybody(lun_of(1), 0);
    rig.target.set_masking(Time::ZERO, masking.clone());
    assert_eq!(rig.data(0, &sense)[12..14], [0x3F, 0x0E], "REQUEST SENSE takes it");
    assert_eq!(rig.data(0, &sense)[12..14], [0, 0]);
    masking.show_to_everybody(lun_of(2), 0);
    rig.target.set_masking(Time::ZERO, masking);
    rig.data(0, &[0xA0, 0, 0, 0, 0, 0, 0, 0, 0, 64, 0, 0]);
    assert_eq!(rig.code(1, 0, &[0; 6]), None, "REPORT LUNS has reported it");
}

#[test]
fn a_stopped_unit_is_not_ready_until_it_is_started() {
    let mut rig = Rig::ready(512);
    assert_eq!(rig.code(1, 0, &[0x1B, 0, 0, 0, 0, 0]), None);
    assert_eq!(rig.code(1, 0, &[0; 6]), Some(SenseCode::STOPPED));
    assert_eq!(rig.code(1, 0, &cdb_10(0x28, 0, 0, 1)), Some(SenseCode::STOPPED));
    assert_eq!(rig.code(1, 1, &[0; 6]), None, "the other unit");
    assert_eq!(rig.code(1, 0, &[0x1B, 0, 0, 0, 0x02, 0]), Some(SenseCode::INVALID_FIELD_IN_CDB), "eject");
    assert_eq!(rig.code(1, 0, &[0x1B, 0, 0, 0, 1, 0]), None);
    assert_eq!(rig.code(1, 0, &cdb_10(0x28, 0, 0, 1)), None);
}

#[test]
fn a_task_in_a_unit_that_is_hidden_writes_nothing_more() {
    let mut rig = Rig::ready(512);
    let id = rig.begin(nexus(1), lun_of(0), &cdb_10(0x2A, 0, 0, 1), Transfer::Out(512));
    rig.target.poll_transmit();
    let mut masking = Masking::default();
    masking.show_to_everybody(lun_of(0), 1);
    rig.target.set_masking(Time::ZERO, masking.clone());
    assert_eq!(rig.target.poll_transmit(), Some(Transmit::Aborted { task: id }));
    rig.target.handle_data_out(Time::ZERO, id, &[1; 512]);
    assert_eq!(rig.target.poll_transmit(), None);
    masking.show_to_everybody(lun_of(0), 0);
    rig.target.set_masking(Time::ZERO, masking);
    rig.admit(1);
    assert_eq!(rig.data(0, &cdb_10(0x28, 0, 0, 1)), [0; 512]);
}

//! Target port groups and their states.

use crate::rig::{Rig, cdb_10, code, lun_of, nexus};
use crate::{AccessState, Lun, Nexus, SenseCode, Transfer};

const LUN: Lun = lun_of(0);

/// Returns REPORT TARGET PORT GROUPS.
const fn report(format: u8) -> [u8; 12] {
    [0xA3, format << 5 | 0x0A, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]
}

/// Demands a state of a group by SET TARGET PORT GROUPS.
fn set(rig: &mut Rig, state: u8, group: u8) -> Option<SenseCode> {
    rig.send(1, 0, &[0xA4, 0x0A, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0], &[0, 0, 0, 0, state, 0, 0, group])
}

#[test]
fn the_report_has_each_group_with_its_ports() {
    let mut rig = Rig::ready(512);
    let groups = [0, 0x8F, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0x8F, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2];
    assert_eq!(rig.data(0, &report(0)), [&[0, 0, 0, 24][..], &groups].concat());
    assert_eq!(rig.data(0, &report(1)), [&[0, 0, 0, 28, 0x10, 0, 0, 0][..], &groups].concat());
    assert_eq!(rig.code(1, 0, &report(2)), Some(SenseCode::INVALID_FIELD_IN_CDB));
}

#[test]
fn each_state_lets_its_commands_through_and_others_have_its_sense() {
    for (state, code_of_state) in [
        (AccessState::ActiveNonOptimized, None),
        (AccessState::Standby, Some(SenseCode::PORT_STANDBY)),
        (AccessState::Unavailable, Some(SenseCode::PORT_UNAVAILABLE)),
        (AccessState::Transitioning, Some(SenseCode::ACCESS_STATE_TRANSITION)),
    ] {
        let mut rig = Rig::ready(512);
        let other_port = Nexus { target_port: 2, ..nexus(1) };
        let run = |rig: &mut Rig, cdb: &[u8]| code(&rig.run(other_port, LUN, cdb, Transfer::In(512), &[]));
        while run(&mut rig, &[0; 6]).is_some() {}
        rig.target.set_access_state(2, state);
        assert_eq!(run(&mut rig, &[0; 6]), Some(SenseCode::ACCESS_STATE_CHANGED));
        for cdb in [&report(0)[..], &[0x12, 0, 0, 0, 96, 0], &[0x03, 0, 0, 0, 18, 0]] {
            assert_eq!(run(&mut rig, cdb), None, "{state:?}");
        }
        for cdb in [&[0; 6][..], &cdb_10(0x28, 0, 0, 1), &cdb_10(0x2F, 0, 0, 1)] {
            assert_eq!(run(&mut rig, cdb), code_of_state, "{state:?}");
        }
        for cdb in [&[0x1A, 0, 0x3F, 0, 255, 0][..], &[0x5E, 0, 0, 0, 0, 0, 0, 1, 0, 0]] {
            let is_let_through = state == AccessState::Standby;
            assert_eq!(run(&mut rig, cdb), code_of_state.filter(|_| !is_let_through), "{state:?}");
        }
        assert_eq!(rig.code(1, 0, &[0; 6]), Some(SenseCode::ACCESS_STATE_CHANGED));
        assert_eq!(rig.code(1, 0, &cdb_10(0x28, 0, 0, 1)), None, "the other group");
    }
}

#[test]
fn a_command_sets_the_state_and_all_others_see_it() {
    let mut rig = Rig::ready(512);
    rig.admit(2);
    assert_eq!(set(&mut rig, 2, 2), None);
    assert_eq!(rig.data(0, &report(0))[16..22], [2, 0x8F, 0, 2, 0, 1]);
    assert_eq!(rig.code(1, 0, &[0; 6]), None);
    assert_eq!(rig.code(2, 0, &[0; 6]), Some(SenseCode::ACCESS_STATE_CHANGED));
    assert_eq!(rig.code(2, 1, &[0; 6]), Some(SenseCode::ACCESS_STATE_CHANGED), "of every unit");
    assert_eq!(set(&mut rig, 2, 2), None);
    assert_eq!(rig.code(2, 0, &[0; 6]), None, "no change");
    for (state, group) in [(0x0E, 1), (0x0F, 1), (4, 1), (0, 3)] {
        assert_eq!(set(&mut rig, state, group), Some(SenseCode::INVALID_FIELD_IN_LIST));
    }
    assert_eq!(set(&mut rig, 2, 1), None, "its own port");
    assert_eq!(rig.code(1, 0, &[0; 6]), Some(SenseCode::PORT_STANDBY));
    assert_eq!(set(&mut rig, 0, 1), None, "and back");
    assert_eq!(rig.code(1, 0, &[0; 6]), None);
}

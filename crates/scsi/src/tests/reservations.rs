//! Persistent reservations, and RESERVE(6).

use halftrack_base::Time;

use crate::limits::REGISTRATIONS_MAX;
use crate::rig::{Rig, cdb_10, code, lun_of, nexus};
use crate::{Lun, Nexus, ScsiStatus, SenseCode, Transfer, Transmit};

const REGISTER: u8 = 0;
const RESERVE: u8 = 1;
const RELEASE: u8 = 2;
const CLEAR: u8 = 3;
const PREEMPT: u8 = 4;
const PREEMPT_AND_ABORT: u8 = 5;
const REGISTER_AND_IGNORE: u8 = 6;
const TYPES: [u8; 6] = [1, 3, 5, 6, 7, 8];
const LUN: Lun = lun_of(0);

fn cdb(action: u8, kind: u8) -> [u8; 10] {
    [0x5F, action, kind, 0, 0, 0, 0, 0, 24, 0]
}

fn list(key: u64, service_key: u64, flags: u8) -> Vec<u8> {
    [&key.to_be_bytes()[..], &service_key.to_be_bytes(), &[0, 0, 0, 0, flags, 0, 0, 0]].concat()
}

/// Carries out a service action of PERSISTENT RESERVE OUT.
fn out(rig: &mut Rig, initiator: u64, action: u8, kind: u8, keys: (u64, u64)) -> ScsiStatus {
    let list = list(keys.0, keys.1, 0);
    rig.run(nexus(initiator), LUN, &cdb(action, kind), Transfer::Out(24), &list).status
}

fn status(rig: &mut Rig, initiator: u64, cdb: &[u8], transfer: Transfer) -> ScsiStatus {
    rig.run(nexus(initiator), LUN, cdb, transfer, &[0; 4096]).status
}

fn report(rig: &mut Rig, action: u8) -> Vec<u8> {
    rig.data(0, &[0x5E, action, 0, 0, 0, 0, 0, 1, 0, 0])
}

/// Creates a target with initiators 1 (registered with key 1), 2 (key 2) and 3 (not registered).
fn registered() -> Rig {
    let mut rig = Rig::ready(512);
    for initiator in 1..=3 {
        rig.admit(initiator);
    }
    for initiator in 1..=2 {
        assert_eq!(out(&mut rig, initiator, REGISTER, 0, (0, initiator)), ScsiStatus::GOOD);
    }
    rig
}

/// Returns the next unit attention of initiators 1 to 3.
fn attentions(rig: &mut Rig) -> [Option<SenseCode>; 3] {
    [1, 2, 3].map(|initiator| code(&rig.run(nexus(initiator), LUN, &[0x00; 6], Transfer::None, &[])))
}

/// The table of the standards: for a registered and an unregistered nexus that does not hold the reservation.
#[test]
fn the_table_of_conflicts_holds_for_every_type() {
    let free: [&[u8]; 7] = [
        &[0x12, 0, 0, 0, 96, 0],
        &[0xA0, 0, 0, 0, 0, 0, 0, 0, 0, 64, 0, 0],
        &[0x03, 0, 0, 0, 18, 0],
        &[0; 6],
        &[0x25, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        &[0x5E, 0, 0, 0, 0, 0, 0, 1, 0, 0],
        &[0x1B, 0, 0, 0, 1, 0],
    ];
    let reads: [&[u8]; 3] = [&cdb_10(0x28, 0, 0, 1), &cdb_10(0x2F, 0, 0, 1), &cdb_10(0x34, 0, 0, 1)];
    let changes: [&[u8]; 6] = [
        &cdb_10(0x2A, 0, 0, 1),
        &cdb_10(0x41, 0, 0, 1),
        &cdb_10(0x42, 0, 0, 0),
        &cdb_10(0x35, 0, 0, 1),
        &[0x1A, 0, 0x3F, 0, 255, 0],
        &[0x1B, 0, 0, 0, 0, 0],
    ];
    for kind in TYPES {
        for initiator in [2, 3] {
            let is_admitted = kind >= 5 && initiator == 2;
            let excludes_reads = matches!(kind, 3 | 6 | 8);
            let table = [
                (&free[..], false),
                (&reads[..], excludes_reads && !is_admitted),
                (&changes[..], !is_admitted),
            ];
            for (commands, conflicts) in table {
                for command in commands {
                    let mut rig = registered();
                    assert_eq!(out(&mut rig, 1, RESERVE, kind, (1, 0)), ScsiStatus::GOOD);
                    let is_data_out = matches!(command[0], 0x2A | 0x41);
                    let transfer = if is_data_out { Transfer::Out(512) } else { Transfer::In(4096) };
                    let expected =
                        if conflicts { ScsiStatus::RESERVATION_CONFLICT } else { ScsiStatus::GOOD };
                    let found = status(&mut rig, initiator, command, transfer);
                    assert_eq!(found, expected, "type {kind}, initiator {initiator}, {command:02X?}");
                    assert_eq!(status(&mut rig, 1, command, transfer), ScsiStatus::GOOD, "the holder");
                    for legacy in [0x16, 0x17] {
                        let found = status(&mut rig, initiator, &[legacy, 0, 0, 0, 0, 0], Transfer::None);
                        assert_eq!(found, ScsiStatus::RESERVATION_CONFLICT, "RESERVE(6) and RELEASE(6)");
                    }
                }
            }
        }
    }
}

#[test]
fn a_wrong_key_or_none_conflicts_and_changes_nothing() {
    let mut rig = registered();
    let before = report(&mut rig, 3);
    for (initiator, action, keys) in [
        (1, REGISTER, (9, 5)),
        (3, REGISTER, (9, 5)),
        (1, RESERVE, (2, 0)),
        (3, RESERVE, (0, 0)),
        (1, RELEASE, (9, 0)),
        (3, CLEAR, (0, 0)),
        (1, PREEMPT, (1, 77)),
    ] {
        let found = out(&mut rig, initiator, action, 1, keys);
        assert_eq!(found, ScsiStatus::RESERVATION_CONFLICT, "{initiator} {action}");
    }
    assert_eq!(report(&mut rig, 3), before);
    assert_eq!(attentions(&mut rig), [None; 3]);
}

#[test]
fn only_changes_of_registrations_count_as_generations() {
    let mut rig = registered();
    let generation = |rig: &mut Rig| report(rig, 0)[3];
    assert_eq!(generation(&mut rig), 2);
    assert_eq!(out(&mut rig, 1, RESERVE, 1, (1, 0)), ScsiStatus::GOOD);
    assert_eq!(out(&mut rig, 1, RELEASE, 1, (1, 0)), ScsiStatus::GOOD);
    assert_eq!(generation(&mut rig), 2);
    assert_eq!(out(&mut rig, 3, REGISTER_AND_IGNORE, 0, (99, 3)), ScsiStatus::GOOD);
    assert_eq!(out(&mut rig, 1, PREEMPT, 1, (1, 3)), ScsiStatus::GOOD);
    assert_eq!(out(&mut rig, 1, CLEAR, 1, (1, 0)), ScsiStatus::GOOD);
    assert_eq!(generation(&mut rig), 5);
}

#[test]
fn a_release_is_of_the_holder_and_of_its_type() {
    for kind in TYPES {
        let mut rig = registered();
        assert_eq!(out(&mut rig, 1, RESERVE, kind, (1, 0)), ScsiStatus::GOOD);
        assert_eq!(out(&mut rig, 1, RESERVE, kind, (1, 0)), ScsiStatus::GOOD, "again");
        let others = if kind >= 7 { ScsiStatus::GOOD } else { ScsiStatus::RESERVATION_CONFLICT };
        assert_eq!(out(&mut rig, 2, RESERVE, kind, (2, 0)), others);
        if kind < 7 {
            assert_eq!(out(&mut rig, 2, RELEASE, kind, (2, 0)), ScsiStatus::GOOD, "no holder: no effect");
        }
        assert_eq!(report(&mut rig, 1)[21], kind);
        let other_kind = if kind == 1 { 3 } else { 1 };
        let list = list(1, 0, 0);
        assert_eq!(rig.send(1, 0, &cdb(RELEASE, other_kind), &list), Some(SenseCode::INVALID_RELEASE));
        assert_eq!(out(&mut rig, 1, RELEASE, kind, (1, 0)), ScsiStatus::GOOD);
        assert_eq!(report(&mut rig, 1).len(), 8);
        let released = (kind >= 5).then_some(SenseCode::RESERVATIONS_RELEASED);
        assert_eq!(attentions(&mut rig), [None, released, None], "type {kind}");
    }
}

#[test]
fn a_holder_that_leaves_ends_the_reservation_unless_all_hold_it() {
    for kind in TYPES {
        let mut rig = registered();
        assert_eq!(out(&mut rig, 1, RESERVE, kind, (1, 0)), ScsiStatus::GOOD);
        assert_eq!(out(&mut rig, 1, REGISTER, 0, (1, 0)), ScsiStatus::GOOD);
        let is_of_all = kind >= 7;
        assert_eq!(report(&mut rig, 1).len() > 8, is_of_all);
        let released = matches!(kind, 5 | 6).then_some(SenseCode::RESERVATIONS_RELEASED);
        assert_eq!(attentions(&mut rig), [None, released, None], "type {kind}");
        assert_eq!(out(&mut rig, 2, REGISTER, 0, (2, 0)), ScsiStatus::GOOD);
        assert_eq!(report(&mut rig, 1).len(), 8, "no registrant is left");
    }
}

#[test]
fn preempting_the_holder_makes_the_preemptor_the_holder() {
    for kind in TYPES {
        let mut rig = registered();
        assert_eq!(out(&mut rig, 1, RESERVE, kind, (1, 0)), ScsiStatus::GOOD);
        let key = if kind >= 7 { 0 } else { 1 };
        assert_eq!(out(&mut rig, 2, PREEMPT, 3, (2, key)), ScsiStatus::GOOD, "type {kind}");
        assert_eq!(attentions(&mut rig), [Some(SenseCode::REGISTRATIONS_PREEMPTED), None, None]);
        assert_eq!(report(&mut rig, 0)[7..], [&[8][..], &2_u64.to_be_bytes()].concat());
        assert_eq!(report(&mut rig, 1)[8..], [0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 3, 0, 0]);
    }
    let mut rig = registered();
    assert_eq!(rig.send(1, 0, &cdb(PREEMPT, 1), &list(1, 0, 0)), Some(SenseCode::INVALID_FIELD_IN_LIST));
}

#[test]
fn clear_leaves_nothing_and_the_others_see_it() {
    let mut rig = registered();
    assert_eq!(out(&mut rig, 1, RESERVE, 3, (1, 0)), ScsiStatus::GOOD);
    assert_eq!(out(&mut rig, 2, CLEAR, 0, (2, 0)), ScsiStatus::GOOD);
    assert_eq!(attentions(&mut rig), [Some(SenseCode::RESERVATIONS_PREEMPTED), None, None]);
    assert_eq!((report(&mut rig, 0).len(), report(&mut rig, 1).len()), (8, 8));
}

#[test]
fn preempt_and_abort_ends_the_tasks_of_its_victims_first() {
    let mut rig = registered();
    let open = rig.begin(nexus(1), LUN, &cdb_10(0x2A, 0, 0, 1), Transfer::Out(512));
    rig.target.poll_transmit();
    let id = rig.begin(nexus(2), LUN, &cdb(PREEMPT_AND_ABORT, 1), Transfer::Out(24));
    rig.target.poll_transmit();
    rig.target.handle_data_out(Time::ZERO, id, &list(2, 1, 0));
    assert_eq!(rig.target.poll_transmit(), Some(Transmit::Aborted { task: open }));
    assert!(matches!(rig.target.poll_transmit(), Some(Transmit::Response { task, .. }) if task == id));
}

#[test]
fn full_status_names_each_nexus_by_its_port() {
    let mut rig = registered();
    assert_eq!(out(&mut rig, 2, RESERVE, 5, (2, 0)), ScsiStatus::GOOD);
    let data = report(&mut rig, 3);
    assert_eq!((data.len(), data[7]), (8 + 2 * 48, 96));
    assert_eq!((data[20], data[68], data[69]), (0, 1, 5), "the second holds it");
    assert_eq!(data[26..32], [0, 1, 0, 0, 0, 24]);
    assert_eq!(data[40..48], 1_u64.to_be_bytes());
    for action in 4..32 {
        assert_eq!(
            rig.code(1, 0, &[0x5E, action, 0, 0, 0, 0, 0, 1, 0, 0]),
            Some(SenseCode::INVALID_FIELD_IN_CDB)
        );
    }
}

#[test]
fn lists_and_cdbs_with_a_mistake_are_refused() {
    let mut rig = registered();
    let mut long = cdb(REGISTER, 0);
    long[8] = 32;
    assert_eq!(rig.send(1, 0, &long, &[0; 32]), Some(SenseCode::PARAMETER_LIST_LENGTH));
    assert_eq!(rig.send(1, 0, &cdb(REGISTER, 0), &[0; 16]), Some(SenseCode::PARAMETER_LIST_LENGTH));
    for flags in [0x04, 0x08] {
        let sent = rig.send(1, 0, &cdb(REGISTER, 0), &list(1, 2, flags));
        assert_eq!(sent, Some(SenseCode::INVALID_FIELD_IN_LIST));
    }
    for kind in [0, 2, 4, 9, 0x11] {
        assert_eq!(
            rig.send(1, 0, &cdb(RESERVE, kind), &list(1, 0, 0)),
            Some(SenseCode::INVALID_FIELD_IN_CDB)
        );
    }
    assert_eq!(rig.send(1, 0, &cdb(7, 0), &list(1, 0, 0)), Some(SenseCode::INVALID_FIELD_IN_CDB));
}

#[test]
fn registrations_are_of_a_port_and_outlive_a_lost_nexus_and_a_reset() {
    let mut rig = registered();
    assert_eq!(out(&mut rig, 1, RESERVE, 1, (1, 0)), ScsiStatus::GOOD);
    let other_port = Nexus { target_port: 2, ..nexus(1) };
    rig.run(other_port, LUN, &[0; 6], Transfer::None, &[]);
    let found = rig.run(other_port, LUN, &cdb_10(0x2A, 0, 0, 1), Transfer::Out(512), &[0; 512]);
    assert_eq!(found.status, ScsiStatus::RESERVATION_CONFLICT);
    rig.target.handle_nexus_loss(Time::ZERO, nexus(1));
    let function = crate::TaskManagement::LogicalUnitReset;
    rig.target.handle_task_management(Time::ZERO, nexus(2), LUN, function);
    rig.admit(1);
    assert_eq!(report(&mut rig, 1)[21], 1);
}

#[test]
fn reserve_6_is_of_one_nexus_until_it_releases_it_or_is_lost() {
    let mut rig = Rig::ready(512);
    rig.admit(2);
    let (reserve, release) = ([0x16, 0, 0, 0, 0, 0], [0x17, 0, 0, 0, 0, 0]);
    let none = Transfer::None;
    for step in 0..3 {
        assert_eq!(status(&mut rig, 1, &reserve, none), ScsiStatus::GOOD);
        for cdb in [&reserve[..], &[0; 6], &[0x1A, 0, 0x3F, 0, 255, 0], &cdb_10(0x28, 0, 0, 1)] {
            assert_eq!(
                status(&mut rig, 2, cdb, Transfer::In(512)),
                ScsiStatus::RESERVATION_CONFLICT,
                "{cdb:02X?}"
            );
        }
        for cdb in [&release[..], &[0x12, 0, 0, 0, 96, 0], &[0x03, 0, 0, 0, 18, 0]] {
            assert_eq!(status(&mut rig, 2, cdb, Transfer::In(512)), ScsiStatus::GOOD);
        }
        assert_eq!(
            status(&mut rig, 2, &[0; 6], none),
            ScsiStatus::RESERVATION_CONFLICT,
            "not its own to release"
        );
        match step {
            0 => assert_eq!(status(&mut rig, 1, &release, none), ScsiStatus::GOOD),
            1 => rig.target.handle_nexus_loss(Time::ZERO, nexus(1)),
            _ => {
                let function = crate::TaskManagement::LogicalUnitReset;
                rig.target.handle_task_management(Time::ZERO, nexus(2), LUN, function);
            }
        }
        rig.admit(2);
        assert_eq!(status(&mut rig, 2, &[0; 6], none), ScsiStatus::GOOD, "step {step}");
        rig.admit(1);
    }
}

#[test]
fn registrations_are_bounded_and_one_that_is_too_many_changes_nothing() {
    let mut rig = Rig::ready(512);
    let last = REGISTRATIONS_MAX as u64 + 1;
    for initiator in 1..=last {
        rig.admit(initiator);
        let sent = rig.send(initiator, 0, &cdb(REGISTER, 0), &list(0, initiator, 0));
        let refused = Some(SenseCode::INSUFFICIENT_REGISTRATION_RESOURCES);
        assert_eq!(sent, if initiator == last { refused } else { None });
    }
    assert_eq!(out(&mut rig, 1, REGISTER, 0, (1, 9)), ScsiStatus::GOOD, "a key of one that is there");
    assert_eq!(report(&mut rig, 0)[..4], (last as u32).to_be_bytes(), "generation");
}

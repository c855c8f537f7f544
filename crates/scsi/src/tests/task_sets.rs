//! Tasks of several initiators, and what ends them.

use halftrack_base::Time;

use crate::rig::{DEPTH, Rig, cdb_10, lun_of, nexus};
use crate::{Lun, Response, ResponseCode, ScsiStatus, SenseCode, TaskId, TaskManagement, Transfer, Transmit};

const LUN: Lun = lun_of(0);
const WRITE: [u8; 10] = [0x2A, 0, 0, 0, 0, 0, 0, 0, 1, 0];

/// Begins a write that waits for its data.
fn open_write(rig: &mut Rig, initiator: u64) -> TaskId {
    let id = rig.begin(nexus(initiator), LUN, &WRITE, Transfer::Out(512));
    assert_eq!(rig.target.poll_transmit(), Some(Transmit::DataOut { task: id, bytes: 512 }));
    id
}

fn manage(rig: &mut Rig, initiator: u64, function: TaskManagement) -> Vec<Transmit> {
    let result = rig.target.handle_task_management(Time::ZERO, nexus(initiator), LUN, function);
    assert_eq!(result, ResponseCode::Complete);
    std::iter::from_fn(|| rig.target.poll_transmit()).collect()
}

fn status(rig: &mut Rig, initiator: u64) -> ScsiStatus {
    rig.run(nexus(initiator), LUN, &[0; 6], Transfer::None, &[]).status
}

#[test]
fn a_full_set_ends_more_tasks_until_one_is_over() {
    let mut rig = Rig::ready(512);
    let ids: Vec<TaskId> = (0..DEPTH).map(|_| open_write(&mut rig, 1)).collect();
    assert_eq!(status(&mut rig, 1), ScsiStatus::TASK_SET_FULL);
    assert_eq!(status(&mut rig, 2), ScsiStatus::BUSY);
    rig.target.handle_data_out(Time::ZERO, ids[0], &[1; 512]);
    assert!(matches!(rig.target.poll_transmit(), Some(Transmit::Response { .. })));
    assert_eq!(status(&mut rig, 1), ScsiStatus::GOOD);
}

#[test]
fn a_task_aborted_while_its_data_arrives_writes_nothing() {
    let mut rig = Rig::ready(512);
    let id = open_write(&mut rig, 1);
    assert!(rig.target.handle_abort(Time::ZERO, id));
    assert!(!rig.target.handle_abort(Time::ZERO, id), "gone");
    rig.target.handle_data_out(Time::ZERO, id, &[1; 512]);
    assert_eq!(rig.target.poll_transmit(), None);
    assert_eq!(rig.data(0, &cdb_10(0x28, 0, 0, 1)), [0; 512]);
}

#[test]
fn each_function_ends_its_tasks_and_leaves_its_attentions() {
    use TaskManagement::{AbortTaskSet, ClearTaskSet, LogicalUnitReset, TargetReset};
    let cases = [
        (AbortTaskSet, 1, None, None),
        (ClearTaskSet, 2, None, Some(SenseCode::COMMANDS_CLEARED)),
        (LogicalUnitReset, 2, Some(SenseCode::RESET_FUNCTION), Some(SenseCode::RESET_FUNCTION)),
        (TargetReset, 2, Some(SenseCode::RESET_FUNCTION), Some(SenseCode::RESET_FUNCTION)),
    ];
    for (function, ended, own, others) in cases {
        let mut rig = Rig::ready(512);
        rig.admit(2);
        let ids = [open_write(&mut rig, 1), open_write(&mut rig, 2)];
        let expected: Vec<_> = ids[..ended].iter().map(|task| Transmit::Aborted { task: *task }).collect();
        assert_eq!(manage(&mut rig, 1, function), expected, "{function:?}");
        assert_eq!((rig.code(1, 0, &[0; 6]), rig.code(2, 0, &[0; 6])), (own, others), "{function:?}");
        let is_target = function == TargetReset;
        assert_eq!(rig.code(2, 1, &[0; 6]).is_some(), is_target, "the other unit: {function:?}");
    }
}

#[test]
fn with_task_aborted_status_only_the_tasks_of_others_end_with_it() {
    let mut rig = Rig::ready(512);
    rig.admit(2);
    let list = [0, 0, 0, 0, 0x0A, 10, 0x02, 0x10, 0, 0x40, 0, 0, 0xFF, 0xFF, 0, 0];
    assert_eq!(rig.send(1, 0, &[0x15, 0x10, 0, 0, 16, 0], &list), None);
    rig.admit(2);
    let (own, other) = (open_write(&mut rig, 1), open_write(&mut rig, 2));
    let sent = manage(&mut rig, 1, TaskManagement::ClearTaskSet);
    assert_eq!(sent[0], Transmit::Aborted { task: own });
    let is_end = |one: &Transmit| {
        matches!(one, Transmit::Response { task, response: Response { status, .. } }
        if (*task, *status) == (other, ScsiStatus::TASK_ABORTED))
    };
    assert!(is_end(&sent[1]), "{sent:?}");
}

#[test]
fn a_lost_nexus_loses_its_tasks_and_finds_an_attention() {
    let mut rig = Rig::ready(512);
    rig.admit(2);
    let (lost, kept) = (open_write(&mut rig, 1), open_write(&mut rig, 2));
    rig.target.handle_nexus_loss(Time::ZERO, nexus(1));
    assert_eq!(rig.target.poll_transmit(), Some(Transmit::Aborted { task: lost }));
    rig.target.handle_data_out(Time::ZERO, kept, &[1; 512]);
    assert!(matches!(rig.target.poll_transmit(), Some(Transmit::Response { task, .. }) if task == kept));
    assert_eq!(rig.code(1, 0, &[0; 6]), Some(SenseCode::NEXUS_LOSS));
    assert_eq!(rig.code(1, 0, &[0; 6]), None);
    assert_eq!(rig.code(2, 0, &[0; 6]), None);
}

#[test]
fn a_tag_used_again_replaces_its_task() {
    let mut rig = Rig::ready(512);
    let id = open_write(&mut rig, 1);
    let request = crate::Request {
        task: id,
        lun: LUN,
        attribute: crate::TaskAttribute::Simple,
        cdb: &[0; 6],
        transfer: Transfer::None,
    };
    rig.target.handle_command(Time::ZERO, &request);
    assert!(matches!(rig.target.poll_transmit(), Some(Transmit::Response { task, .. }) if task == id));
    assert_eq!(rig.target.poll_transmit(), None);
}

#[test]
fn functions_without_a_unit_or_a_meaning_are_refused() {
    let mut rig = Rig::ready(512);
    let mut manage = |lun, function| rig.target.handle_task_management(Time::ZERO, nexus(1), lun, function);
    let absent = lun_of(9);
    assert_eq!(manage(absent, TaskManagement::LogicalUnitReset), ResponseCode::WrongLogicalUnit);
    let clear = TaskManagement::ClearAca;
    assert_eq!(manage(LUN, clear), ResponseCode::Rejected);
}

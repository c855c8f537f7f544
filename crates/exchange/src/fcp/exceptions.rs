//! Residuals, refusals, data out of place, and task management.

use halftrack_base::Time;
use halftrack_wire::TransferReady;
use halftrack_wire::fcp::{
    AbortReject, FcpCategory, FcpIu, FcpResponse, Lun, Residual, ResponseCode, ScsiStatus, TaskManagement,
};

use super::rig::*;
use super::task_set::TaskSet;
use super::*;
use crate::outcome::{Cause, ControlUnitOutcome};

fn good(residual: Residual) -> FcpOutcome {
    ended(FcpResponse { residual, ..FcpResponse::default() })
}

/// The expectations of the FCP reference, section 1.6, for a read of one block.
#[test]
fn residuals_of_a_read() {
    for (room_bytes, residual, bytes) in [
        (0, Residual::Over(4), 0),
        (1000, Residual::Under(996), 4),
        (2, Residual::Over(2), 2),
        (4, Residual::None, 4),
    ] {
        let run = run(read(1, 1, room_bytes), agreement(false));
        assert_eq!((run.outcome, run.target), (good(residual), vec![ControlUnitOutcome::Completed]));
        assert_eq!(run.data, [4, 5, 6, 7][..bytes]);
    }
}

/// Of a write that is too short the whole blocks are stored; of one that is too long no more than it takes.
#[test]
fn residuals_of_a_write() {
    for (sent, residual, stored) in [
        (8, Residual::None, 8),
        (6, Residual::Over(2), 4),
        (12, Residual::Under(4), 8),
        (0, Residual::Over(8), 0),
    ] {
        let run = run(write(0, 2, &vec![0xEE; sent]), agreement(false));
        assert_eq!(run.outcome, good(residual), "{sent}");
        let written = run.disk.blocks.iter().filter(|octet| **octet == 0xEE).count();
        assert_eq!(written, stored, "{sent}");
    }
}

#[test]
fn a_write_comes_in_bursts_of_the_limit() {
    let run = run(write(0, 5, &[0xEE; 20]), agreement(false));
    let ready = |message: &FcpMessage| match message {
        FcpMessage::Iu(FcpIu::TransferReady(ready)) => Some((ready.relative_offset, ready.burst_bytes)),
        _ => None,
    };
    let bursts: Vec<_> = run.inbound.iter().filter_map(ready).collect();
    assert_eq!(bursts, [(0, 8), (8, 8), (16, 4)]);
    assert_eq!(run.outcome, good(Residual::None));
}

/// The target ends a write before its data move; the response is confirmed and then forgotten.
#[test]
fn an_early_check_condition_comes_with_sense() {
    let run = run(write(7, 2, &[0; 8]), agreement(false));
    let response = FcpResponse {
        status: ScsiStatus::CHECK_CONDITION,
        residual: Residual::Under(8),
        sense: SENSE.to_vec(),
        ..FcpResponse::default()
    };
    assert_eq!((run.outcome, run.disk.executed), (ended(response), 0));
    assert_eq!(run.inbound.len(), 1);
}

fn begun(request: FcpRequest) -> (FcpInitiator, TaskSet, Disk) {
    let agreement = agreement(false);
    let mut initiator = FcpInitiator::new(request, agreement, Time::ZERO);
    let (mut tasks, mut disk) = (TaskSet::default(), Disk::default());
    let command = initiator.poll_transmit().expect("a command");
    tasks.handle(&mut disk, Time::ZERO, TAG, &agreement, command);
    (initiator, tasks, disk)
}

#[test]
fn data_out_of_place_are_refused_and_never_stored() {
    for (relative_offset, bytes, code) in [
        (4, 8, ResponseCode::DataOffset),
        (0, 4, ResponseCode::DataLength),
        (0, 12, ResponseCode::DataLength),
    ] {
        let (mut initiator, mut tasks, mut disk) = begun(write(0, 3, &[0xEE; 12]));
        assert!(tasks.poll_transmit().is_some(), "a transfer ready");
        let data = FcpMessage::Iu(FcpIu::Data { relative_offset, data: vec![0xEE; bytes] });
        tasks.handle(&mut disk, Time::ZERO, TAG, &agreement(false), data);
        run_until_quiet(&mut initiator, &mut tasks, &mut disk, &agreement(false));
        assert_eq!(initiator.poll_outcome(), Some(FcpOutcome::Failed(code)));
        assert!(matches!(tasks.poll_outcome(), Some((TAG, ControlUnitOutcome::Abandoned(_)))));
        assert_eq!((disk.executed, disk.blocks), (0, Disk::default().blocks));
    }
}

/// Returns the outcome of a read or write at whose initiator this comes from the target.
fn after(request: FcpRequest, iu: FcpIu) -> Option<FcpOutcome> {
    let mut initiator = FcpInitiator::new(request, agreement(false), Time::ZERO);
    initiator.poll_transmit();
    initiator.handle(Time::ZERO, FcpMessage::Iu(iu));
    if initiator.poll_transmit() == Some(FcpMessage::Iu(FcpIu::Abort)) {
        assert_eq!(initiator.poll_outcome(), None, "ABTS is to be answered");
        initiator.handle(Time::ZERO, FcpMessage::Iu(FcpIu::AbortAccept { ox_id: 7, rx_id: 1 }));
    }
    initiator.poll_outcome()
}

#[test]
fn what_the_target_may_not_send_is_aborted() {
    let data = |relative_offset, bytes| FcpIu::Data { relative_offset, data: vec![9; bytes] };
    let ready =
        |relative_offset, burst_bytes| FcpIu::TransferReady(TransferReady { relative_offset, burst_bytes });
    let aborted = |cause| Some(FcpOutcome::Aborted(cause));
    assert_eq!(after(read(0, 1, 4), data(0, 8)), aborted(Cause::Length), "more than there is room for");
    assert_eq!(after(read(0, 1, 4), data(u32::MAX, 8)), aborted(Cause::Length));
    assert_eq!(after(read(0, 1, 4), ready(0, 4)), aborted(Cause::Protocol));
    assert_eq!(after(read(0, 1, 4), data(2, 2)), None, "a gap: the timer finds it");
    for wrong in [data(0, 4), ready(4, 4), ready(0, 0), ready(0, 12), ready(u32::MAX, 8)] {
        assert_eq!(after(write(0, 2, &[1; 8]), wrong), aborted(Cause::Protocol));
    }
    let response = FcpIu::Response(FcpResponse::default());
    assert_eq!(
        after(write(0, 2, &[1; 8]), response.clone()),
        aborted(Cause::Length),
        "nothing was requested"
    );
    assert_eq!(after(read(0, 1, 4), response), None, "the data may come yet");
}

#[test]
fn a_response_without_its_data_is_not_believed_for_ever() {
    let agreement = agreement(true);
    let mut initiator = FcpInitiator::new(read(0, 1, 4), agreement, Time::ZERO);
    let mut requests = 0;
    while !initiator.is_closed() {
        while let Some(message) = initiator.poll_transmit() {
            let now = initiator.poll_timeout().expect("a time-out");
            let state =
                crate::port::ExchangeState { has_initiative: false, is_complete: true, received_bytes: 0 };
            match message {
                FcpMessage::StateRequest => initiator.handle(now, FcpMessage::State(Ok(state))),
                FcpMessage::Retransmission { category: FcpCategory::Response, .. } => {
                    requests += 1;
                    let response = FcpIu::Response(FcpResponse::default());
                    initiator.handle(now, FcpMessage::Iu(response));
                }
                FcpMessage::Iu(FcpIu::Abort) => {
                    let reject = FcpIu::AbortReject(AbortReject::NO_SUCH_EXCHANGE);
                    initiator.handle(now, FcpMessage::Iu(reject));
                }
                _ => {}
            }
        }
        if let Some(at) = initiator.poll_timeout() {
            initiator.handle_timeout(at);
        }
    }
    assert_eq!((initiator.poll_outcome(), requests), (Some(FcpOutcome::Aborted(Cause::Timeout)), 3));
}

#[test]
fn a_command_that_cannot_be_read_is_refused() {
    let mut target = FcpTarget::new(INITIATOR, (7, 1), agreement(false), Time::ZERO);
    target.handle_damaged_command(Time::ZERO);
    let response = FcpResponse::of_code(ResponseCode::CommandFields);
    assert_eq!(target.poll_transmit(), Some(FcpMessage::Iu(FcpIu::Response(response))));
    assert_eq!(target.poll_outcome(), Some(ControlUnitOutcome::Abandoned(Cause::Protocol)));
    assert!(target.is_over());
}

fn open_writes(tasks: &mut TaskSet, disk: &mut Disk, tags: &[((u32, u16), Lun)]) {
    for (tag, unit) in tags {
        let request = FcpRequest::write(*unit, cdb(0x2A, 0, 1), vec![0xEE; 4]);
        let command = FcpMessage::Iu(FcpIu::Command(request.command()));
        tasks.handle(disk, Time::ZERO, *tag, &agreement(false), command);
        assert!(tasks.poll_transmit().is_some(), "a transfer ready");
    }
}

/// A function is answered with the code of the device; the tasks that it ends there end without a response.
#[test]
fn tasks_that_a_function_ends_have_no_response() {
    const OTHER: Lun = Lun([0, 2, 0, 0, 0, 0, 0, 0]);
    let open = [((INITIATOR, 1), UNIT), ((9, 2), UNIT), ((INITIATOR, 3), OTHER)];
    for (function, unit, code, ended) in [
        (TaskManagement::ClearTaskSet, UNIT, ResponseCode::Complete, &[(INITIATOR, 1), (9, 2)][..]),
        (TaskManagement::ClearAca, UNIT, ResponseCode::Rejected, &[]),
        (TaskManagement::LogicalUnitReset, OTHER, ResponseCode::WrongLogicalUnit, &[]),
    ] {
        let (mut tasks, mut disk) = (TaskSet::default(), Disk::ending(ended));
        open_writes(&mut tasks, &mut disk, &open);
        let mut initiator =
            FcpInitiator::new(FcpRequest::management(unit, function), agreement(false), Time::ZERO);
        let inbound = run_until_quiet(&mut initiator, &mut tasks, &mut disk, &agreement(false));
        assert_eq!((initiator.poll_outcome(), inbound.len()), (Some(FcpOutcome::Managed(code)), 1));
        let outcomes: Vec<_> = std::iter::from_fn(|| tasks.poll_outcome()).collect();
        let reset = outcomes.iter().filter(|(tag, _)| *tag != TAG).count();
        assert_eq!((reset, tasks.open()), (ended.len(), 3 - ended.len()), "{function:?}");
        assert!(outcomes.contains(&(TAG, ControlUnitOutcome::Completed)));
        for (tag, _) in open {
            let data = FcpMessage::Iu(FcpIu::Data { relative_offset: 0, data: vec![0xEE; 4] });
            tasks.handle(&mut disk, Time::ZERO, tag, &agreement(false), data);
        }
        assert_eq!(disk.executed as usize, 3 - ended.len(), "what was ended is not executed");
    }
}

#[test]
fn a_function_that_is_not_answered_is_aborted() {
    let request = FcpRequest::management(UNIT, TaskManagement::LogicalUnitReset);
    let mut initiator = FcpInitiator::new(request, agreement(true), Time::ZERO);
    let mut sent = 0;
    while !initiator.is_closed() {
        sent += std::iter::from_fn(|| initiator.poll_transmit()).count();
        initiator.handle_timeout(initiator.poll_timeout().expect("a time-out"));
    }
    assert_eq!((initiator.poll_outcome(), sent), (Some(FcpOutcome::Aborted(Cause::Timeout)), 3));
    assert!(!initiator.is_settled(), "ABTS was sent twice and not answered");
}

/// A reused exchange id ends the old exchange without a response; a logout ends those of its initiator alone.
#[test]
fn a_new_command_of_the_same_id_and_a_logout_end_tasks() {
    let (mut tasks, mut disk) = (TaskSet::default(), Disk::default());
    open_writes(&mut tasks, &mut disk, &[(TAG, UNIT), (TAG, UNIT), ((9, 7), UNIT)]);
    assert_eq!(tasks.poll_outcome(), Some((TAG, ControlUnitOutcome::Abandoned(Cause::Superseded))));
    assert_eq!(tasks.open(), 2);
    tasks.handle_logout(&mut disk, Time::ZERO, INITIATOR);
    assert_eq!(tasks.poll_outcome(), Some((TAG, ControlUnitOutcome::Abandoned(Cause::LinkDown))));
    assert_eq!((tasks.open(), tasks.poll_transmit()), (1, None));
}

#[test]
fn a_cut_link_ends_both_ends_at_once() {
    let (mut initiator, mut tasks, mut disk) = begun(write(0, 1, &[1; 4]));
    initiator.handle_link_down();
    tasks.handle_logout(&mut disk, Time::ZERO, INITIATOR);
    assert_eq!(initiator.poll_outcome(), Some(FcpOutcome::Aborted(Cause::LinkDown)));
    assert_eq!((initiator.poll_transmit(), initiator.is_settled()), (None, false));
    assert_eq!(tasks.poll_outcome(), Some((TAG, ControlUnitOutcome::Abandoned(Cause::LinkDown))));
    let mut unsent = FcpInitiator::new(read(0, 1, 4), agreement(false), Time::ZERO);
    unsent.cancel(Time::ZERO);
    assert_eq!(unsent.poll_outcome(), Some(FcpOutcome::Aborted(Cause::Cancelled)));
    assert!(unsent.is_settled() && unsent.poll_transmit().is_none(), "nothing was sent");
}

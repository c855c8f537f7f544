//! Transport mode off the plan: refusals, IUs out of place, withdrawals (Fibre Channel reference 6.6).

use std::sync::Arc;

use halftrack_base::Time;
use halftrack_program::{Operation, ProgramShape, Protocol};
use halftrack_wire::{Body, Iu, IuData, IuKind};

use crate::conversation::{IDENTITY, LOGIN, NORMAL, Scripted, key, run_until_quiet};
use crate::device::{OperationEnding, PlanDevice};
use crate::eckd_device::EckdDevice;
use crate::end::End;
use crate::outcome::{Cause, ChannelOutcome, ControlUnitOutcome};
use crate::plan::{Login, PlanKey};
use crate::program::{Program, TransportRequest};
use crate::{ChannelEnd, ControlUnitEnd};

fn request(operation: Operation, records: u16) -> TransportRequest {
    let shape = ProgramShape { operation, records, ..key(Protocol::Transport).shape };
    match Program::of_shape(&shape, Protocol::Transport, LOGIN.carrier).unwrap() {
        Program::Transport(request) => TransportRequest::clone(&request),
        Program::Command(_) | Program::Scsi(_) => panic!("transport mode is tested"),
    }
}

fn channel(request: TransportRequest, login: &Login) -> ChannelEnd {
    ChannelEnd::new(&Program::Transport(Arc::new(request)), login, IDENTITY, Time::ZERO)
}

fn control_unit(operation: Option<OperationEnding>, login: Login) -> ControlUnitEnd<Scripted> {
    let device = Scripted { operation, ..Scripted::default() };
    let key = PlanKey { login, ..key(Protocol::Transport) };
    ControlUnitEnd::new(device, &key, IDENTITY, Time::ZERO)
}

fn iu(body: Body, data: IuData) -> Iu {
    Iu { address: IDENTITY.into(), body, data }
}

fn sent(end: &mut impl End) -> Vec<IuKind> {
    std::iter::from_fn(|| end.poll_transmit().map(|(iu, _)| iu.kind())).collect()
}

#[test]
fn unit_check_comes_with_sense() {
    let check = OperationEnding {
        device_status: 0x0E,
        data: IuData::None,
        residual: 4096,
        dcw_offset: Some(0),
        program_check: None,
        sense: Some([5; 32]),
    };
    let conversation = run_until_quiet(
        &mut channel(request(Operation::Read, 1), &LOGIN),
        &mut control_unit(Some(check), LOGIN),
    );
    let outcome = ChannelOutcome::Ended {
        device_status: 0x0E,
        residual: 4096,
        sense: Some([5; 32]),
        incorrect_length: false,
        last_command: 0,
    };
    assert_eq!(conversation.channel, [outcome]);
    assert_eq!(conversation.control_unit, [ControlUnitOutcome::Completed]);
    assert_eq!(conversation.inbound, [IuKind::TransportResponse]);
}

/// The device refuses a TCCB whose counts cannot be: no transfer-ready is sent for it.
#[test]
fn a_wrong_transport_count_is_refused_at_once() {
    let mut wrong = request(Operation::UpdateWrite, 1);
    let at = wrong.tccb.len() - 1;
    wrong.tccb[at] ^= 1;
    let shape = ProgramShape { operation: Operation::UpdateWrite, ..key(Protocol::Transport).shape };
    let key = PlanKey { shape, ..key(Protocol::Transport) };
    let mut unit = ControlUnitEnd::new(EckdDevice::for_shape(&shape), &key, IDENTITY, Time::ZERO);
    let mut channel = channel(wrong, &LOGIN);
    let (command, _) = channel.poll_transmit().unwrap();
    unit.handle_iu(Time::ZERO, &command);
    let (response, _) = unit.poll_transmit().unwrap();
    assert_eq!(response.kind(), IuKind::TransportResponse);
    channel.handle_iu(Time::ZERO, &response);
    let outcome = channel.poll_outcome();
    assert!(matches!(outcome, Some(ChannelOutcome::Ended { device_status: 0x0E, .. })), "{outcome:?}");
}

#[test]
fn bursts_carry_all_of_a_write_over_several_tracks() {
    let login = Login { first_transfer_bytes: 32_768, transfer_ready_bytes: 32_768, ..LOGIN };
    let request = request(Operation::UpdateWrite, 40);
    assert_eq!(request.track_bytes.len(), 4);
    let mut unit = control_unit(None, login);
    let conversation = run_until_quiet(&mut channel(request, &login), &mut unit);
    assert!(matches!(conversation.channel[..], [ChannelOutcome::Ended { device_status: NORMAL, .. }]));
    assert_eq!(conversation.outbound.iter().filter(|kind| **kind == IuKind::TransportData).count(), 5);
    let [IuData::Bytes(written)] = &unit.device().written[..] else { panic!("octets came over the link") };
    assert_eq!(written.len(), 40 * 4096 + 3 * 4, "a check word ends each track but the last");
}

#[test]
fn a_transfer_ready_out_of_place_aborts() {
    let ready =
        |relative_offset, burst_bytes| iu(Body::TransferReady { relative_offset, burst_bytes }, IuData::None);
    for (operation, wrong) in [
        (Operation::UpdateWrite, ready(4, 4096)),
        (Operation::UpdateWrite, ready(0, 4104)),
        (Operation::UpdateWrite, ready(0, 0)),
        (Operation::UpdateWrite, ready(0, 4098)),
        (Operation::Read, ready(0, 4096)),
    ] {
        let mut channel = channel(request(operation, 1), &LOGIN);
        assert_eq!(sent(&mut channel), [IuKind::TransportCommand]);
        channel.handle_iu(Time::ZERO, &wrong);
        assert_eq!(sent(&mut channel), [IuKind::Abort]);
        let accept = iu(Body::AbortAccept { ox_id: 1, rx_id: 2 }, IuData::None);
        channel.handle_iu(Time::ZERO, &accept);
        let outcome = ChannelOutcome::InterfaceControlCheck(Cause::Protocol);
        assert_eq!(channel.poll_outcome(), Some(outcome));
    }
}

#[test]
fn data_that_were_not_asked_for_are_answered_with_a_response_code() {
    let data = Body::TransportData { relative_offset: 0, inserted_bytes: 0, ends_transfer: false };
    let mut unit = control_unit(None, LOGIN);
    unit.handle_iu(Time::ZERO, &iu(data, IuData::Count(64)));
    let mut channel = channel(request(Operation::Read, 1), &LOGIN);
    let conversation = {
        assert_eq!(sent(&mut channel), [IuKind::TransportCommand]);
        run_until_quiet(&mut channel, &mut unit)
    };
    assert_eq!(conversation.channel, [ChannelOutcome::InterfaceControlCheck(Cause::Protocol)]);
    assert_eq!(conversation.control_unit, [ControlUnitOutcome::Abandoned(Cause::Protocol)]);
}

#[test]
fn a_burst_out_of_place_is_answered_with_a_response_code() {
    let login = Login { transfer_ready_bytes: 4096, ..LOGIN };
    for (relative_offset, bytes) in [(4, 4092), (0, 4100)] {
        let mut unit = control_unit(None, login);
        let mut channel = channel(request(Operation::UpdateWrite, 2), &login);
        let (command, _) = channel.poll_transmit().unwrap();
        unit.handle_iu(Time::ZERO, &command);
        assert_eq!(sent(&mut unit), [IuKind::TransferReady]);
        let body = Body::TransportData { relative_offset, inserted_bytes: 0, ends_transfer: false };
        unit.handle_iu(Time::ZERO, &iu(body, IuData::Count(bytes)));
        assert_eq!(sent(&mut unit), [IuKind::TransportResponse]);
        assert_eq!(unit.poll_outcome(), Some(ControlUnitOutcome::Abandoned(Cause::Protocol)));
    }
}

#[test]
fn a_response_without_the_data_is_not_believed() {
    let mut unit = control_unit(None, LOGIN);
    let mut channel = channel(request(Operation::Read, 1), &LOGIN);
    let (command, _) = channel.poll_transmit().unwrap();
    unit.handle_iu(Time::ZERO, &command);
    assert_eq!(unit.poll_transmit().map(|(iu, _)| iu.kind()), Some(IuKind::TransportData));
    let (response, _) = unit.poll_transmit().unwrap();
    channel.handle_iu(Time::ZERO, &response);
    assert_eq!(channel.poll_outcome(), Some(ChannelOutcome::InterfaceControlCheck(Cause::Length)));
}

#[test]
fn abort_is_accepted_even_when_all_is_over() {
    let mut unit = control_unit(None, LOGIN);
    let mut channel = channel(request(Operation::Read, 1), &LOGIN);
    let conversation = run_until_quiet(&mut channel, &mut unit);
    assert_eq!(conversation.control_unit, [ControlUnitOutcome::Completed]);
    unit.handle_iu(Time::ZERO, &iu(Body::Abort, IuData::None));
    assert_eq!(sent(&mut unit), [IuKind::AbortAccept]);
    assert_eq!(unit.poll_outcome(), None);
}

/// Event that takes an end's last IUs away before they are sent, and why the exchange is then given up.
type Taking = (fn(&mut ControlUnitEnd<Scripted>), Cause);

#[test]
fn a_response_that_was_not_sent_did_not_complete() {
    let takings: [Taking; 2] = [
        (|unit| unit.handle_iu(Time::ZERO, &iu(Body::Abort, IuData::None)), Cause::Cancelled),
        (|unit| unit.handle_link_down(Time::ZERO), Cause::LinkDown),
    ];
    for (take, cause) in takings {
        let mut unit = control_unit(None, LOGIN);
        let mut channel = channel(request(Operation::Read, 1), &LOGIN);
        let (command, _) = channel.poll_transmit().unwrap();
        unit.handle_iu(Time::ZERO, &command);
        assert_eq!(unit.poll_outcome(), None, "data and response are still to be sent");
        take(&mut unit);
        sent(&mut unit);
        assert_eq!(unit.poll_outcome(), Some(ControlUnitOutcome::Abandoned(cause)));
    }
}

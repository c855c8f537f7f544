//! FCP between the ends of a plan, off the plan: refusals, units out of place, withdrawals, octets of real data.

use halftrack_base::{Span, Time};
use halftrack_program::{Operation, ProgramShape, Protocol};
use halftrack_wire::fcp::{FcpUnit, ScsiStatus};
use halftrack_wire::{Body, Iu, IuData, IuKind};

use crate::conversation::{Conversation, IDENTITY, LOGIN, NORMAL, Scripted, key, run_until_quiet};
use crate::device::ScsiOperationEnding;
use crate::end::{End, FramedEnd};
use crate::outcome::{BusyKind, Cause, ChannelOutcome, ControlUnitOutcome};
use crate::plan::{Carrier, Login, PlanKey};
use crate::program::Program;
use crate::{ChannelEnd, ControlUnitEnd};

const FCP: Login = Login { carrier: Carrier::Fcp, transfer_ready_bytes: 8192, ..LOGIN };

fn channel_with(operation: Operation, records: u16, data: &IuData) -> ChannelEnd {
    let shape = ProgramShape { operation, records, ..key(Protocol::Transport).shape };
    ChannelEnd::new(&Program::scsi(&shape, 7, data).unwrap(), &FCP, IDENTITY, Time::ZERO)
}

fn channel(operation: Operation) -> ChannelEnd {
    channel_with(operation, 1, &IuData::Count(4096))
}

fn control_unit(scsi: Option<ScsiOperationEnding>) -> ControlUnitEnd<Scripted> {
    let device = Scripted { scsi, ..Scripted::default() };
    let key = PlanKey { login: FCP, ..key(Protocol::Transport) };
    ControlUnitEnd::new(device, &key, IDENTITY, Time::ZERO)
}

fn iu(body: Body, data: IuData) -> Iu {
    Iu { address: IDENTITY.into(), body, data }
}

fn sent(end: &mut impl End) -> Vec<IuKind> {
    std::iter::from_fn(|| end.poll_transmit().map(|(iu, _)| iu.kind())).collect()
}

fn octets(count: usize) -> Vec<u8> {
    (0..count).map(|octet| octet as u8).collect()
}

fn ended(device_status: u8, residual: u32, sense: Option<[u8; 32]>) -> ChannelOutcome {
    ChannelOutcome::Ended { device_status, residual, sense, incorrect_length: false, last_command: 0 }
}

#[test]
fn octets_of_a_read_and_of_a_write_arrive() {
    let (mut reader, mut unit) = (channel_with(Operation::Read, 5, &IuData::None), control_unit(None));
    let conversation = run_until_quiet(&mut reader, &mut unit);
    assert_eq!(conversation.channel, [ended(NORMAL, 0, None)]);
    assert_eq!(reader.take_read_data(), octets(5 * 4096));
    let data = octets(5 * 4096);
    let mut writer = channel_with(Operation::UpdateWrite, 5, &IuData::Bytes(data.clone()));
    let mut unit = control_unit(None);
    let conversation = run_until_quiet(&mut writer, &mut unit);
    assert_eq!(conversation.outbound[1..], [IuKind::FcpData; 3]);
    assert_eq!(conversation.channel, [ended(NORMAL, 0, None)]);
    assert_eq!(unit.device().written, [IuData::Bytes(data)]);
    assert_eq!(unit.device().executed, [0x2A]);
}

#[test]
fn data_known_by_their_length_stay_so() {
    let mut writer = channel(Operation::UpdateWrite);
    let mut unit = control_unit(None);
    let (command, _) = writer.poll_transmit().unwrap();
    unit.handle_iu(Time::ZERO, &command);
    let (ready, _) = unit.poll_transmit().unwrap();
    writer.handle_iu(Time::ZERO, &ready);
    let (data, _) = writer.poll_transmit().unwrap();
    assert_eq!(data.data, IuData::Count(4096));
    unit.handle_iu(Time::ZERO, &data);
    assert_eq!(unit.device().written, [IuData::Count(4096)]);
    let counted =
        ScsiOperationEnding { status: ScsiStatus::GOOD, data: IuData::Count(4096), sense: Vec::new() };
    let (mut reader, mut unit) = (channel(Operation::Read), control_unit(Some(counted)));
    unit.handle_iu(Time::ZERO, &reader.poll_transmit().unwrap().0);
    let (data, _) = unit.poll_transmit().unwrap();
    assert_eq!(data.data, IuData::Count(4096));
    reader.handle_iu(Time::ZERO, &data);
    reader.handle_iu(Time::ZERO, &unit.poll_transmit().unwrap().0);
    assert_eq!(reader.poll_outcome(), Some(ended(NORMAL, 0, None)));
    assert!(reader.take_read_data().is_empty());
}

#[test]
fn a_check_condition_is_a_unit_check_with_sense() {
    for operation in [Operation::Read, Operation::UpdateWrite] {
        let sense = vec![0x70; 18];
        let check = ScsiOperationEnding { status: ScsiStatus::CHECK_CONDITION, data: IuData::None, sense };
        let conversation = run_until_quiet(&mut channel(operation), &mut control_unit(Some(check)));
        let mut expected = [0; 32];
        expected[..18].fill(0x70);
        let residual = if operation == Operation::Read { 4096 } else { 0 };
        assert_eq!(conversation.channel, [ended(0x0E, residual, Some(expected))]);
        assert_eq!(conversation.control_unit, [ControlUnitOutcome::Completed]);
    }
}

#[test]
fn a_short_read_leaves_a_residual() {
    let data = IuData::Bytes(octets(1024));
    let short = ScsiOperationEnding { status: ScsiStatus::GOOD, data, sense: Vec::new() };
    let mut reader = channel(Operation::Read);
    let conversation = run_until_quiet(&mut reader, &mut control_unit(Some(short)));
    assert_eq!(conversation.channel, [ended(NORMAL, 3072, None)]);
    assert_eq!(reader.take_read_data(), octets(1024));
}

/// Runs a write to a unit that is to refuse it.
fn refused(refuse: impl FnOnce(&mut ControlUnitEnd<Scripted>)) -> (Conversation, ControlUnitEnd<Scripted>) {
    let mut unit = control_unit(None);
    refuse(&mut unit);
    let conversation = run_until_quiet(&mut channel(Operation::UpdateWrite), &mut unit);
    (conversation, unit)
}

#[test]
fn a_refused_command_is_not_executed() {
    for (conversation, unit) in [
        refused(|unit| unit.answer_busy(BusyKind::Device)),
        refused(|unit| unit.answer_busy(BusyKind::ControlUnit)),
        refused(ControlUnitEnd::answer_active),
    ] {
        assert_eq!(conversation.channel, [ChannelOutcome::Busy(BusyKind::Device)]);
        assert_eq!(conversation.control_unit, [ControlUnitOutcome::Refused]);
        assert_eq!((conversation.inbound.len(), unit.device().executed.len()), (1, 0));
    }
    let (conversation, unit) = refused(ControlUnitEnd::answer_address_exception);
    let [ChannelOutcome::Ended { device_status: 0x0E, sense: Some(sense), .. }] = conversation.channel[..]
    else {
        panic!("{conversation:?}")
    };
    assert_eq!((sense[2], sense[12], unit.device().executed.len()), (5, 0x25, 0));
}

#[test]
fn a_unit_out_of_place_aborts() {
    let ready =
        |relative_offset, burst_bytes| iu(Body::TransferReady { relative_offset, burst_bytes }, IuData::None);
    let data = |relative_offset, bytes| {
        iu(Body::Fcp(FcpUnit::Data { relative_offset }), IuData::Bytes(vec![0; bytes]))
    };
    let stranger = || iu(Body::TransportCommand { read: true, write: false }, IuData::None);
    for (operation, wrong, cause) in [
        (Operation::UpdateWrite, ready(512, 512), Cause::Protocol),
        (Operation::UpdateWrite, ready(0, 4097), Cause::Protocol),
        (Operation::UpdateWrite, ready(0, 0), Cause::Protocol),
        (Operation::UpdateWrite, data(0, 512), Cause::Protocol),
        (Operation::UpdateWrite, stranger(), Cause::Protocol),
        (Operation::Read, ready(0, 4096), Cause::Protocol),
        (Operation::Read, data(0, 4097), Cause::Length),
    ] {
        let mut channel = channel(operation);
        assert_eq!(sent(&mut channel), [IuKind::FcpCommand]);
        channel.handle_iu(Time::ZERO, &wrong);
        assert_eq!(sent(&mut channel), [IuKind::Abort]);
        assert_eq!((channel.is_closed(), channel.poll_outcome()), (false, None));
        channel.handle_iu(Time::ZERO, &iu(Body::AbortAccept { ox_id: 1, rx_id: 2 }, IuData::None));
        assert_eq!(channel.poll_outcome(), Some(ChannelOutcome::InterfaceControlCheck(cause)));
        assert!(channel.is_settled());
    }
}

/// The response has the reason, so that the initiator need not wait.
#[test]
fn a_burst_out_of_place_is_answered_with_a_response_code() {
    for (relative_offset, bytes, cause) in [(512, 4096, Cause::Protocol), (0, 4095, Cause::Length)] {
        let (mut channel, mut unit) = (channel(Operation::UpdateWrite), control_unit(None));
        let (command, _) = channel.poll_transmit().unwrap();
        unit.handle_iu(Time::ZERO, &command);
        assert_eq!(sent(&mut unit), [IuKind::TransferReady]);
        let body = Body::Fcp(FcpUnit::Data { relative_offset });
        unit.handle_iu(Time::ZERO, &iu(body, IuData::Count(bytes)));
        let (response, step) = unit.poll_transmit().unwrap();
        assert_eq!((response.kind(), step.delay), (IuKind::FcpResponse, crate::step::Delay::None));
        assert_eq!(unit.poll_outcome(), Some(ControlUnitOutcome::Abandoned(cause)));
        assert_eq!(unit.device().resets, 1);
        channel.handle_iu(Time::ZERO, &response);
        assert_eq!(channel.poll_outcome(), Some(ChannelOutcome::InterfaceControlCheck(cause)));
    }
}

#[test]
fn a_command_that_cannot_be_read_is_refused_and_later_damage_is_a_loss() {
    let mut unit = control_unit(None);
    unit.handle_damaged(Time::ZERO, Cause::Length);
    assert_eq!(sent(&mut unit), [IuKind::FcpResponse]);
    assert_eq!(unit.poll_outcome(), Some(ControlUnitOutcome::Abandoned(Cause::Protocol)));
    let (mut channel, mut unit) = (channel(Operation::UpdateWrite), control_unit(None));
    unit.handle_iu(Time::ZERO, &channel.poll_transmit().unwrap().0);
    assert_eq!(sent(&mut unit), [IuKind::TransferReady]);
    unit.handle_damaged(Time::ZERO, Cause::Crc);
    assert_eq!((sent(&mut unit), unit.poll_outcome()), (vec![], None));
}

#[test]
fn abort_is_accepted_even_when_all_is_over() {
    let mut unit = control_unit(None);
    let conversation = run_until_quiet(&mut channel(Operation::Read), &mut unit);
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
        let mut unit = control_unit(None);
        unit.handle_iu(Time::ZERO, &channel(Operation::Read).poll_transmit().unwrap().0);
        assert_eq!(unit.poll_outcome(), None, "data and response are still to be sent");
        take(&mut unit);
        sent(&mut unit);
        assert_eq!(unit.poll_outcome(), Some(ControlUnitOutcome::Abandoned(cause)));
    }
}

#[test]
fn a_newer_start_takes_the_device_without_a_response() {
    let mut unit = control_unit(None);
    unit.handle_iu(Time::ZERO, &channel(Operation::UpdateWrite).poll_transmit().unwrap().0);
    unit.supersede(Time::ZERO);
    assert_eq!((sent(&mut unit), unit.device().resets), (vec![], 1));
    assert_eq!(unit.poll_outcome(), Some(ControlUnitOutcome::Abandoned(Cause::Superseded)));
    unit.handle_iu(Time::ZERO, &iu(Body::Fcp(FcpUnit::Data { relative_offset: 0 }), IuData::Count(4096)));
    assert_eq!(sent(&mut unit), []);
    unit.handle_iu(Time::ZERO, &iu(Body::Abort, IuData::None));
    assert_eq!((sent(&mut unit), unit.poll_outcome()), (vec![IuKind::AbortAccept], None));
    let mut late = control_unit(None);
    late.discard();
    late.handle_iu(Time::ZERO, &channel(Operation::Read).poll_transmit().unwrap().0);
    assert_eq!((sent(&mut late), late.poll_outcome()), (vec![], Some(ControlUnitOutcome::Refused)));
}

#[test]
fn a_program_of_which_nothing_was_sent_is_withdrawn_without_abts() {
    let after = |end: fn(&mut ChannelEnd)| {
        let mut channel = channel(Operation::Read);
        end(&mut channel);
        assert_eq!((sent(&mut channel), channel.is_closed()), (vec![], true));
        assert_eq!((channel.is_settled(), channel.poll_timeout()), (true, None));
        channel.poll_outcome()
    };
    let check = |cause| Some(ChannelOutcome::InterfaceControlCheck(cause));
    assert_eq!(after(|channel| channel.cancel(Time::ZERO)), Some(ChannelOutcome::Cancelled));
    assert_eq!(after(|channel| channel.handle_link_down(Time::ZERO)), check(Cause::LinkDown));
    let time_out = |channel: &mut ChannelEnd| channel.handle_timeout(channel.poll_timeout().unwrap());
    assert_eq!(after(time_out), check(Cause::Timeout));
}

#[test]
fn a_hastened_channel_aborts_sooner() {
    let mut channel = channel(Operation::Read);
    sent(&mut channel);
    let at = Time::ZERO + Span::from_us(500);
    channel.hasten(Time::ZERO, 500);
    assert_eq!(channel.poll_timeout(), Some(at));
    channel.handle_timeout(at);
    assert_eq!(sent(&mut channel), [IuKind::Abort]);
    let due = channel.poll_timeout();
    channel.hasten(at, 1);
    assert_eq!(channel.poll_timeout(), due, "ABTS has its own time");
}

/// A second ABTS takes the place of the first.
#[test]
fn an_abort_that_waits_is_sent_once() {
    let mut channel = channel(Operation::Read);
    sent(&mut channel);
    channel.cancel(Time::ZERO);
    let due = channel.poll_timeout().unwrap();
    channel.handle_timeout(due);
    assert_eq!(sent(&mut channel), [IuKind::Abort]);
    channel.handle_timeout(channel.poll_timeout().unwrap());
    let unanswered = ChannelOutcome::InterfaceControlCheck(Cause::Timeout);
    assert_eq!((channel.poll_outcome(), channel.is_settled()), (Some(unanswered), false));
}

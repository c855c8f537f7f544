//! Command mode off the plan: chains that end early, retries, withdrawals, damage (Fibre Channel reference 6.4).

use std::sync::Arc;

use halftrack_base::Time;
use halftrack_program::Protocol;
use halftrack_wire::choices::{CHANNEL_TIMEOUT_US, CONTROL_UNIT_TIMEOUT_US, RETRY_LATER_STATUS};
use halftrack_wire::timers::STATUS_TIMEOUT_US;
use halftrack_wire::{
    Body, ChainFlags, CommandDib, CommandMode, ControlDib, ControlFunction, DataFlags, Dib, Iu, IuData,
    IuKind, ParseError, StatusDib, StatusFlags,
};

use crate::conversation::{
    Conversation, IDENTITY, LOGIN, NORMAL, Scripted, chain, ending, key, run_until_quiet,
};
use crate::device::DeviceEnding;
use crate::end::{End, FramedEnd};
use crate::outcome::{BusyKind, Cause, ChannelOutcome, ControlUnitOutcome};
use crate::program::Program;
use crate::{ChannelEnd, ControlUnitEnd};

const NONE: ChainFlags = ChainFlags(0);
const SLI: ChainFlags = ChainFlags::SLI;
const READ: u8 = 0x86;
const WRITE: u8 = 0x85;

fn channel(commands: &[(u8, u16, ChainFlags)]) -> ChannelEnd {
    let program = Program::Command(Arc::new(chain(commands)));
    ChannelEnd::new(&program, &LOGIN, IDENTITY, Time::ZERO)
}

fn control_unit(endings: impl IntoIterator<Item = DeviceEnding>) -> ControlUnitEnd<Scripted> {
    let device = Scripted { endings: endings.into_iter().collect(), ..Scripted::default() };
    ControlUnitEnd::new(device, &key(Protocol::Command), IDENTITY, Time::ZERO)
}

fn device(end: &ControlUnitEnd<Scripted>) -> &Scripted {
    end.device()
}

/// Returns an IU from the control unit that the test makes up.
fn inbound(ccw: u16, iu_count: u8, dib: Dib) -> Iu {
    let body = Body::CommandMode(CommandMode { flags: DataFlags::default(), ccw, iu_count, dib });
    Iu { address: IDENTITY.into(), body, data: IuData::None }
}

fn control(function: ControlFunction) -> Dib {
    Dib::Control(ControlDib::plain(function))
}

fn ended(status: u8, residual: u32, incorrect_length: bool, last_command: u16) -> ChannelOutcome {
    ChannelOutcome::Ended { device_status: status, residual, sense: None, incorrect_length, last_command }
}

#[test]
fn unit_check_ends_the_chain_with_sense() {
    let check = DeviceEnding { sense: Some([9; 32]), ..ending(0x0E, 0, 4096) };
    let mut channel = channel(&[(READ, 4096, NONE), (READ, 4096, NONE)]);
    let mut control_unit = control_unit([ending(NORMAL, 64, 64), check]);
    let conversation = run_until_quiet(&mut channel, &mut control_unit);
    let outcome = ChannelOutcome::Ended {
        device_status: 0x0E,
        residual: 4096,
        sense: Some([9; 32]),
        incorrect_length: true,
        last_command: 2,
    };
    assert_eq!(conversation.channel, [outcome]);
    assert_eq!(conversation.control_unit, [ControlUnitOutcome::Completed]);
    assert_eq!(device(&control_unit).executed, [0xE7, READ], "the third command is discarded");
    assert_eq!(conversation.inbound, [IuKind::CommandResponse, IuKind::Status]);
    assert_eq!(conversation.outbound.last(), Some(&IuKind::StatusAccepted));
}

#[test]
fn a_short_record_ends_the_chain_unless_suppressed() {
    let script = || [ending(NORMAL, 64, 64), ending(NORMAL, 4000, 4000)];
    let mut unit = control_unit(script());
    let conversation = run_until_quiet(&mut channel(&[(READ, 4096, NONE), (READ, 4096, NONE)]), &mut unit);
    assert_eq!(conversation.channel, [ended(NORMAL, 96, true, 2)]);
    assert_eq!(device(&unit).executed.len(), 2);
    let mut unit = control_unit(script());
    let conversation = run_until_quiet(&mut channel(&[(READ, 4096, SLI), (READ, 4096, NONE)]), &mut unit);
    assert_eq!(conversation.channel, [ended(NORMAL, 0, false, 3)]);
    assert_eq!(device(&unit).executed.len(), 3);
}

#[test]
fn a_long_record_is_an_incorrect_length_without_residual() {
    let script = || [ending(NORMAL, 64, 64), ending(NORMAL, 4096, 5000)];
    let conversation = run_until_quiet(&mut channel(&[(READ, 4096, NONE)]), &mut control_unit(script()));
    assert_eq!(conversation.channel, [ended(NORMAL, 0, true, 2)]);
    let conversation = run_until_quiet(&mut channel(&[(READ, 4096, SLI)]), &mut control_unit(script()));
    assert_eq!(conversation.channel, [ended(NORMAL, 0, false, 2)]);
}

#[test]
fn no_data_means_no_data_iu() {
    let script = [ending(NORMAL, 64, 64), ending(0x0D, 0, 0)];
    let conversation = run_until_quiet(&mut channel(&[(READ, 4096, SLI)]), &mut control_unit(script));
    assert_eq!(conversation.channel, [ended(0x0D, 4096, false, 2)]);
    assert!(!conversation.inbound.contains(&IuKind::Data));
}

#[test]
fn written_octets_arrive_whole() {
    let mut unit = control_unit([]);
    let conversation = run_until_quiet(&mut channel(&[(WRITE, 27_998, NONE)]), &mut unit);
    assert_eq!(conversation.channel, [ended(NORMAL, 0, false, 2)]);
    let octets: Vec<u8> = (0..27_998_u16).map(|octet| octet as u8).collect();
    assert_eq!(device(&unit).written[1], IuData::Bytes(octets));
}

#[test]
fn command_retry_drives_the_ccw_again() {
    let retry = DeviceEnding { retry: true, data: IuData::None, ..ending(0, 0, 4096) };
    let mut unit = control_unit([ending(NORMAL, 64, 64), retry]);
    let conversation = run_until_quiet(&mut channel(&[(READ, 4096, NONE), (READ, 4096, NONE)]), &mut unit);
    assert_eq!(conversation.channel, [ended(NORMAL, 0, false, 3)]);
    assert_eq!(conversation.control_unit, [ControlUnitOutcome::Completed]);
    assert_eq!(device(&unit).executed, [0xE7, READ, READ, READ]);
    let commands = conversation.outbound.iter().filter(|kind| **kind == IuKind::Command).count();
    assert_eq!(commands, 4, "the retried CCW and the one after it");
    let responses = conversation.inbound.iter().filter(|kind| **kind == IuKind::CommandResponse).count();
    assert_eq!(responses, 2, "the window is as wide as before");
}

#[test]
fn a_retry_may_wait_for_device_end() {
    let mut channel = channel(&[(READ, 4096, NONE)]);
    while channel.poll_transmit().is_some() {}
    let later =
        StatusDib { flags: StatusFlags::RETRY, device_status: RETRY_LATER_STATUS, ..StatusDib::default() };
    channel.handle_iu(Time::ZERO, &inbound(2, 1, Dib::Status(later)));
    assert_eq!(sent(&mut channel), [IuKind::StatusAccepted]);
    let device_end = StatusDib { device_status: 0x04, ..StatusDib::default() };
    channel.handle_iu(Time::ZERO, &inbound(2, 2, Dib::Status(device_end)));
    assert_eq!(sent(&mut channel), [IuKind::StatusAccepted, IuKind::Command]);
    assert_eq!(channel.poll_outcome(), None);
}

#[test]
fn other_status_ends_the_wait_for_a_retry() {
    let mut channel = channel(&[(READ, 4096, SLI)]);
    while channel.poll_transmit().is_some() {}
    let status = |flags, device_status| StatusDib { flags, device_status, ..StatusDib::default() };
    let later = status(StatusFlags::RETRY, RETRY_LATER_STATUS);
    channel.handle_iu(Time::ZERO, &inbound(2, 1, Dib::Status(later)));
    let attention = status(StatusFlags::default(), 0x80);
    channel.handle_iu(Time::ZERO, &inbound(2, 2, Dib::Status(attention)));
    assert_eq!(channel.poll_outcome(), Some(ended(0x80, 0, false, 2)));
}

/// Channel-programs reference 2.3: immediate commands do not cause incorrect length.
#[test]
fn the_count_of_an_immediate_command_does_not_matter() {
    let script = [ending(NORMAL, 64, 64), ending(NORMAL, 0, 0)];
    let mut unit = control_unit(script);
    let conversation = run_until_quiet(&mut channel(&[(0x03, 1, NONE), (READ, 4096, NONE)]), &mut unit);
    assert_eq!(conversation.channel, [ended(NORMAL, 0, false, 3)]);
    assert_eq!(device(&unit).executed, [0xE7, 0x03, READ]);
}

#[test]
fn the_last_data_of_a_ccw_says_so_and_whether_it_is_early() {
    for (moved, flags) in [(16_000, DataFlags::END), (9000, DataFlags::END.with(DataFlags::EARLY_END))] {
        let mut unit = control_unit([ending(NORMAL, 64, 64), ending(NORMAL, moved, moved)]);
        let mut channel = channel(&[(READ, 16_000, SLI)]);
        while let Some((iu, _)) = channel.poll_transmit() {
            unit.handle_iu(Time::ZERO, &iu);
        }
        let data: Vec<_> = std::iter::from_fn(|| unit.poll_transmit())
            .filter(|(iu, _)| iu.kind() == IuKind::Data)
            .map(|(iu, _)| (iu.data.len(), iu.command_mode().unwrap().flags))
            .collect();
        assert_eq!(data, [(8192, DataFlags::NO_CRC), (moved - 8192, flags)]);
    }
}

#[test]
fn more_output_than_the_count_purges_the_path() {
    let dib = CommandDib { command: WRITE, count: 4, ..CommandDib::default() };
    let mut write = inbound(1, 1, Dib::CommandData(dib));
    write.data = IuData::Count(8);
    let mut unit = control_unit([]);
    unit.handle_iu(Time::ZERO, &write);
    assert_eq!(sent(&mut unit), [IuKind::PurgePath]);
    unit.handle_iu(Time::ZERO, &inbound(1, 2, control(ControlFunction::PurgePathResponse)));
    assert_eq!(unit.poll_outcome(), Some(ControlUnitOutcome::Abandoned(Cause::Length)));
}

#[test]
fn stacked_status_is_presented_when_asked_for() {
    let mut unit = control_unit([ending(NORMAL, 64, 64), ending(NORMAL, 4096, 4096)]);
    let mut channel = channel(&[(READ, 4096, NONE)]);
    while let Some((iu, _)) = channel.poll_transmit() {
        unit.handle_iu(Time::ZERO, &iu);
    }
    assert_eq!(sent(&mut unit).last(), Some(&IuKind::Status));
    let answer = |count, function| inbound(2, count, control(function));
    unit.handle_iu(Time::ZERO, &answer(3, ControlFunction::StackStatus));
    assert_eq!(sent(&mut unit), []);
    unit.handle_iu(Time::ZERO, &answer(4, ControlFunction::RequestStatus));
    assert_eq!(sent(&mut unit), [IuKind::Status]);
    unit.handle_iu(Time::ZERO, &answer(5, ControlFunction::StatusAccepted));
    assert_eq!(unit.poll_outcome(), Some(ControlUnitOutcome::Completed));
}

#[test]
fn reset_is_acknowledged_and_gives_the_device_up() {
    for function in [ControlFunction::SelectiveReset, ControlFunction::SystemReset] {
        let mut unit = control_unit([]);
        unit.handle_iu(Time::ZERO, &inbound(1, 1, control(function)));
        assert_eq!(sent(&mut unit), [IuKind::DeviceAck]);
        assert_eq!(unit.poll_outcome(), Some(ControlUnitOutcome::Abandoned(Cause::Reset)));
        assert_eq!(device(&unit).resets, 1);
    }
}

#[test]
fn an_address_exception_is_an_interface_control_check() {
    let mut channel = channel(&[(READ, 4096, NONE)]);
    while channel.poll_transmit().is_some() {}
    channel.handle_iu(Time::ZERO, &inbound(1, 1, control(ControlFunction::DeviceException)));
    let expected = ChannelOutcome::InterfaceControlCheck(Cause::AddressException);
    assert_eq!(channel.poll_outcome(), Some(expected));
}

#[test]
fn damage_at_either_end_purges_the_path() {
    let error = ParseError::Lrc { expected: 0, found: 1 };
    let purged = Cause::Purged(Cause::Lrc.purge_code());
    let mut channel_end = channel(&[(READ, 4096, NONE)]);
    let mut unit = control_unit([]);
    while let Some((iu, _)) = channel_end.poll_transmit() {
        unit.handle_iu(Time::ZERO, &iu);
    }
    channel_end.handle_damaged(Time::ZERO, Cause::of_parse_error(&error));
    let conversation = run_until_quiet(&mut channel_end, &mut unit);
    assert_eq!(conversation.channel, [ChannelOutcome::InterfaceControlCheck(Cause::Lrc)]);
    assert_eq!(conversation.control_unit, [ControlUnitOutcome::Abandoned(purged)]);

    let mut channel_end = channel(&[(READ, 4096, NONE)]);
    let mut unit = control_unit([]);
    while channel_end.poll_transmit().is_some() {}
    unit.handle_damaged(Time::ZERO, Cause::of_parse_error(&error));
    let conversation: Conversation = run_until_quiet(&mut channel_end, &mut unit);
    assert_eq!(conversation.channel, [ChannelOutcome::InterfaceControlCheck(purged)]);
    assert_eq!(conversation.control_unit, [ControlUnitOutcome::Abandoned(Cause::Lrc)]);
    assert_eq!(
        (conversation.outbound, conversation.inbound),
        (vec![IuKind::PurgePathResponse], vec![IuKind::PurgePath])
    );
}

#[test]
fn what_an_end_never_gets_is_a_protocol_error() {
    let status = Dib::Status(StatusDib::default());
    let mut unit = control_unit([]);
    unit.handle_iu(Time::ZERO, &inbound(1, 1, status));
    assert_eq!(sent(&mut unit), [IuKind::PurgePath]);
    for dib in [Dib::Command(Default::default()), control(ControlFunction::Cancel)] {
        let mut channel = channel(&[(READ, 4096, NONE)]);
        while channel.poll_transmit().is_some() {}
        channel.handle_iu(Time::ZERO, &inbound(2, 1, dib));
        assert_eq!(sent(&mut channel), [IuKind::PurgePath]);
    }
    let mut channel = channel(&[(READ, 4096, NONE)]);
    while channel.poll_transmit().is_some() {}
    let mut data = inbound(2, 1, Dib::Data);
    data.data = IuData::Count(5000);
    channel.handle_iu(Time::ZERO, &data);
    assert_eq!(sent(&mut channel), [IuKind::PurgePath], "more data than the CCW's count");
}

#[test]
fn nothing_is_cancelled_on_the_link_before_something_was_sent() {
    let mut channel = channel(&[(READ, 4096, NONE)]);
    let ChannelEnd::Command(machine) = &mut channel else { panic!("command mode is tested") };
    machine.cancel(Time::ZERO);
    assert_eq!(sent(&mut channel), []);
    assert_eq!(channel.poll_outcome(), Some(ChannelOutcome::Cancelled));
}

#[test]
fn busy_in_mid_chain_is_an_ending_status() {
    let script = [ending(NORMAL, 64, 64), ending(BusyKind::Device.device_status(), 0, 4096)];
    let conversation = run_until_quiet(&mut channel(&[(READ, 4096, SLI)]), &mut control_unit(script));
    assert_eq!(conversation.channel, [ended(0x10, 4096, false, 2)]);
}

#[test]
fn the_channel_waits_again_after_each_iu() {
    let mut channel = channel(&[(READ, 4096, NONE)]);
    while channel.poll_transmit().is_some() {}
    let later = Time::from_ps(500);
    channel.handle_iu(later, &inbound(2, 1, control(ControlFunction::CommandResponse)));
    let span = halftrack_base::Span::from_us(CHANNEL_TIMEOUT_US);
    assert_eq!(channel.poll_timeout(), Some(later + span));
    channel.handle_timeout(later);
    assert_eq!(sent(&mut channel), [], "not yet due");
}

#[test]
fn a_hastened_channel_waits_less_long_for_the_chain_and_as_long_as_ever_for_its_end() {
    let mut channel = channel(&[(READ, 4096, NONE)]);
    while channel.poll_transmit().is_some() {}
    let at = |us| Time::ZERO + halftrack_base::Span::from_us(us);
    channel.hasten(at(10), 500);
    assert_eq!(channel.poll_timeout(), Some(at(510)));
    channel.handle_iu(at(300), &inbound(2, 1, control(ControlFunction::CommandResponse)));
    assert_eq!(channel.poll_timeout(), Some(at(800)));
    channel.handle_timeout(at(800));
    assert_eq!(sent(&mut channel), [IuKind::Cancel]);
    channel.hasten(at(900), 500);
    assert_eq!(channel.poll_timeout(), Some(at(800 + CHANNEL_TIMEOUT_US)));
}

/// Returns the kinds of the IUs that an end sends now.
fn sent(end: &mut impl End) -> Vec<IuKind> {
    std::iter::from_fn(|| end.poll_transmit().map(|(iu, _)| iu.kind())).collect()
}

#[test]
fn the_answer_to_a_status_is_waited_for_less_long() {
    let mut channel = channel(&[(READ, 4096, NONE)]);
    let mut control_unit = control_unit([ending(NORMAL, 64, 64), ending(NORMAL, 4096, 4096)]);
    let after = |us| Some(Time::ZERO + halftrack_base::Span::from_us(us));
    assert_eq!(control_unit.poll_timeout(), after(CONTROL_UNIT_TIMEOUT_US));
    while let Some((iu, _)) = channel.poll_transmit() {
        control_unit.handle_iu(Time::ZERO, &iu);
    }
    assert_eq!(sent(&mut control_unit).last(), Some(&IuKind::Status));
    assert_eq!(control_unit.poll_timeout(), after(STATUS_TIMEOUT_US));
    // A status that the channel has stacked waits until it is requested.
    control_unit.handle_iu(Time::ZERO, &inbound(2, 3, control(ControlFunction::StackStatus)));
    assert_eq!(control_unit.poll_timeout(), after(CONTROL_UNIT_TIMEOUT_US));
    control_unit.handle_iu(Time::ZERO, &inbound(2, 4, control(ControlFunction::RequestStatus)));
    assert_eq!(
        (sent(&mut control_unit), control_unit.poll_timeout()),
        (vec![IuKind::Status], after(STATUS_TIMEOUT_US))
    );
    control_unit.handle_timeout(Time::from_ps(STATUS_TIMEOUT_US * 1_000_000));
    assert_eq!(control_unit.poll_outcome(), Some(ControlUnitOutcome::Abandoned(Cause::Timeout)));
}

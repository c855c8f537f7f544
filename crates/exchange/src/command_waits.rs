//! Command mode with a device that keeps commands waiting, and with chained data.

use std::sync::Arc;

use halftrack_base::{Span, Time};
use halftrack_program::Protocol;
use halftrack_wire::{ChainFlags, IuData, IuKind};

use crate::conversation::{IDENTITY, LOGIN, NORMAL, Scripted, ending, key, over_the_wire, run_until_quiet};
use crate::device::DeviceEnding;
use crate::end::{End, FramedEnd};
use crate::outcome::{Cause, ChannelOutcome, ControlUnitOutcome};
use crate::program::{ChainCommand, CommandChain, Program};
use crate::{ChannelEnd, ControlUnitEnd};

const WRITE: u8 = 0x01;
const READ: u8 = 0x02;
const SENSE_COMMAND_BYTE: u8 = 0x14;
/// Longer than every time-out.
const LONG: Span = Span::from_s(1000);

fn octets(length: u32) -> Vec<u8> {
    (0..length).map(|octet| (octet * 7) as u8).collect()
}

fn command(command: u8, count: u16, flags: ChainFlags, output: IuData) -> ChainCommand {
    ChainCommand { command, flags, count, output }
}

fn channel(commands: Vec<ChainCommand>) -> ChannelEnd {
    let program = Program::Command(Arc::new(CommandChain::new(commands).unwrap().waiting()));
    ChannelEnd::new(&program, &LOGIN, IDENTITY, Time::ZERO)
}

fn control_unit(device: Scripted) -> ControlUnitEnd<Scripted> {
    ControlUnitEnd::new(device, &key(Protocol::Command), IDENTITY, Time::ZERO)
}

fn ended(status: u8, residual: u32, incorrect_length: bool, last_command: u16) -> ChannelOutcome {
    ChannelOutcome::Ended { device_status: status, residual, sense: None, incorrect_length, last_command }
}

/// Returns a write of these octets in CCWs of `count` octets with chained data.
fn chained_write(data: &[u8], count: u16) -> Vec<ChainCommand> {
    let chunks: Vec<_> = data.chunks(usize::from(count)).collect();
    let last = chunks.len() - 1;
    let of = |(index, chunk): (usize, &&[u8])| {
        let flags = if index < last { ChainFlags::CD } else { ChainFlags::default() };
        command(WRITE, chunk.len() as u16, flags, IuData::Bytes(chunk.to_vec()))
    };
    chunks.iter().enumerate().map(of).collect()
}

/// Returns a read of CCWs with these counts and chained data.
fn chained_read(counts: &[u16]) -> Vec<ChainCommand> {
    let last = counts.len() - 1;
    let of = |(index, count): (usize, &u16)| {
        let flags = if index < last { ChainFlags::CD } else { ChainFlags::default() };
        command(READ, *count, flags.with(ChainFlags::SLI), IuData::None)
    };
    counts.iter().enumerate().map(of).collect()
}

#[test]
fn a_data_chain_is_one_command_of_the_device() {
    let data = octets(200_000);
    let mut unit = control_unit(Scripted::default());
    let conversation = run_until_quiet(&mut channel(chained_write(&data, 65_535)), &mut unit);
    assert_eq!(conversation.channel, [ended(NORMAL, 0, false, 4)]);
    assert_eq!(unit.device().executed, [WRITE]);
    assert_eq!(unit.device().written, [IuData::Bytes(data)]);
}

/// The residual count is that of the CCW in which the command ended, whose number the status has.
#[test]
fn a_data_chain_ends_in_the_ccw_that_its_data_reach() {
    for (bytes, ccw, residual) in
        [(0, 1, 100), (60, 1, 40), (100, 1, 0), (101, 2, 49), (150, 2, 0), (170, 3, 30)]
    {
        let data = octets(bytes);
        let read = DeviceEnding { data: IuData::Bytes(data.clone()), ..ending(NORMAL, bytes, bytes) };
        let mut unit = control_unit(Scripted { endings: [read].into(), ..Scripted::default() });
        let mut channel = channel(chained_read(&[100, 50, 50]));
        let conversation = run_until_quiet(&mut channel, &mut unit);
        let is_incorrect = residual > 0 && ccw < 3;
        assert_eq!(conversation.channel, [ended(NORMAL, residual, is_incorrect, ccw)], "{bytes}");
        assert_eq!(channel.take_read_data(), data);
    }
}

#[test]
fn a_data_chain_has_a_bound() {
    let mut unit = control_unit(Scripted::default());
    let conversation = run_until_quiet(&mut channel(chained_write(&octets(3 << 20), 65_535)), &mut unit);
    assert!(unit.device().executed.is_empty());
    let [ChannelOutcome::InterfaceControlCheck(Cause::Purged(_))] = conversation.channel[..] else {
        panic!("{conversation:?}");
    };
}

/// A device may keep a command waiting for longer than any time-out of the link, and what the channel sent behind it is
/// executed afterwards.
#[test]
fn commands_behind_one_that_waits_are_executed_when_it_has_ended() {
    let mut unit = control_unit(Scripted { waiting: vec![WRITE], ..Scripted::default() });
    let commands = vec![
        command(WRITE, 20_000, ChainFlags::CC, IuData::Bytes(octets(20_000))),
        command(SENSE_COMMAND_BYTE, 1, ChainFlags::CC, IuData::None),
        command(WRITE, 10, ChainFlags::default(), IuData::Bytes(octets(10))),
    ];
    let mut channel = channel(commands);
    let conversation = run_until_quiet(&mut channel, &mut unit);
    assert_eq!((conversation.channel, conversation.control_unit), (vec![], vec![]));
    assert_eq!(unit.device().executed, [WRITE]);
    let late = Time::ZERO.saturating_add(LONG);
    assert!(!channel.is_due(late) && !unit.is_due(late));
    unit.poll_wait(late);
    assert!(unit.is_withholding(), "nothing has ended it");
    for bytes in [20_000, 10] {
        unit.device_mut().released = Some(ending(NORMAL, bytes, bytes));
        unit.poll_wait(late);
    }
    let conversation = run_until_quiet(&mut channel, &mut unit);
    assert_eq!(conversation.channel, [ended(NORMAL, 0, false, 3)]);
    assert_eq!(conversation.control_unit, [ControlUnitOutcome::Completed]);
    assert_eq!(unit.device().executed, [WRITE, SENSE_COMMAND_BYTE, WRITE]);
}

/// Cancelled while a command waits, the exchange ends at both ends and the device is reset.
#[test]
fn a_command_that_waits_can_be_withdrawn() {
    let mut unit = control_unit(Scripted { waiting: vec![READ], ..Scripted::default() });
    let mut channel = channel(chained_read(&[4096]));
    run_until_quiet(&mut channel, &mut unit);
    channel.cancel(Time::ZERO);
    let conversation = run_until_quiet(&mut channel, &mut unit);
    assert_eq!(conversation.channel, [ChannelOutcome::Cancelled]);
    assert_eq!(conversation.control_unit, [ControlUnitOutcome::Abandoned(Cause::Cancelled)]);
    assert_eq!(unit.device().resets, 1);
}

/// A command in the middle of the output of another is out of place, whatever waits.
#[test]
fn a_command_may_not_come_within_the_output_of_another() {
    let mut unit = control_unit(Scripted::default());
    let mut channel = channel(chained_write(&octets(40_000), 20_000));
    let all: Vec<_> = std::iter::from_fn(|| channel.poll_transmit()).map(|(iu, _)| iu).collect();
    for iu in all.iter().filter(|iu| iu.kind() == IuKind::CommandData) {
        unit.handle_iu(Time::ZERO, &over_the_wire(iu));
    }
    let kinds: Vec<_> = std::iter::from_fn(|| unit.poll_transmit()).map(|(iu, _)| iu.kind()).collect();
    assert_eq!(kinds.last(), Some(&IuKind::PurgePath));
    assert!(unit.device().executed.is_empty());
}

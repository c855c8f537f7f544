//! Exchanges of FCP: their plans, and both ends off the plan.

use std::collections::VecDeque;

use crate::common::{FCP, IDENTITY, any_fcp_key, fcp_key, key, read, write};
use crate::runs::{assert_data_of_a_normal_end, assert_ends_once, options, record, run_key, us};
use halftrack_base::{Span, Time};
use halftrack_exchange::program::ProgramError;
use halftrack_exchange::rig::RigOptions;
use halftrack_exchange::{
    BusyKind, Cause, ChannelHalf, ChannelOutcome, ControlUnitHalf, ControlUnitOutcome, Delay, Login, Plan,
    PlanError, PlanKey, Plans, Side, Step, Transmit,
};
use halftrack_program::{ProgramShape, Protocol};
use halftrack_wire::fc_header::{fc_type, routing};
use halftrack_wire::heading::heading;
use halftrack_wire::timers::{COMMAND_TIMEOUT, RESOURCE_ALLOCATION_TIMEOUT};
use halftrack_wire::{FromSide, IuKind, Place};
use proptest::prelude::*;

fn plan(shape: ProgramShape) -> Plan {
    let (plans, id) = record(fcp_key(shape));
    plans[id].clone()
}

fn kinds(steps: &[Step]) -> Vec<IuKind> {
    steps.iter().map(|step| step.kind).collect()
}

fn octets(steps: &[Step]) -> Vec<(u32, u16)> {
    steps.iter().map(|step| (step.payload_bytes, step.frames)).collect()
}

#[test]
fn a_read_is_a_command_and_data_with_a_response() {
    let plan = plan(read(4096, 1));
    assert_eq!(kinds(&plan.outbound), [IuKind::FcpCommand]);
    assert_eq!(kinds(&plan.inbound), [IuKind::FcpData, IuKind::FcpResponse]);
    assert_eq!(octets(&plan.outbound), [(32, 1)]);
    assert_eq!(octets(&plan.inbound), [(4096, 2), (24, 1)]);
    assert!(plan.inbound.iter().all(|step| step.after_received == 1));
    assert_eq!(plan.wire_bytes(Side::Channel) + plan.wire_bytes(Side::ControlUnit), 4152 + 4 * 36);
    assert_eq!(plan.data_bytes(), 4096);
}

#[test]
fn a_write_waits_for_transfer_ready_whatever_may_come_first() {
    for first_transfer_bytes in [0, 65_536] {
        let (plans, id) =
            record(PlanKey { login: Login { first_transfer_bytes, ..FCP }, ..fcp_key(write(4096, 1)) });
        let plan = &plans[id];
        assert_eq!(kinds(&plan.outbound), [IuKind::FcpCommand, IuKind::FcpData]);
        assert_eq!(kinds(&plan.inbound), [IuKind::TransferReady, IuKind::FcpResponse]);
        assert_eq!(octets(&plan.outbound), [(32, 1), (4096, 2)]);
        assert_eq!(octets(&plan.inbound), [(12, 1), (24, 1)]);
        let edges = |steps: &[Step]| steps.iter().map(|step| step.after_received).collect::<Vec<_>>();
        assert_eq!((edges(&plan.outbound), edges(&plan.inbound)), (vec![0, 1], vec![1, 2]));
    }
}

#[test]
fn bursts_of_a_write_keep_to_the_limit() {
    let large = plan(write(4096, 16));
    assert_eq!(octets(&large.outbound), [(32, 1), (65_536, 32)]);
    assert_eq!(octets(&plan(read(4096, 16)).inbound), [(65_536, 32), (24, 1)]);
    let login = Login { transfer_ready_bytes: 24_576, ..FCP };
    let (plans, id) = record(PlanKey { login, ..fcp_key(write(4096, 16)) });
    assert_eq!(octets(&plans[id].outbound), [(32, 1), (24_576, 12), (24_576, 12), (16_384, 8)]);
    assert_eq!(kinds(&plans[id].inbound)[..3], [IuKind::TransferReady; 3]);
}

/// With the command the data router is set up for all data; nothing else costs the channel more than its frames.
#[test]
fn work_is_that_of_transport_mode() {
    for shape in [read(4096, 16), write(4096, 16)] {
        let plan = plan(shape);
        let command = plan.outbound[0].send;
        assert_eq!((command.programs, command.commands, command.units), (1, 1, 0));
        assert_eq!((command.data_bytes, command.moved_bytes, command.sequences), (65_536, 0, 1));
        for step in plan.outbound[1..].iter().chain(&plan.inbound) {
            let work = step.send;
            assert_eq!((work.programs, work.commands, work.units, work.data_bytes), (0, 0, 0, 0));
            assert_eq!((work.sequences, work.frames), (1, u32::from(step.frames)));
            assert_eq!(work.moved_bytes, step.data_bytes);
        }
    }
}

#[test]
fn delays_stand_where_transport_mode_has_them() {
    for (hit, delay) in [(true, Delay::Cache), (false, Delay::Staging)] {
        for shape in [read(4096, 3), write(4096, 3)] {
            let (plans, id) = record(PlanKey { hit, ..fcp_key(shape) });
            let (others, transport) = record(PlanKey { hit, ..key(shape, Protocol::Transport) });
            let delays = |plan: &Plan| plan.inbound.iter().map(|step| step.delay).collect::<Vec<_>>();
            assert_eq!(delays(&plans[id]), delays(&others[transport]));
            assert!(delays(&plans[id]).contains(&delay));
        }
    }
}

/// R_CTL and TYPE of the FCP reference, section 1.1.
#[test]
fn units_of_a_plan_have_octets_and_headings_of_fcp() {
    for shape in [read(4096, 3), write(4096, 3)] {
        let plan = plan(shape);
        for (side, from) in [(Side::Channel, FromSide::Channel), (Side::ControlUnit, FromSide::ControlUnit)] {
            for (iu, step) in plan.ius(side).iter().zip(plan.steps(side)) {
                assert_eq!(iu.emit().unwrap().len() as u32, step.payload_bytes, "{:?}", step.kind);
                let found = heading(iu, from, Place::default());
                let r_ctl = match step.kind {
                    IuKind::FcpCommand => routing::COMMAND,
                    IuKind::TransferReady => routing::DATA_DESCRIPTOR,
                    IuKind::FcpData => routing::DATA,
                    IuKind::FcpResponse => routing::STATUS,
                    other => panic!("{other:?} is not of FCP"),
                };
                assert_eq!((found.r_ctl, found.fc_type), (r_ctl, fc_type::FCP));
            }
        }
    }
}

#[test]
fn what_fcp_does_not_carry_has_no_plan() {
    let mut plans = Plans::default();
    let halftrack = plans.record(fcp_key(read(27_998, 1)));
    assert_eq!(halftrack, Err(PlanError::Program(ProgramError::Blocks(27_998))));
    assert_eq!(halftrack.unwrap_err().to_string(), "27998 octets are not one or more logical blocks of 512");
    let command = plans.record(PlanKey { protocol: Protocol::Command, ..fcp_key(read(4096, 1)) });
    assert_eq!(command, Err(PlanError::Program(ProgramError::CommandMode)));
    assert!(plans.is_empty());
}

/// Both ends of an exchange over a link that loses one unit.
struct Pair<'a> {
    plans: &'a Plans,
    channel: ChannelHalf,
    control_unit: ControlUnitHalf,
    /// Side and number of the unit that is lost.
    lost: (Side, usize),
    sent: [Vec<IuKind>; 2],
}

impl Pair<'_> {
    fn put(&mut self, now: Time, from: Side, transmit: &Transmit) {
        let (plans, iu) = (self.plans, transmit.iu.as_deref());
        let number = self.sent[from as usize].len();
        self.sent[from as usize].push(transmit.step.kind);
        let is_lost = self.lost == (from, number);
        if is_lost {
            self.channel.leave_plan(plans, IDENTITY, now);
            self.control_unit.leave_plan(plans, IDENTITY, now);
        }
        match (from, is_lost) {
            (Side::Channel, true) => self.control_unit.handle_loss(plans, IDENTITY, now),
            (Side::Channel, false) => self.control_unit.handle(plans, IDENTITY, now, iu),
            (Side::ControlUnit, true) => self.channel.handle_loss(plans, IDENTITY, now),
            (Side::ControlUnit, false) => self.channel.handle(plans, IDENTITY, now, iu),
        }
    }

    /// Runs until nothing is left to do; both outcomes, and when it was quiet.
    fn run(&mut self) -> (ChannelOutcome, ControlUnitOutcome, Time) {
        let (mut now, mut outcomes) = (Time::ZERO, (None, None));
        loop {
            let mut queue = VecDeque::new();
            while self.channel.may_transmit(self.plans) {
                queue.push_back((Side::Channel, self.channel.take_transmit(self.plans)));
            }
            while self.control_unit.may_transmit(self.plans) {
                queue.push_back((Side::ControlUnit, self.control_unit.take_transmit(self.plans)));
            }
            let is_quiet = queue.is_empty();
            queue.iter().for_each(|(from, transmit)| self.put(now, *from, transmit));
            outcomes.0 = outcomes.0.or_else(|| self.channel.outcome(self.plans));
            outcomes.1 = outcomes.1.or_else(|| self.control_unit.outcome(self.plans));
            if is_quiet {
                // At the same time the channel is first: its command was sent before it arrived.
                let (channel, control_unit) = (self.channel.poll_timeout(), self.control_unit.poll_timeout());
                let Some(at) = channel.into_iter().chain(control_unit).min() else { break };
                now = at;
                if channel == Some(at) {
                    self.channel.handle_timeout(now);
                } else {
                    self.control_unit.handle_timeout(now);
                }
            }
        }
        (outcomes.0.expect("an outcome"), outcomes.1.expect("an outcome"), now)
    }
}

/// The initiator aborts when its time is over, and the command can be sent again in a new exchange.
#[test]
fn a_lost_unit_is_found_in_time_and_the_exchange_aborted() {
    let aborted = ChannelOutcome::InterfaceControlCheck(Cause::Timeout);
    for shape in [read(4096, 16), write(4096, 16)] {
        let (plans, id) = record(fcp_key(shape));
        let units = [Side::Channel, Side::ControlUnit]
            .map(|side| (0..plans[id].steps(side).len()).map(move |number| (side, number)));
        for lost in units.into_iter().flatten() {
            let (channel, control_unit) = (ChannelHalf::open(id), ControlUnitHalf::open(id));
            let sent = Default::default();
            let mut pair = Pair { plans: &plans, channel, control_unit, lost, sent };
            let (channel, control_unit, quiet_at) = pair.run();
            assert_eq!((channel, quiet_at), (aborted, Time::ZERO + COMMAND_TIMEOUT), "{lost:?}");
            assert_eq!(pair.sent[0].last(), Some(&IuKind::Abort), "{lost:?}");
            assert_eq!(pair.sent[1].last(), Some(&IuKind::AbortAccept), "{lost:?}");
            // It has sent its last unit where that or the data before it are lost.
            let is_over = lost.0 == Side::ControlUnit && pair.sent[1].contains(&IuKind::FcpResponse);
            let expected = if is_over {
                ControlUnitOutcome::Completed
            } else {
                ControlUnitOutcome::Abandoned(Cause::Cancelled)
            };
            assert_eq!(control_unit, expected, "{lost:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn every_exchange_ends_once(
        key in any_fcp_key(),
        seed: u64,
        live: (bool, bool),
        loss_ppm in prop_oneof![Just(0_u32), 1_000_u32..400_000, Just(1_000_000)],
        cancel_us in proptest::option::of(0_u64..60),
        down_us in proptest::option::of(0_u64..80),
        late in proptest::option::of(0_u64..2),
        busy in proptest::option::weighted(0.2, prop_oneof![Just(BusyKind::Device), Just(BusyKind::ControlUnit)]),
    ) {
        // A late fault falls into the recovery from an earlier one.
        let shift = late.map_or(Span::ZERO, |late| COMMAND_TIMEOUT + RESOURCE_ALLOCATION_TIMEOUT * (2 * late));
        let transcript = run_key(key, RigOptions {
            channel_live: live.0,
            control_unit_live: live.1,
            loss_ppm,
            busy,
            cancel_at: cancel_us.map(us),
            link_down_at: down_us.map(|at| us(at) + shift),
            ..options(seed)
        });
        assert_ends_once(&transcript);
        // A command, and ABTS twice.
        let longest = COMMAND_TIMEOUT + RESOURCE_ALLOCATION_TIMEOUT * 4 + Span::from_ms(1);
        prop_assert!(transcript.quiet_at <= Time::ZERO + longest, "{}", transcript.quiet_at);
    }

    /// An end that reports a normal end is right: every byte was moved.
    #[test]
    fn a_normal_end_has_all_its_data(key in any_fcp_key(), seed: u64, loss_ppm in 1_000_u32..200_000) {
        assert_data_of_a_normal_end(key, RigOptions { loss_ppm, ..options(seed) });
    }
}

#[test]
fn a_busy_target_is_a_busy_device() {
    for kind in [BusyKind::Device, BusyKind::ControlUnit] {
        for shape in [read(4096, 4), write(4096, 4)] {
            let transcript = run_key(fcp_key(shape), RigOptions { busy: Some(kind), ..options(1) });
            assert_eq!(transcript.channel, [ChannelOutcome::Busy(BusyKind::Device)]);
            assert_eq!(transcript.control_unit, [ControlUnitOutcome::Refused]);
            assert_eq!(kinds(&transcript.steps(Side::ControlUnit)), [IuKind::FcpResponse]);
            assert!(transcript.steps(Side::ControlUnit).iter().all(|step| step.delay == Delay::None));
        }
    }
}

#[test]
fn a_dead_link_is_an_interface_control_check_after_two_aborts() {
    let options = RigOptions { loss_ppm: 1_000_000, ..options(2) };
    let transcript = run_key(fcp_key(read(4096, 1)), options);
    assert_eq!(transcript.channel, [ChannelOutcome::InterfaceControlCheck(Cause::Timeout)]);
    assert_eq!(transcript.control_unit, [ControlUnitOutcome::Abandoned(Cause::Timeout)]);
    let sent = kinds(&transcript.steps(Side::Channel));
    assert_eq!(sent, [IuKind::FcpCommand, IuKind::Abort, IuKind::Abort]);
}

#[test]
fn a_cancel_is_an_abort_that_is_accepted() {
    let slow = [Span::from_us(100), Span::ZERO];
    let options = RigOptions { delay_max: slow, cancel_at: Some(us(1)), ..options(3) };
    let transcript = run_key(fcp_key(read(4096, 1)), options);
    assert_eq!(transcript.channel, [ChannelOutcome::Cancelled]);
    assert_eq!(kinds(&transcript.steps(Side::Channel)), [IuKind::FcpCommand, IuKind::Abort]);
    assert_eq!(kinds(&transcript.steps(Side::ControlUnit)).last(), Some(&IuKind::AbortAccept));
    assert_ends_once(&transcript);
}

#[test]
fn link_down_closes_both_ends_at_once() {
    let slow = [Span::ZERO, Span::from_us(100)];
    let options = RigOptions { delay_max: slow, link_down_at: Some(us(1)), ..options(4) };
    let transcript = run_key(fcp_key(read(4096, 1)), options);
    assert_eq!(transcript.channel, [ChannelOutcome::InterfaceControlCheck(Cause::LinkDown)]);
    assert_eq!(transcript.quiet_at, us(1));
    assert_ends_once(&transcript);
}

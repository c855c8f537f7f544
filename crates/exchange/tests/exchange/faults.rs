//! Every exchange ends exactly once at each end that was begun, whatever is lost or withdrawn and when.

use crate::common::{any_key, key, read, write};
use crate::runs::{assert_data_of_a_normal_end, assert_ends_once, options, run_key, us};
use halftrack_base::Span;
use halftrack_exchange::rig::RigOptions;
use halftrack_exchange::{BusyKind, Cause, ChannelOutcome, ControlUnitOutcome, Side};
use halftrack_program::Protocol;
use halftrack_wire::IuKind;
use halftrack_wire::choices::{CHANNEL_TIMEOUT_US, CONTROL_UNIT_TIMEOUT_US};
use proptest::prelude::*;

const PROTOCOLS: [Protocol; 2] = [Protocol::Command, Protocol::Transport];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn every_exchange_ends_once(
        key in any_key(),
        seed: u64,
        live: (bool, bool),
        loss_ppm in prop_oneof![Just(0_u32), 1_000_u32..400_000, Just(1_000_000)],
        cancel_us in proptest::option::of(0_u64..60),
        down_us in proptest::option::of(0_u64..80),
        late in proptest::option::of(0_u64..2),
        busy in proptest::option::weighted(0.2, prop_oneof![Just(BusyKind::Device), Just(BusyKind::ControlUnit)]),
    ) {
        // A late fault falls into the recovery from an earlier one.
        let shift = late.map_or(0, |late| CHANNEL_TIMEOUT_US * (late + 1));
        let transcript = run_key(key, RigOptions {
            channel_live: live.0,
            control_unit_live: live.1,
            loss_ppm,
            busy,
            cancel_at: cancel_us.map(us),
            link_down_at: down_us.map(|at| us(at + shift)),
            ..options(seed)
        });
        assert_ends_once(&transcript);
        // Whatever was lost, all is quiet when both time-outs of the channel, and the control unit's, are over.
        prop_assert!(transcript.quiet_at <= us(2 * CONTROL_UNIT_TIMEOUT_US));
    }

    /// An end that reports a normal end is right: every byte was moved.
    #[test]
    fn a_normal_end_has_all_its_data(key in any_key(), seed: u64, loss_ppm in 1_000_u32..200_000) {
        assert_data_of_a_normal_end(key, RigOptions { loss_ppm, ..options(seed) });
    }
}

#[test]
fn busy_is_answered_and_nothing_is_done() {
    for protocol in PROTOCOLS {
        for kind in [BusyKind::Device, BusyKind::ControlUnit] {
            let options = RigOptions { busy: Some(kind), ..options(1) };
            let transcript = run_key(key(write(4096, 4), protocol), options);
            assert_eq!(transcript.channel, [ChannelOutcome::Busy(kind)]);
            assert_eq!(transcript.control_unit, [ControlUnitOutcome::Refused]);
            assert_eq!(transcript.steps(Side::ControlUnit).len(), 1);
        }
    }
}

#[test]
fn a_dead_link_is_an_interface_control_check_after_two_time_outs() {
    for protocol in PROTOCOLS {
        let options = RigOptions { loss_ppm: 1_000_000, ..options(2) };
        let transcript = run_key(key(read(4096, 1), protocol), options);
        assert_eq!(transcript.channel, [ChannelOutcome::InterfaceControlCheck(Cause::Timeout)]);
        assert_eq!(transcript.control_unit, [ControlUnitOutcome::Abandoned(Cause::Timeout)]);
        let withdrawal = [IuKind::Cancel, IuKind::Abort][protocol as usize];
        let last = transcript.steps(Side::Channel).last().map(|step| step.kind);
        assert_eq!(last, Some(withdrawal));
    }
}

#[test]
fn cancel_is_acknowledged() {
    for (protocol, asked, answered) in [
        (Protocol::Command, IuKind::Cancel, IuKind::DeviceAck),
        (Protocol::Transport, IuKind::Abort, IuKind::AbortAccept),
    ] {
        let slow = [Span::from_us(100), Span::ZERO];
        let options = RigOptions { delay_max: slow, cancel_at: Some(us(1)), ..options(3) };
        let transcript = run_key(key(read(4096, 1), protocol), options);
        assert_eq!(transcript.channel, [ChannelOutcome::Cancelled]);
        assert_eq!(transcript.steps(Side::Channel).last().map(|step| step.kind), Some(asked));
        assert_eq!(transcript.steps(Side::ControlUnit).last().map(|step| step.kind), Some(answered));
        assert_ends_once(&transcript);
    }
}

#[test]
fn link_down_closes_both_ends_at_once() {
    for protocol in PROTOCOLS {
        let slow = [Span::ZERO, Span::from_us(100)];
        let options = RigOptions { delay_max: slow, link_down_at: Some(us(1)), ..options(4) };
        let transcript = run_key(key(read(4096, 1), protocol), options);
        let down = ChannelOutcome::InterfaceControlCheck(Cause::LinkDown);
        assert_eq!(transcript.channel, [down]);
        assert_eq!(transcript.quiet_at, us(1));
        assert_ends_once(&transcript);
    }
}

/// Loses exactly one IU of the exchange, each in turn, by finding a seed that does.
#[test]
fn one_lost_iu_is_found_by_its_count_or_in_time() {
    let mut purged = 0;
    for seed in 0..400 {
        let options = RigOptions { loss_ppm: 150_000, ..options(seed) };
        let transcript = run_key(key(read(4096, 6), Protocol::Command), options);
        assert_ends_once(&transcript);
        let purges = transcript.sent.iter().filter(|sent| sent.step.kind == IuKind::PurgePath).count();
        purged += usize::from(purges > 0);
        let lost_before_status = transcript.sent.iter().any(|sent| {
            sent.lost && matches!(sent.step.kind, IuKind::Command | IuKind::CommandData | IuKind::Data)
        });
        if lost_before_status {
            assert!(matches!(transcript.channel[0], ChannelOutcome::InterfaceControlCheck(_)), "seed {seed}");
        }
    }
    assert!(purged > 50, "{purged} purges");
}

//! A channel busy, a control unit busy and a path lost in a run: every I/O still ends exactly once.

use halftrack_base::Span;
use halftrack_config::{Disturbance, DisturbanceKind, ProtocolChoice};
use halftrack_program::Protocol;
use halftrack_record::Run;

use crate::site::{Knobs, OPTIONS, closed, run, stream};

fn disturbed(channels: usize, protocol: Protocol, kind: DisturbanceKind) -> Run {
    let mut work = stream("work", closed(32));
    work.protocol = ProtocolChoice::Always(protocol);
    let at = Span::from_ms(8);
    let disturbances = vec![Disturbance { at, lasts: Span::from_ms(4), kind }];
    run(&Knobs { channels, streams: vec![work], disturbances, ..Knobs::default() }, OPTIONS).0
}

/// Makes a disturbance of each kind, one after the other, in a run of 150 ms with two channels.
pub fn one_of_each() -> Vec<Disturbance> {
    let ms = Span::from_ms;
    [
        (30, DisturbanceKind::PathLost { channel: 1 }),
        (60, DisturbanceKind::ControlUnitBusy { lcu: 0 }),
        (90, DisturbanceKind::ChannelBusy { channel: 0 }),
        (105, DisturbanceKind::VaryPath { lpar: 0, lcu: 0, channel: 1 }),
        (120, DisturbanceKind::ConfigChp { lpar: 0, channel: 0 }),
    ]
    .map(|(at, kind)| Disturbance { at: ms(at), lasts: ms(9), kind })
    .into()
}

/// Makes forty losses of one or the other of two channels, so short that a path is left for every I/O.
pub fn losses_of_two_channels() -> Vec<Disturbance> {
    let loss = |index: u64| Disturbance {
        at: Span::from_us(8_000 + 7_300 * index),
        lasts: Span::from_us(2_900),
        kind: DisturbanceKind::PathLost { channel: (index % 2) as u32 },
    };
    (0..40).map(loss).collect()
}

/// Checks that no I/O of a run with such losses fails, and that every stream goes on.
pub fn the_other_path_carries_all(knobs: &Knobs) {
    let (run, _) = run(knobs, OPTIONS);
    assert_eq!(run.streams.iter().map(|stream| stream.failed).sum::<u64>(), 0, "the other path carries all");
    assert!(run.streams.iter().all(|stream| stream.completed > 20));
}

const PROTOCOLS: [Protocol; 2] = [Protocol::Command, Protocol::Transport];

#[test]
fn a_lost_path_is_redriven_over_the_others() {
    for protocol in PROTOCOLS {
        let run = disturbed(2, protocol, DisturbanceKind::PathLost { channel: 0 });
        let stream = &run.streams[0];
        assert!(stream.completed > 500, "{protocol:?}: {}", stream.completed);
        assert_eq!(stream.failed, 0, "{protocol:?}: the other path carries all");
        let [lost, kept] = [&run.intervals[0].channels[0], &run.intervals[0].channels[1]];
        let started = |channel: &halftrack_record::ChannelInterval| channel.started();
        assert!(started(lost) < started(kept), "{protocol:?}: the lost path carried as much");
        assert!(lost.online, "it came back");
    }
}

#[test]
fn without_another_path_io_ends_not_operational_until_the_path_is_back() {
    for protocol in PROTOCOLS {
        let run = disturbed(1, protocol, DisturbanceKind::PathLost { channel: 0 });
        let stream = &run.streams[0];
        assert!(stream.failed > 0, "{protocol:?}");
        assert!(stream.completed > stream.failed, "{protocol:?}: work went on after the path was back");
    }
}

#[test]
fn a_busy_control_unit_is_retried_and_presents_control_unit_end() {
    for protocol in PROTOCOLS {
        let run = disturbed(2, protocol, DisturbanceKind::ControlUnitBusy { lcu: 1 });
        assert_eq!(run.streams[0].failed, 0, "{protocol:?}");
        let interval = &run.intervals[0];
        let retried: u64 = interval.iops.iter().map(|iop| iop.retries.control_unit_busy).sum();
        assert!(retried > 0, "{protocol:?}: the IOPs retried nothing");
        let busy = &interval.lcus[1].paths;
        assert!(busy.iter().all(|path| path.control_unit_busy > 0), "{protocol:?}: {busy:?}");
        assert!(busy.iter().any(|path| path.control_unit_busy_ps > 0), "{protocol:?}: {busy:?}");
        let idle = &interval.lcus[0].paths;
        assert!(idle.iter().all(|path| path.control_unit_busy == 0), "{protocol:?}: {idle:?}");
    }
}

#[test]
fn a_busy_channel_is_passed_over() {
    for protocol in PROTOCOLS {
        let run = disturbed(2, protocol, DisturbanceKind::ChannelBusy { channel: 1 });
        assert_eq!(run.streams[0].failed, 0, "{protocol:?}");
        let retried: u64 = run.intervals[0].iops.iter().map(|iop| iop.retries.channel_path_busy).sum();
        assert!(retried > 0, "{protocol:?}: the IOPs retried nothing");
    }
}

#[test]
fn all_channels_busy_waits_and_goes_on() {
    for protocol in PROTOCOLS {
        let run = disturbed(1, protocol, DisturbanceKind::ChannelBusy { channel: 0 });
        assert_eq!(run.streams[0].failed, 0, "{protocol:?}");
        assert!(run.streams[0].completed > 300, "{protocol:?}");
    }
}

//! Frames lost on links: every I/O still ends exactly once, planned as live, and errors cost what the time-outs are.

use halftrack_base::Span;
use halftrack_config::{
    Arrivals, Disturbance, DisturbanceKind, ErrorUnit, FrameErrors, Part, ProtocolChoice, Stream,
};
use halftrack_machine::{Fidelity, Options};
use halftrack_program::{Operation, Protocol};
use halftrack_record::{Recoveries, Run};

use crate::site::{Knobs, OPTIONS, Topology, open, run, same_every_way, shape, stream};

const PROTOCOLS: [Protocol; 2] = [Protocol::Command, Protocol::Transport];
const FIDELITIES: [Fidelity; 2] = [Fidelity::Burst, Fidelity::Frame];

/// Returns bit errors of 8b/10b links.
fn errors(bit_error_rate: f64) -> Option<FrameErrors> {
    Some(FrameErrors { chance: bit_error_rate, unit: ErrorUnit::Bit { data: 8, sent: 10 } })
}

/// Makes reads and writes of so many records of 4 KiB in one protocol, as many of each.
fn work(protocol: Protocol, records: u16, rate_per_s: u64) -> Stream {
    let mut work = stream("work", open(rate_per_s));
    work.protocol = ProtocolChoice::Always(protocol);
    work.read = shape(Operation::Read, records, 4096);
    work.write = shape(Operation::UpdateWrite, records, 4096);
    work.read_ppm = 500_000;
    work.hit_ppm = 900_000;
    work
}

/// Makes two channels with errors on every link, for so many seconds.
fn noisy(protocol: Protocol, records: u16, bit_error_rate: f64, seconds: u64) -> Knobs {
    Knobs {
        channels: 2,
        streams: vec![work(protocol, records, 100)],
        errors: errors(bit_error_rate),
        interval: Span::from_s(seconds),
        ..Knobs::default()
    }
}

fn recoveries(run: &Run) -> Recoveries {
    let channels = run.intervals.iter().flat_map(|interval| &interval.channels);
    channels.fold(Recoveries::default(), |sum, channel| Recoveries {
        time_outs: sum.time_outs + channel.recoveries.time_outs,
        redrives: sum.redrives + channel.recoveries.redrives,
        missing_interrupts: sum.missing_interrupts + channel.recoveries.missing_interrupts,
    })
}

fn lost(run: &Run) -> u64 {
    run.intervals.iter().flat_map(|interval| &interval.links).map(|link| link.lost).sum()
}

#[test]
fn every_io_ends_once_whatever_frame_is_lost() {
    for protocol in PROTOCOLS {
        for (records, rate) in [(1, 3e-6), (8, 5e-7), (32, 2e-7)] {
            for fidelity in FIDELITIES {
                let knobs = noisy(protocol, records, rate, 30);
                let (run, _) = run(&knobs, Options { fidelity, ..OPTIONS });
                let (lost, found) = (lost(&run), recoveries(&run));
                let failed = run.streams[0].failed;
                assert_eq!(failed, found.missing_interrupts, "{protocol:?} {records}: the rest is redriven");
                assert!(failed <= 2, "{protocol:?} {records}: {failed}");
                assert!(lost > 100 && found.redrives > 100, "{protocol:?} {records}: {lost} {found:?}");
            }
        }
    }
}

#[test]
fn planned_and_live_and_any_number_of_threads_lose_the_same_frames() {
    for protocol in PROTOCOLS {
        for fidelity in FIDELITIES {
            same_every_way(&noisy(protocol, 8, 1e-6, 12), fidelity, 500);
        }
    }
    let trunk = Knobs { topology: Topology::Trunk, ..noisy(Protocol::Command, 1, 3e-6, 12) };
    same_every_way(&trunk, Fidelity::Burst, 500);
    let drops = DisturbanceKind::FramesDropped { part: Part::Channel(0), share_ppm: 50_000 };
    let disturbances = vec![Disturbance { at: Span::from_s(1), lasts: Span::from_s(5), kind: drops }];
    let dropped = Knobs { errors: None, disturbances, ..noisy(Protocol::Transport, 1, 0.0, 12) };
    let run = same_every_way(&dropped, Fidelity::Burst, 500);
    assert!(lost(&run) > 5, "{}", lost(&run));
}

/// Makes one channel at one port with reads of 4 KiB in transport mode, so few a second that each device is seldom in use.
fn reads(bit_error_rate: f64) -> Knobs {
    let mut work = stream("reads", open(1_000));
    work.protocol = ProtocolChoice::Always(Protocol::Transport);
    Knobs {
        topology: Topology::Direct,
        ports: 1,
        devices_per_lcu: 256,
        streams: vec![work],
        errors: errors(bit_error_rate).filter(|_| bit_error_rate > 0.0),
        interval: Span::from_s(60),
        ..Knobs::default()
    }
}

/// Returns the I/Os of a run and the sum of PEND, DISC and CONN of them, s.
fn served(run: &Run) -> (f64, f64) {
    let devices = run.intervals.iter().flat_map(|interval| &interval.devices);
    devices.fold((0.0, 0.0), |(ios, seconds), device| {
        let served_ps = device.pend_ps + device.disc_ps + device.conn_ps;
        (ios + device.completed as f64, seconds + served_ps as f64 / 1e12)
    })
}

/// 1 - (1 - p)^bits of the I/Os meet an error, here to 3 %, and each time-out adds 2 s to the response without IOSQ.
#[test]
fn errors_cost_what_the_closed_form_says() {
    let rate = 5e-7;
    let ((clean, _), (noisy, _)) = (run(&reads(0.0), OPTIONS), run(&reads(rate), OPTIONS));
    let ((clean_ios, clean_s), (ios, seconds)) = (served(&clean), served(&noisy));
    let links = clean.intervals.iter().flat_map(|interval| &interval.links);
    let bits = links.map(|link| link.wire_bytes * 10).sum::<u64>() as f64 / clean_ios;
    let expected = -f64::exp_m1(bits * f64::ln_1p(-rate));
    let found = recoveries(&noisy);
    let attempts = ios + found.redrives as f64;
    let met = found.redrives as f64 / attempts;
    assert!((met / expected - 1.0).abs() < 0.08, "{met} of the attempts meet an error, {expected} expected");
    let mean_s = clean_s / clean_ios + found.time_outs as f64 * 2.0 / ios;
    assert!(found.time_outs > 50, "{found:?}");
    assert!((seconds / ios / mean_s - 1.0).abs() < 0.05, "{} s, {mean_s} s expected", seconds / ios);
}

/// Of forward error correction codewords are lost, and at a rate that bits would not survive almost none.
#[test]
fn a_link_with_error_correction_loses_frames_by_codewords() {
    let codewords = |chance: f64| {
        let unit = ErrorUnit::Codeword { octets: 640 };
        Knobs { errors: Some(FrameErrors { chance, unit }), ..noisy(Protocol::Transport, 8, 0.0, 12) }
    };
    let run = same_every_way(&codewords(2e-4), Fidelity::Burst, 500);
    assert!(lost(&run) > 20 && recoveries(&run).redrives > 10, "{}", lost(&run));
}

/// The laws of a run hold: time-outs slow a closed loop down more than its queues can.
#[test]
fn a_closed_loop_that_waits_for_time_outs_breaks_no_law() {
    for (protocol, records) in [(Protocol::Command, 1), (Protocol::Transport, 1), (Protocol::Command, 16)] {
        let mut work =
            stream("reads", Arrivals::Closed { jobs: 8, think: Span::from_ms(4), exponential: false });
        work.protocol = ProtocolChoice::Always(protocol);
        work.read = shape(Operation::Read, records, 4096);
        let knobs = Knobs {
            streams: vec![work],
            errors: errors(3e-7),
            interval: Span::from_s(20),
            ..Knobs::default()
        };
        let (run, _) = run(&knobs, OPTIONS);
        let rate_per_s = run.streams[0].rate_per_s.mean;
        assert!(rate_per_s < 1_800.0 && recoveries(&run).time_outs > 5, "{protocol:?}: {rate_per_s}");
    }
}

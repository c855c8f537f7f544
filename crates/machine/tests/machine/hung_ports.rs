//! A port that loses every frame while its link stays, and light that is lost for less than R_T_TOV: what the twin has of
//! the faults `port-hung` and `light-lost`.

use halftrack_base::Span;
use halftrack_config::{Arrivals, Disturbance, DisturbanceKind, Part, ProtocolChoice};
use halftrack_machine::Fidelity;
use halftrack_program::Protocol;
use halftrack_record::{Interval, Run};

use crate::site::{Knobs, OPTIONS, run, same_every_way, stream};

const PROTOCOLS: [Protocol; 2] = [Protocol::Command, Protocol::Transport];
const FIDELITIES: [Fidelity; 2] = [Fidelity::Burst, Fidelity::Frame];
/// A port that hangs, and a channel whose light is lost.
const PARTS: [Part; 2] = [Part::Port(1), Part::Channel(1)];

/// Makes two channels and two ports, with jobs that wait 2 ms between their I/Os. `part` loses every frame from 0.5 s on.
fn lossy((protocol, jobs): (Protocol, u32), part: Part, lasts: Span, seconds: u32) -> Knobs {
    let jobs = Arrivals::Closed { jobs, think: Span::from_ms(2), exponential: true };
    let mut work = stream("work", jobs);
    work.protocol = ProtocolChoice::Always(protocol);
    work.read_ppm = 700_000;
    let kind = DisturbanceKind::FramesDropped { part, share_ppm: 1_000_000 };
    Knobs {
        channels: 2,
        ports: 2,
        spread: true,
        streams: vec![work],
        disturbances: vec![Disturbance { at: Span::from_ms(500), lasts, kind }],
        interval: Span::from_s(1),
        intervals: seconds,
        ..Knobs::default()
    }
}

fn completed(interval: &Interval) -> u64 {
    interval.devices.iter().map(|device| device.completed).sum()
}

/// Returns time-outs, redrives and missing interrupts of a run.
fn recoveries(run: &Run) -> [u64; 3] {
    let channels = run.intervals.iter().flat_map(|interval| &interval.channels);
    channels.map(|channel| channel.recoveries).fold([0; 3], |[outs, drives, missing], one| {
        [outs + one.time_outs, drives + one.redrives, missing + one.missing_interrupts]
    })
}

/// Returns the I/Os of each second of a run with such a loss in the first one. Planned and live, on one thread and on two, are
/// alike.
fn each_second(knobs: &Knobs, fidelity: Fidelity) -> Vec<u64> {
    let run = same_every_way(knobs, fidelity, 1_000);
    assert_eq!(run.streams[0].failed, 0, "{fidelity:?}");
    let [time_outs, redrives, missing_interrupts] = recoveries(&run);
    assert!(time_outs > 0 && redrives > 0 && missing_interrupts == 0, "{fidelity:?}: {:?}", recoveries(&run));
    run.intervals.iter().map(completed).collect()
}

#[test]
fn after_50_ms_of_loss_every_io_ends_once_and_the_rate_is_back() {
    for protocol in PROTOCOLS {
        for part in PARTS {
            let knobs = lossy((protocol, 4), part, Span::from_ms(50), 4);
            let clean = run(&Knobs { disturbances: Vec::new(), ..knobs.clone() }, OPTIONS).0;
            let whole = completed(&clean.intervals[3]);
            let [bursts, frames] = FIDELITIES.map(|fidelity| each_second(&knobs, fidelity));
            for (burst, frame) in bursts.iter().zip(&frames) {
                assert!(
                    burst.abs_diff(*frame) * 50 <= whole,
                    "{protocol:?} {part:?}: {bursts:?}, {frames:?}"
                );
            }
            // Exchanges that lost a frame wait 2 s for it.
            assert!(bursts[3] * 20 > whole * 19, "{protocol:?} {part:?}: {bursts:?} of {whole}");
        }
    }
}

#[test]
fn a_port_that_hangs_for_seconds_fails_no_io_and_the_rate_is_back_after_it() {
    for protocol in PROTOCOLS {
        let knobs = lossy((protocol, 16), Part::Port(1), Span::from_s(5), 10);
        let (run, _) = run(&knobs, OPTIONS);
        assert_eq!(run.streams[0].failed, 0, "{protocol:?}");
        let [last, before] = [9, 8].map(|second: usize| completed(&run.intervals[second]));
        assert!(last.min(before) > 7_000, "{protocol:?}: {before}, {last}");
    }
}

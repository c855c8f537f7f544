//! Runs that decide by themselves when to begin and when to stop measuring.

use std::sync::Arc;

use halftrack_base::Span;
use halftrack_config::{Arrivals, Selection, Stream};
use halftrack_machine::{ExchangeMode, Options, Precision, Simulation, Threads, WiringError};
use halftrack_record::Run;

use crate::site::{Knobs, OPTIONS, closed, configuration, open, run, stream};

const MS_PS: u64 = 1_000_000_000;

fn precise(relative: f64, at_most: u32) -> Options {
    Options { precision: Some(Precision { at_most, ..Precision::new(0.95, relative) }), ..OPTIONS }
}

fn measured_ps(run: &Run) -> u64 {
    run.intervals.iter().map(|interval| interval.length_ps).sum()
}

fn busy_site() -> Knobs {
    Knobs { streams: vec![stream("closed", closed(24)), stream("open", open(20_000))], ..Knobs::default() }
}

#[test]
fn a_deterministic_stream_is_known_at_the_first_decision() {
    let even = Arrivals::Open { interarrival: Span::from_us(5), poisson: false };
    let even = Stream { selection: Selection::Sequential, ..stream("even", even) };
    let interval = Span::from_ms(40);
    let (run, _) = run(&Knobs { interval, streams: vec![even], ..Knobs::default() }, precise(0.01, 100));
    let precision = run.precision.as_ref().unwrap();
    assert!(precision.reached(), "{precision:?}");
    // A tenth of the interval.
    assert_eq!((run.intervals.len(), run.intervals[0].length_ps), (1, 4 * MS_PS));
    assert!(run.streams[0].completed.abs_diff(800) <= 1, "{} completed", run.streams[0].completed);
    assert!((run.streams[0].rate_per_s.mean - 200_000.0).abs() < 500.0);
}

#[test]
fn a_run_stops_when_every_stream_is_known() {
    let (run, counters) = run(&busy_site(), precise(0.02, 100));
    assert!(run.precision.as_ref().unwrap().reached());
    for stream in &run.streams {
        for estimate in [stream.rate_per_s, stream.response_us] {
            assert!(estimate.half_width > 0.0 && estimate.half_width <= 0.02 * estimate.mean, "{stream:?}");
            assert_eq!(estimate.confidence, 0.95);
        }
    }
    // Intervals are whole but for the last, and their lengths are the measured time.
    let (last, whole) = run.intervals.split_last().unwrap();
    assert!(whole.iter().all(|interval| interval.length_ps == 20 * MS_PS));
    assert!(last.length_ps > 0 && last.length_ps <= 20 * MS_PS);
    assert_eq!(last.start_ps, 20 * MS_PS * whole.len() as u64);
    assert_eq!(counters.simulated.as_ps(), 5 * MS_PS + measured_ps(&run));
    assert!(run.intervals.len() < 100);
    assert_eq!(run.warmup.discarded_ps, 5 * MS_PS);
}

#[test]
fn a_sharper_precision_and_a_higher_confidence_take_longer() {
    let length = |confidence, relative| {
        let precision = Precision { at_most: 1000, ..Precision::new(confidence, relative) };
        let (run, _) = run(&busy_site(), Options { precision: Some(precision), ..OPTIONS });
        assert!(run.precision.as_ref().unwrap().reached());
        measured_ps(&run)
    };
    assert!(length(0.95, 0.05) < length(0.95, 0.02));
    assert!(length(0.8, 0.02) < length(0.99, 0.02));
}

#[test]
fn what_is_not_reached_is_said() {
    let (run, _) = run(&busy_site(), precise(0.000_01, 2));
    let precision = run.precision.as_ref().unwrap();
    assert!(!precision.reached());
    assert!(precision.missed.iter().any(|missed| {
        (missed.stream.as_str(), missed.quantity.as_str()) == ("open", "response")
            && missed.relative.is_some_and(|relative| relative > 0.000_01)
    }));
    assert_eq!((run.intervals.len(), measured_ps(&run)), (2, 40 * MS_PS));
}

#[test]
fn a_stream_without_ios_is_never_known() {
    let idle = Arrivals::Open { interarrival: Span::from_s(3600), poisson: false };
    let streams = vec![stream("busy", closed(8)), stream("idle", idle)];
    let (run, _) = run(&Knobs { streams, ..Knobs::default() }, precise(0.2, 1));
    let missed = &run.precision.as_ref().unwrap().missed;
    assert_eq!(missed.len(), 2, "{missed:?}");
    assert!(missed.iter().all(|it| it.stream == "idle" && it.relative.is_none() && !it.sound));
    assert_eq!(run.streams[1].response_us.half_width, 0.0, "a file cannot hold what is not finite");
}

#[test]
fn decisions_are_the_same_planned_and_live_on_any_number_of_threads() {
    let knobs = Knobs { detect_warmup: true, ..busy_site() };
    let (reference, counters) = run(&knobs, precise(0.03, 50));
    assert!(reference.precision.as_ref().unwrap().reached());
    for exchange in [ExchangeMode::Planned, ExchangeMode::Live] {
        for threads in [1, 2] {
            let (again, same) =
                run(&knobs, Options { exchange, threads: Threads::Exactly(threads), ..precise(0.03, 50) });
            assert_eq!(again, reference, "{exchange:?} on {threads} threads");
            assert_eq!(same, counters, "{exchange:?} on {threads} threads");
        }
    }
}

/// 96 jobs that all begin at once need some milliseconds to spread over the machine.
#[test]
fn the_warm_up_that_is_found_covers_the_transient() {
    let knobs = Knobs {
        detect_warmup: true,
        warmup: Span::ZERO,
        streams: vec![stream("work", closed(96))],
        ..Knobs::default()
    };
    let (found, counters) = run(&knobs, OPTIONS);
    let transient_ps = found.warmup.detected.unwrap().transient_ps.expect("it ends");
    assert!(found.warmup.discarded_ps >= 2 * transient_ps);
    assert_eq!((found.intervals.len(), measured_ps(&found)), (1, 20 * MS_PS));
    assert_eq!(counters.simulated.as_ps(), found.warmup.discarded_ps + 20 * MS_PS);
    // The same work, measured after more than enough.
    let long = Knobs { detect_warmup: false, warmup: Span::from_ms(100), ..knobs };
    let (long, _) = run(&long, OPTIONS);
    let (one, other) = (&found.streams[0], &long.streams[0]);
    let difference = (one.response_us.mean - other.response_us.mean).abs();
    assert!(difference < 0.01 * other.response_us.mean, "{one:?} against {other:?}");
    assert_eq!(found.streams[0].completed as f64, one.rate_per_s.mean * 0.02);
}

/// Twice what the channel can do: the queue grows for ever.
#[test]
fn an_overloaded_stream_has_no_end_of_warm_up() {
    let knobs =
        Knobs { detect_warmup: true, streams: vec![stream("flood", open(700_000))], ..Knobs::default() };
    let (run, _) = run(&knobs, OPTIONS);
    assert_eq!(run.warmup.detected.unwrap().transient_ps, None);
    assert!(run.warmup.discarded_ps <= 20 * MS_PS && run.warmup.discarded_ps > 19 * MS_PS);
}

#[test]
fn a_run_beyond_virtual_time_is_refused() {
    let mut configuration = configuration(&busy_site());
    configuration.run.interval = Span::from_s(86_400);
    let refused = Simulation::new(Arc::new(configuration), precise(0.01, 1_000_000));
    assert!(matches!(refused, Err(WiringError::TooLong(_))));
}

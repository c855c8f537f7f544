//! Truncations of series with known transients.

use halftrack_base::{Span, Time};
use halftrack_engine::{Fifo, RandomStream, WarmUp, truncation};
use proptest::collection::vec;
use proptest::prelude::*;

proptest! {
    /// Values within 1 of each other, after a first part that is 20 higher or lower: all of it goes, and what goes with
    /// it is less than half.
    #[test]
    fn a_step_goes_whole(
        noise in vec(0.0..1.0_f64, 64),
        length in 0_usize..24,
        height in prop_oneof![-40.0..-20.0_f64, 20.0..40.0],
    ) {
        let series: Vec<f64> = (0..64).map(|at| noise[at] + if at < length { height } else { 0.0 }).collect();
        let cut = truncation(&series);
        prop_assert!(cut.is_none_or(|cut| (length..32).contains(&cut)), "{cut:?} of {length}");
    }

    /// The standard error after the cut is no larger than after any other, by a second formula.
    #[test]
    fn no_other_cut_in_the_first_half_is_better(series in vec(0.0..100.0_f64, 10..80)) {
        let error = |cut: usize| {
            let kept = &series[cut..];
            let n = kept.len() as f64;
            let mean = kept.iter().sum::<f64>() / n;
            let variance = kept.iter().map(|value| value * value).sum::<f64>() / n - mean * mean;
            variance / n
        };
        let half = series.len() / 2;
        let best = truncation(&series).unwrap_or(half);
        for cut in 0..=half {
            prop_assert!(error(best) <= error(cut) + 1e-9, "{best} against {cut}");
        }
    }

    #[test]
    fn the_unit_does_not_matter(series in vec(0.0..100.0_f64, 1..80), power in -20..20_i32) {
        // Powers of two change no digit.
        let scaled: Vec<f64> = series.iter().map(|value| value * 2_f64.powi(power)).collect();
        prop_assert_eq!(truncation(&series), truncation(&scaled));
    }
}

/// A station that begins with a backlog of 2 ms and is 50 % busy needs about 4 ms to work it off.
#[test]
fn a_backlog_at_the_start_is_a_transient() {
    let mut cut_short = 0;
    for seed in 0..40 {
        let mut arrivals = RandomStream::new(seed, "arrivals");
        let mut services = RandomStream::new(seed, "services");
        let mut watch = WarmUp::new(Time::ZERO, Span::from_ms(5));
        let mut batches = watch.batches();
        let mut server = Fifo::new();
        server.arrive(Time::ZERO, Span::from_ms(2));
        let mut now = Time::ZERO;
        let found = loop {
            now += arrivals.exponential(Span::from_us(10));
            let departure = server.arrive(now, services.exponential(Span::from_us(5)));
            if departure >= watch.pilot_end() {
                if let Some(transient) = watch.transient(&batches) {
                    break transient;
                }
                watch.extend();
            }
            batches.record(departure, (departure - now).as_ps());
        };
        // When the backlog is worked off is random, with a standard deviation of about 0.2 ms.
        cut_short += u32::from(found < Span::from_us(3_500));
        assert!(found > Span::from_ms(3), "seed {seed}: {found:?}");
        assert!(watch.pilot_end() - Time::ZERO <= Span::from_ms(40), "seed {seed}");
    }
    assert!(cut_short <= 4, "{cut_short} of 40 transients were cut short");
}

//! The tandem through the engine against exact mean value analysis (Reiser and Lavenberg, JACM 27, 1980).

use halftrack_base::Time;
use halftrack_bench::tandem::{
    CUSTOMERS, MEAN_SERVICE, STATIONS, StationStatistics, Tandem, ThroughEngine, time_of_hops,
};

/// A relaxation of this network takes about customers^2 hops; a batch is many of them.
const BATCH_HOPS: u64 = 200_000;
const BATCHES: u64 = 30;
/// Student's t for 29 degrees of freedom, 95 % (two-sided); batches beyond the warm-up.
const STUDENT_T: f64 = 2.045;

/// Returns throughput of the circle for each us, response of a station in us, and mean number at it.
fn mean_value_analysis() -> (f64, f64, f64) {
    let service_us = MEAN_SERVICE.as_us_f64();
    let (mut rate_per_us, mut response_us, mut number) = (0.0, 0.0, 0.0);
    for customers in 1..=CUSTOMERS {
        response_us = service_us * (1.0 + number);
        rate_per_us = customers as f64 / (STATIONS as f64 * response_us);
        number = rate_per_us * response_us;
    }
    (rate_per_us, response_us, number)
}

/// Returns statistics of every station in batches after a warm-up.
fn batches() -> Vec<[StationStatistics; STATIONS]> {
    let mut tandem = ThroughEngine::new(20);
    let batch_ps = time_of_hops(BATCH_HOPS).as_ps();
    let batch = |n: u64| {
        tandem.run_until(Time::from_ps(n * batch_ps));
        tandem.take_statistics()
    };
    (1..=BATCHES + 1).map(batch).skip(1).collect()
}

/// Fails unless the 95 % confidence interval is narrower than `share` of `exact` and, taken three times, includes it.
fn agree(what: &str, values: impl Iterator<Item = f64>, exact: f64, share: f64) {
    let values: Vec<f64> = values.collect();
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let half_width = STUDENT_T * (variance / n).sqrt();
    assert!(
        half_width < share * exact,
        "{what}: {mean} +- {half_width} is too vague to compare with {exact}"
    );
    assert!((mean - exact).abs() < 3.0 * half_width, "{what}: {mean} +- {half_width}, but {exact} is exact");
}

#[test]
fn throughput_utilization_response_and_number_are_exact() {
    let (rate_per_us, response_us, number) = mean_value_analysis();
    let batches = batches();
    for station in 0..STATIONS {
        let of =
            |value: fn(&StationStatistics) -> f64| batches.iter().map(move |batch| value(&batch[station]));
        agree("rate", of(|s| s.rate_per_s), rate_per_us * 1e6, 0.005);
        agree("utilization", of(|s| s.utilization), rate_per_us * MEAN_SERVICE.as_us_f64(), 0.005);
        agree("response", of(|s| s.response_us), response_us, 0.05);
        agree("number", of(|s| s.number), number, 0.05);
    }
}

/// Little's law and conservation of customers hold in every batch, within what its ends can change.
#[test]
fn customers_are_conserved_and_obey_littles_law() {
    for batch in batches() {
        let present: f64 = batch.iter().map(|s| s.number).sum();
        assert!((present - CUSTOMERS as f64).abs() < 1e-6, "{present} customers");
        for station in batch {
            let arrived = station.rate_per_s * station.response_us / 1e6;
            assert!((arrived / station.number - 1.0).abs() < 0.02, "{station:?}");
        }
    }
}

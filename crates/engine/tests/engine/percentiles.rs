//! Percentiles from a histogram against those of all samples, and against queueing theory.

use halftrack_base::{Span, Time};
use halftrack_engine::{Fifo, Histogram, RandomStream};

use crate::harness::agree;

const PERMILLES: [u64; 4] = [500, 900, 990, 999];
const BATCHES: usize = 40;
const SAMPLES: usize = 100_000;

/// Returns 1-based rank of a percentile among `count` values.
fn rank(count: usize, permille: u64) -> usize {
    (count * permille as usize).div_ceil(1000)
}

fn of_buckets(buckets: &[(Span, u64)], permille: u64) -> f64 {
    let count: u64 = buckets.iter().map(|(_, count)| count).sum();
    let mut left = rank(count as usize, permille) as u64;
    let found = buckets.iter().find(|(_, count)| {
        let is_here = *count >= left;
        left = left.saturating_sub(*count);
        is_here
    });
    found.expect("something was counted").0.as_us_f64()
}

/// Responses of M/M/1 in the order of their arrival.
struct Queue {
    random: RandomStream,
    station: Fifo,
    now: Time,
}

impl Queue {
    fn next_response(&mut self, rho: f64) -> Span {
        let service = Span::from_us(100);
        self.now += self.random.exponential(Span::from_us_f64(100.0 / rho));
        let service = self.random.exponential(service);
        self.station.arrive(self.now, service).since(self.now)
    }
}

/// The response of M/M/1 is exponential with mean S / (1 - rho): its percentile p is -ln(1 - p) S / (1 - rho) (Kleinrock,
/// *Queueing Systems* 1, ch. 5). Each batch is held against the exact percentiles of its own samples too.
#[test]
fn percentiles_are_those_of_all_samples_and_of_mm1() {
    const RHO: f64 = 0.4;
    let mut queue = Queue { random: RandomStream::new(1, "mm1"), station: Fifo::new(), now: Time::ZERO };
    for _ in 0..SAMPLES {
        queue.next_response(RHO);
    }
    let mut histogram = Histogram::default();
    let mut found = [const { Vec::new() }; PERMILLES.len()];
    for _ in 0..BATCHES {
        let mut samples: Vec<Span> = (0..SAMPLES).map(|_| queue.next_response(RHO)).collect();
        samples.iter().for_each(|sample| histogram.record(*sample));
        samples.sort_unstable();
        let buckets = histogram.take();
        for (permille, found) in PERMILLES.into_iter().zip(&mut found) {
            let exact_us = samples[rank(SAMPLES, permille) - 1].as_us_f64();
            let counted_us = of_buckets(&buckets, permille);
            assert!(
                (counted_us / exact_us - 1.0).abs() < 0.004,
                "p{permille}: {counted_us}, exact {exact_us}"
            );
            found.push(counted_us);
        }
    }
    for (permille, found) in PERMILLES.into_iter().zip(&found) {
        let mean = found.iter().sum::<f64>() / BATCHES as f64;
        let squares: f64 = found.iter().map(|one| (one - mean).powi(2)).sum();
        // Student's t of 39 degrees of freedom at 95 %.
        let half_width = 2.023 * (squares / ((BATCHES - 1) * BATCHES) as f64).sqrt();
        let exact_us = -libm::log(1.0 - permille as f64 / 1000.0) * 100.0 / (1.0 - RHO);
        agree(&format!("p{permille} of 1000"), (mean, half_width), exact_us);
    }
}

//! The number of worker threads with which a run is expected to be fastest, from its configuration alone.
//!
//! Two processes on two threads report to each other as far ahead as a message takes: once in the time that both lookaheads have
//! together, each has simulated its part of the I/Os of that time. Where these are few the reports cost more than the second
//! thread brings.

use halftrack_base::Span;
use halftrack_config::Arrivals;

use crate::run::throughput_bounds::ClosedLoop;
use crate::wiring::Wiring;
use crate::wiring::demands::Demands;
use crate::wiring::offered::offered_per_s;
use crate::wiring::options::Threads;

/// I/Os that two processes must have within their lookaheads to be faster on a thread each. Measured with the largest z16, cables of
/// 0.1 km: 4.4 I/Os, and two threads are 1.15 times as fast as one (`docs/performance.md`).
const IOS_PER_REPORT_MIN: f64 = 4.0;

/// Processes of a run: more threads have nothing to do.
const PROCESSES: usize = 2;

/// Returns the number of threads of a run of `w`, whose two processes have `lookaheads` on a thread each.
pub(crate) fn thread_count(w: &Wiring, lookaheads: [Span; 2]) -> usize {
    match w.options.threads {
        Threads::Exactly(threads) => threads.clamp(1, PROCESSES),
        Threads::AtMost(0 | 1) => 1,
        Threads::AtMost(_) => {
            let [one_s, other_s] = lookaheads.map(Span::as_s_f64);
            let is_worth_it = expected_rate_per_s(w) * (one_s + other_s) >= IOS_PER_REPORT_MIN;
            if is_worth_it { PROCESSES } else { 1 }
        }
    }
}

/// Returns the I/Os a second that the streams have at most: open ones what they offer, closed ones what their stations let
/// through. Those that follow a trace are left out.
fn expected_rate_per_s(w: &Wiring) -> f64 {
    let c = &w.configuration;
    let demands = Demands::of(w);
    let rate_per_s = |(stream, demands): (&halftrack_config::Stream, _)| match stream.arrivals {
        Arrivals::Closed { jobs, .. } => ClosedLoop::of(c, jobs, demands).upper_per_s(),
        Arrivals::Open { .. } | Arrivals::Traced(_) => offered_per_s(&stream.arrivals),
    };
    let rates: Vec<f64> = c.streams.iter().zip(&demands.streams).map(rate_per_s).collect();
    let busiest = demands.utilisations(c, &rates).first().map_or(0.0, |(_, utilisation)| *utilisation);
    rates.iter().sum::<f64>() / busiest.max(1.0)
}

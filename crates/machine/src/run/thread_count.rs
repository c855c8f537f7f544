//! The number of worker threads with which a run is expected to be fastest, from its configuration alone.
//!
//! Two processes on two threads report to each other as far ahead as a message takes: once in the time that both lookaheads have
//! together, each has simulated its part of the I/Os of that time. Where these are few the reports cost more than the second
//! thread brings.

use halftrack_base::Span;
use halftrack_config::{Arrivals, Stream};

use crate::run::throughput_bounds::ClosedLoop;
use crate::wiring::Wiring;
use crate::wiring::demands::{Demands, Station, StreamDemands};
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
    let demands = Demands::of(w);
    let rates =
        rates(w, &demands, |jobs, demands| ClosedLoop::of(&w.configuration, jobs, demands).upper_per_s());
    let busiest =
        demands.utilisations(&w.configuration, &rates).first().map_or(0.0, |(_, demanded)| *demanded);
    rates.iter().sum::<f64>() / busiest.max(1.0)
}

/// Returns whether the SAPs of every machine are what I/Os wait for. If none waited, more of the time of these would be demanded
/// than they have, and no more of any other station.
pub(crate) fn are_saps_full(w: &Wiring) -> bool {
    let c = &w.configuration;
    let demands = Demands::of(w);
    let rates = rates(w, &demands, |jobs, demands| {
        f64::from(jobs) / ClosedLoop::of(c, jobs, demands).cycle_at_most_s()
    });
    let utilisations = demands.utilisations(c, &rates);
    let full = utilisations
        .iter()
        .take_while(|(station, demanded)| matches!(station, Station::Iops(_)) && *demanded >= 1.0);
    full.count() == c.cpcs.len()
}

/// Returns the I/Os a second of each stream, with those of a closed one by `closed` from its jobs and demands.
fn rates(w: &Wiring, demands: &Demands, closed: impl Fn(u32, &StreamDemands) -> f64) -> Vec<f64> {
    let rate_per_s = |(stream, demands): (&Stream, _)| match stream.arrivals {
        Arrivals::Closed { jobs, .. } => closed(jobs, demands),
        Arrivals::Open { .. } | Arrivals::Traced(_) => offered_per_s(&stream.arrivals),
    };
    w.configuration.streams.iter().zip(&demands.streams).map(rate_per_s).collect()
}

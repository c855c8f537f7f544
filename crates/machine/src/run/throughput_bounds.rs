//! Bounds on throughput, a law of every run: no station serves more than all of its time and no closed loop turns faster
//! than without waiting; and a closed loop of one class of work is no slower than its queues can make it.
//!
//! The bounds of one class of `N` jobs are those of Zahorjan, Sevcik, Eager and Galler, "Balanced job bound analysis of
//! queueing networks" (CACM 25, 1982), with think time (Lazowska and others, *Quantitative System Performance*, ch. 5):
//!
//! ```text
//! N / (D + Z + (N - 1) Dmax / (1 + Z / (N D)))  <=  X  <=  min(1 / Dmax, N / (D + Z))
//! ```
//!
//! with a station of `c` servers as one of `D / c` and a delay of `D (c - 1) / c`. They hold for stations that keep
//! nobody waiting while they are idle and whose services vary no more than exponentially; jobs that move as one batch break them.

use halftrack_config::{Arrivals, Configuration, Selection, Stream};
use halftrack_record::{CheckerReport, Interval, StreamSummary};

use crate::laws::law::Law;
use crate::wiring::Wiring;
use crate::wiring::demands::{Demands, Station, StreamDemands};

/// How far a bound may be passed: what demands leave out, and rounding.
const TOLERANCE: f64 = 0.01;

/// Rounds of the devices after which jobs that take them in turn are taken for being everywhere alike.
const ROUNDS: u64 = 10;

/// Standard deviations of a number of visits that is drawn by lot.
const DEVIATIONS: f64 = 5.0;

/// A closed loop of one class of work.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ClosedLoop {
    pub jobs: u32,
    /// Demand of each station, s, and its servers.
    pub stations: Vec<(f64, u32)>,
    /// Time on no station, s.
    pub delay_s: f64,
    /// From one start of a job to its next without waiting, s, at least.
    pub cycle_at_least_s: f64,
}

impl ClosedLoop {
    /// Makes the loop of `jobs` with these demands.
    pub(crate) fn of(c: &Configuration, jobs: u32, demands: &StreamDemands) -> Self {
        let stations = demands.stations.iter().filter(|(station, _)| !station.is_pool());
        Self {
            jobs,
            stations: stations.map(|(station, demand_s)| (*demand_s, station.servers(c))).collect(),
            delay_s: demands.delay_at_most_s,
            cycle_at_least_s: demands.cycle_at_least_s,
        }
    }

    /// Returns the lowest throughput, a second.
    pub(crate) fn lower_per_s(&self) -> f64 {
        let jobs = f64::from(self.jobs);
        let (mut queued_s, mut delay_s, mut longest_s) = (0.0, self.delay_s, 0.0_f64);
        for (demand_s, servers) in &self.stations {
            let of_one_s = demand_s / f64::from(*servers);
            queued_s += of_one_s;
            delay_s += demand_s - of_one_s;
            longest_s = longest_s.max(of_one_s);
        }
        if queued_s <= 0.0 {
            return 0.0;
        }
        jobs / (queued_s + delay_s + (jobs - 1.0) * longest_s / (1.0 + delay_s / (jobs * queued_s)))
    }

    /// Returns the highest throughput, a second.
    pub(crate) fn upper_per_s(&self) -> f64 {
        let of_one = self.stations.iter().map(|(demand_s, servers)| demand_s / f64::from(*servers));
        let longest_s = of_one.fold(self.cycle_at_least_s / f64::from(self.jobs.max(1)), f64::max);
        if longest_s > 0.0 { 1.0 / longest_s } else { f64::INFINITY }
    }

    /// Returns the time from one start of a job to its next without waiting, s, at most.
    pub(crate) fn cycle_at_most_s(&self) -> f64 {
        self.delay_s + self.stations.iter().map(|(demand_s, _)| demand_s).sum::<f64>()
    }

    /// Holds `rate_per_s`, known to `slack_per_s` either way, against the lower bound.
    fn check_lower(&self, law: &mut Law, name: &str, rate_per_s: f64, slack_per_s: f64) {
        let lower = self.lower_per_s();
        law.check(rate_per_s * (1.0 + TOLERANCE) + slack_per_s >= lower, || {
            format!(
                "stream {name}: {rate_per_s:.0} I/Os a second of {} jobs, where queues keep at least {lower:.0}",
                self.jobs
            )
        });
    }

    /// Checks against the upper bound.
    fn check_upper(&self, law: &mut Law, name: &str, rate_per_s: f64, slack_per_s: f64) {
        let upper = self.upper_per_s();
        law.check(rate_per_s <= upper * (1.0 + TOLERANCE) + slack_per_s, || {
            format!(
                "stream {name}: {rate_per_s:.0} I/Os a second of {} jobs, where stations and light let {upper:.0} pass",
                self.jobs
            )
        });
    }
}

/// Holds what `streams` got in the measured `intervals` against their bounds.
pub(crate) fn check(w: &Wiring, streams: &[StreamSummary], intervals: &[Interval]) -> CheckerReport {
    let mut law = Law::new("throughput lies within the bounds of the demands");
    let measured_s = intervals.iter().map(|interval| interval.length_ps as f64 / 1e12).sum::<f64>();
    let c = &w.configuration;
    if measured_s <= 0.0 {
        return law.report();
    }
    // Which paths are taken is not known where they are lost and come back.
    let demands = if c.disturbances.is_empty() { Demands::of(w) } else { Demands::before_paths(w) };
    let has_errors = c.links.iter().any(|link| link.errors.is_some());
    let rates: Vec<f64> = streams.iter().map(|stream| stream.completed as f64 / measured_s).collect();
    let loops = c.streams.iter().zip(&demands.streams).map(|(stream, demands)| match stream.arrivals {
        Arrivals::Closed { jobs, .. } => Some(ClosedLoop::of(c, jobs, demands)),
        Arrivals::Open { .. } | Arrivals::Traced(_) => None,
    });
    for (place, one) in loops.enumerate().filter_map(|(place, one)| Some((place, one?))) {
        let stream = &streams[place];
        // Each job may have one I/O that was begun before, or has not ended.
        let slack_per_s = f64::from(one.jobs) / measured_s;
        one.check_upper(&mut law, &stream.name, rates[place], slack_per_s);
        // An error on a link costs time-outs, which are no demand of a station.
        let is_known = demands.streams[place].is_whole && c.eadm.is_empty() && !has_errors;
        if is_known
            && is_one_class(&c.streams, stream, intervals)
            && has_gone_round(c, place, one.jobs, stream)
        {
            let slack_per_s = slack_per_s + stream.rate_per_s.half_width;
            one.check_lower(&mut law, &stream.name, rates[place], slack_per_s);
        }
    }
    check_stations(&mut law, c, &demands, (&rates, measured_s));
    law.report()
}

/// Returns true when one stream of one program that always hits is all there is. Its devices are used alike, and nothing
/// waited for a token or failed.
fn is_one_class(streams: &[Stream], summary: &StreamSummary, intervals: &[Interval]) -> bool {
    let [stream] = streams else { return false };
    let is_hit = stream.hit_ppms().all(|ppm| ppm == 1_000_000) && stream.locality.is_none();
    let is_one_program = stream.read_ppm == 0 || stream.read_ppm == 1_000_000 && is_hit;
    let is_alike = !matches!(stream.selection, Selection::Zipf { .. });
    let waited = intervals.iter().any(|interval| {
        interval.pools.iter().any(|pool| pool.short_ps > 0)
            || interval.links.iter().any(|link| link.credit_wait_ps > 0)
    });
    is_one_program && is_alike && summary.failed == 0 && !waited
}

/// Returns true when the jobs of stream `place` have been everywhere. Those that take devices in turn stay with one logical
/// control unit for long.
fn has_gone_round(c: &Configuration, place: usize, jobs: u32, summary: &StreamSummary) -> bool {
    let stream = &c.streams[place];
    let mut lcus = stream.devices.iter().map(|device| c.devices[*device as usize].lcu);
    let first = lcus.next();
    let are_several = lcus.any(|lcu| Some(lcu) != first);
    let round = u64::from(jobs) * stream.devices.len() as u64;
    stream.selection != Selection::Sequential || !are_several || summary.completed >= ROUNDS * round
}

/// Checks that no station is used for more than all of its time, nor a token while it is held.
fn check_stations(law: &mut Law, c: &Configuration, demands: &Demands, (rates, measured_s): (&[f64], f64)) {
    for (station, utilisation) in demands.utilisations(c, rates) {
        let slack = slack(c, demands, station, (rates, measured_s));
        law.check(utilisation <= 1.0 + TOLERANCE + slack, || {
            format!("{}: rates ask for {:.1} % of its time", station.name(c), 100.0 * utilisation)
        });
    }
}

/// Returns the part of the time of `station` that may have been served before measuring began, or that chance may have
/// spared it.
fn slack(c: &Configuration, demands: &Demands, station: Station, (rates, measured_s): (&[f64], f64)) -> f64 {
    let open = c.channels.iter().map(|channel| f64::from(channel.hardware.open_exchanges)).sum::<f64>();
    let mut slack = 0.0;
    for ((stream, demands), rate_per_s) in c.streams.iter().zip(&demands.streams).zip(rates) {
        let Some(demand_s) = demands.stations.get(&station) else { continue };
        let begun = match stream.arrivals {
            Arrivals::Closed { jobs, .. } => f64::from(jobs),
            Arrivals::Open { .. } | Arrivals::Traced(_) => open,
        };
        let visits =
            demands.drawn_visits.get(&station).map_or(0.0, |visits| visits * rate_per_s * measured_s);
        let chance = if visits > 0.0 { DEVIATIONS * rate_per_s / visits.sqrt() } else { 0.0 };
        slack += demand_s * (begun / measured_s + chance);
    }
    slack / f64::from(station.servers(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes command mode over one control-unit port of 53.2 us, as it was at b1c0497. It takes 138 us without waiting,
    /// which two jobs take at most 14,486 times a second.
    fn one_port(jobs: u32) -> ClosedLoop {
        let cycle_s = 2.0 / 14_486.0;
        let (port_s, channel_s) = (53.2e-6, 39.7e-6);
        let delay_s = cycle_s - port_s - channel_s;
        ClosedLoop { jobs, stations: vec![(port_s, 1), (channel_s, 1)], delay_s, cycle_at_least_s: cycle_s }
    }

    fn broken(jobs: u32, rate_per_s: f64) -> Vec<String> {
        let mut law = Law::new("bounds");
        one_port(jobs).check_lower(&mut law, "CMD4K", rate_per_s, 0.0);
        one_port(jobs).check_upper(&mut law, "CMD4K", rate_per_s, 0.0);
        law.report().violations
    }

    #[test]
    fn convoys_break_the_lower_bound() {
        for (jobs, convoy_per_s, frames_per_s) in
            [(8, 12_990.0, 10_560.0), (16, 13_330.0, 11_580.0), (32, 13_890.0, 12_440.0)]
        {
            for rate_per_s in [convoy_per_s, frames_per_s] {
                let found = broken(jobs, rate_per_s);
                assert_eq!(found.len(), 1, "{jobs} jobs: {found:?}");
                assert!(found[0].contains("where queues keep at least"), "{found:?}");
            }
        }
    }

    #[test]
    fn rates_between_the_bounds_hold_and_those_above_break_the_upper_one() {
        assert_eq!(broken(16, 18_797.0 * 0.98), [""; 0]);
        assert_eq!(broken(2, 14_400.0), [""; 0]);
        for (jobs, rate_per_s) in [(2, 14_700.0), (32, 19_000.0)] {
            let found = broken(jobs, rate_per_s);
            assert!(found.len() == 1 && found[0].contains("let"), "{found:?}");
        }
    }

    #[test]
    fn a_station_of_several_servers_is_one_of_a_part_and_a_delay() {
        let many = ClosedLoop { jobs: 4, stations: vec![(40e-6, 4)], delay_s: 0.0, cycle_at_least_s: 40e-6 };
        let one = ClosedLoop { stations: vec![(10e-6, 1)], delay_s: 30e-6, ..many.clone() };
        assert!((many.lower_per_s() - one.lower_per_s()).abs() < 1e-6);
        assert!((many.upper_per_s() - 100_000.0).abs() < 1e-6);
    }

    /// One job never waits: both bounds are its cycle.
    #[test]
    fn one_job_turns_as_fast_as_it_can() {
        let one = one_port(1);
        assert!((one.lower_per_s() - 7243.0).abs() < 1.0 && (one.upper_per_s() - 7243.0).abs() < 1.0);
    }
}

//! Percentiles of response times: of a stream, and of a logical control unit in the eyes of a system.

use std::collections::BTreeMap;

use halftrack_record::{DeviceInterval, ResponseTimes, Run};
use serde::Serialize;

use crate::columns::devices::RESPONSE;
use crate::records::Records;
use crate::table::measured_ps;

/// Response times that so many of 100 I/Os do not exceed, ms; each within 0.4 % of the exact one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Percentiles {
    /// Median.
    pub p50: f64,
    /// 90 of 100.
    pub p90: f64,
    /// 99 of 100.
    pub p99: f64,
    /// 999 of 1,000.
    pub p99_9: f64,
}

/// Percentiles of one group of I/Os.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ResponsePercentiles {
    /// The stream by its name, or `PROD1 LCU 1000`.
    pub subject: String,
    /// I/Os counted: those with normal ending status.
    pub counted: u64,
    /// Mean of their response, ms.
    pub mean_ms: f64,
    /// Percentiles of their response.
    pub response_ms: Percentiles,
}

/// Counts of response times that add up.
#[derive(Debug, Clone, Default)]
pub(crate) struct Distribution {
    counts: BTreeMap<u64, u64>,
    counted: u64,
}

impl Distribution {
    /// Returns all of `each` together.
    pub(crate) fn of<'a>(each: impl IntoIterator<Item = &'a ResponseTimes>) -> Self {
        let mut sum = Self::default();
        each.into_iter().for_each(|one| sum.add(one));
        sum
    }

    fn add(&mut self, times: &ResponseTimes) {
        for (value_ps, count) in times.values_ps.iter().zip(&times.counts) {
            *self.counts.entry(*value_ps).or_insert(0) += count;
            self.counted += count;
        }
    }

    /// Returns the number of I/Os.
    pub(crate) fn counted(&self) -> u64 {
        self.counted
    }

    /// Returns the middle of each bucket, ms, ascending, with its I/Os.
    pub(crate) fn buckets(&self) -> impl Iterator<Item = (f64, u64)> {
        self.counts.iter().map(|(value_ps, count)| (ms(*value_ps), *count))
    }

    /// Returns the least response that `permille` of 1,000 I/Os do not exceed, ms; 0 without I/Os.
    pub(crate) fn percentile_ms(&self, permille: u64) -> f64 {
        let rank = (u128::from(self.counted) * u128::from(permille)).div_ceil(1000).max(1);
        let mut below = 0_u128;
        let found = self.counts.iter().find(|(_, count)| {
            below += u128::from(**count);
            below >= rank
        });
        found.map_or(0.0, |(value_ps, _)| ms(*value_ps))
    }

    fn percentiles(&self) -> Percentiles {
        let [p50, p90, p99, p99_9] = PERMILLES.map(|permille| self.percentile_ms(permille));
        Percentiles { p50, p90, p99, p99_9 }
    }
}

/// The percentiles that are reported, in thousandths.
pub(crate) const PERMILLES: [u64; 4] = [500, 900, 990, 999];
/// How they are called, beside each other.
pub(crate) const NAMES: [&str; 4] = ["p50", "p90", "p99", "p99.9"];

impl Percentiles {
    /// Returns the percentiles in the order of [`NAMES`].
    pub(crate) fn all(&self) -> [f64; 4] {
        [self.p50, self.p90, self.p99, self.p99_9]
    }
}

fn ms(ps: u64) -> f64 {
    ps as f64 / 1e9
}

/// Returns each stream, those without counts left out.
pub(crate) fn of_streams(run: &Run) -> Vec<ResponsePercentiles> {
    let streams = run.streams.iter().map(|stream| {
        let mean_ms = stream.response_us.mean / 1000.0;
        row(stream.name.clone(), mean_ms, &Distribution::of([&stream.response_times]))
    });
    streams.filter(|row| row.counted > 0).collect()
}

/// System, set of SCSI logical units if it is one, and number of a logical control unit.
type View<'a> = (&'a str, Option<&'a str>, u16);

/// Returns each logical control unit, and each set of SCSI logical units, as each system saw it over the measured time. Those
/// without counts are left out; the order is that of system and number or name.
pub(crate) fn of_lcus(run: &Run) -> Vec<ResponsePercentiles> {
    let mut lcus: BTreeMap<View<'_>, (Distribution, Vec<&DeviceInterval>)> = BTreeMap::new();
    for lcu in run.intervals.iter().flat_map(|interval| &interval.lcus) {
        let view = (lcu.lpar.as_str(), lcu.luns.as_deref(), lcu.lcu);
        lcus.entry(view).or_default().0.add(&lcu.response_times);
    }
    for device in run.intervals.iter().flat_map(|interval| &interval.devices) {
        let view = (device.lpar.as_str(), device.luns.as_deref(), device.lcu);
        if let Some((_, devices)) = lcus.get_mut(&view) {
            devices.push(device);
        }
    }
    let measured_ps = measured_ps(&run.intervals);
    let rows = lcus.into_iter().map(|((lpar, luns, lcu), (distribution, devices))| {
        let mean_ms = RESPONSE.number(&Records::of_thing(devices, measured_ps));
        let name = luns.map_or_else(|| format!("{lpar} LCU {lcu:04X}"), |luns| format!("{lpar} LUNs {luns}"));
        row(name, mean_ms, &distribution)
    });
    rows.filter(|row| row.counted > 0).collect()
}

fn row(subject: String, mean_ms: f64, distribution: &Distribution) -> ResponsePercentiles {
    ResponsePercentiles {
        subject,
        counted: distribution.counted(),
        mean_ms,
        response_ms: distribution.percentiles(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(values_ms: &[(u64, u64)]) -> ResponseTimes {
        let (values_ps, counts) = values_ms.iter().map(|(ms, count)| (ms * 1_000_000_000, *count)).unzip();
        ResponseTimes { values_ps, counts }
    }

    #[test]
    fn a_percentile_is_the_least_response_that_so_many_do_not_exceed() {
        let all = Distribution::of([&times(&[(1, 500), (3, 2)]), &times(&[(2, 400), (3, 97), (9, 1)])]);
        assert_eq!(
            (all.counted(), PERMILLES.map(|permille| all.percentile_ms(permille))),
            (1000, [1.0, 2.0, 3.0, 3.0])
        );
        let one = Distribution::of([&times(&[(7, 1)])]);
        assert_eq!(PERMILLES.map(|permille| one.percentile_ms(permille)), [7.0; 4]);
        assert_eq!(Distribution::default().percentile_ms(500), 0.0);
    }
}

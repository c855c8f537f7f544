//! What limits a run, or would first.

use std::collections::BTreeMap;

use halftrack_drawing::number;
use halftrack_interval::Interval;
use serde::Serialize;

use crate::formula::percent_busy;

/// Utilisation from which a station is said to limit what passes, percent.
pub(crate) const SATURATED_PERCENT: f64 = 95.0;

/// Utilisation of one station, or the shortage of one pool.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StationUse {
    /// Canonical name.
    pub name: String,
    /// Of a station: utilisation over the measured time, mean over its servers. Of a pool: the share of the time that none
    /// was free and somebody waited. Percent.
    pub busy_percent: f64,
    /// How many there are in a pool; left out for a station.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u32>,
}

impl StationUse {
    /// How much of it was in use.
    pub(crate) fn words(&self) -> String {
        match self.tokens {
            None => format!("{:.1} % busy", self.busy_percent),
            Some(tokens) => {
                let taken = if tokens == 1 {
                    "taken".to_owned()
                } else {
                    format!("all {} taken", number::count(tokens.into()))
                };
                format!("{taken} and waited for {:.1} % of the time", self.busy_percent)
            }
        }
    }
}

/// The station or link with the highest utilisation, the first by name among equals; or the pool that was short for a
/// larger share of the time, unless a station is saturated: then the pool is short because of that. Of pools that are short
/// all the time it is the one that an I/O takes last, since it keeps those taken before.
pub(super) fn find(intervals: &[Interval], measured_ps: u128) -> Option<StationUse> {
    let mut stations: BTreeMap<String, (u128, u32)> = BTreeMap::new();
    let mut pools: BTreeMap<&str, (u128, u32)> = BTreeMap::new();
    for interval in intervals {
        let links = interval.links.iter().map(|link| (format!("link {}", link.name), link.busy_ps, 1));
        let others = interval.stations.iter();
        let others = others.map(|station| (station.name.clone(), station.busy_ps, station.servers));
        for (name, busy_ps, servers) in others.chain(links) {
            let sums = stations.entry(name).or_default();
            sums.0 += u128::from(busy_ps);
            sums.1 = sums.1.max(servers);
        }
        for pool in &interval.pools {
            let sums = pools.entry(&pool.name).or_default();
            *sums = (sums.0 + u128::from(pool.short_ps), pool.tokens);
        }
    }
    let measured_ps = u64::try_from(measured_ps).unwrap_or(u64::MAX);
    let stations = stations.into_iter().map(|(name, (busy_ps, servers))| StationUse {
        name,
        busy_percent: percent_busy(busy_ps, servers.into(), measured_ps),
        tokens: None,
    });
    let pools = pools.into_iter().map(|(name, (short_ps, tokens))| StationUse {
        name: name.to_owned(),
        busy_percent: percent_busy(short_ps, 1, measured_ps),
        tokens: Some(tokens),
    });
    let pools: Vec<StationUse> = pools.collect();
    let short = pools.iter().filter(|pool| pool.busy_percent >= SATURATED_PERCENT);
    let last = short.max_by_key(|pool| (order(&pool.name), std::cmp::Reverse(&pool.name))).cloned();
    match (highest(stations), last.or_else(|| highest(pools.into_iter()))) {
        (Some(station), Some(pool)) => {
            let is_cause =
                station.busy_percent < SATURATED_PERCENT && pool.busy_percent > station.busy_percent;
            Some(if is_cause { pool } else { station })
        }
        (station, pool) => station.or(pool),
    }
}

/// When an I/O takes something of the pool `name`: a base or alias first, a credit last.
fn order(name: &str) -> usize {
    const KINDS: [&str; 4] = ["lpar", "channel", "port", "link"];
    let kind = name.split(' ').next();
    KINDS.iter().position(|one| Some(*one) == kind).unwrap_or(0)
}

fn highest(uses: impl Iterator<Item = StationUse>) -> Option<StationUse> {
    uses.reduce(|highest, next| if next.busy_percent > highest.busy_percent { next } else { highest })
}

#[cfg(test)]
mod tests {
    use halftrack_interval::{PoolInterval, Run};

    use crate::RunSummary;
    use crate::golden;

    fn bottleneck(run: &Run) -> (String, f64, String) {
        let found = RunSummary::compute(run).bottleneck.expect("stations were measured");
        let words = found.words();
        (found.name, (found.busy_percent * 100.0).round() / 100.0, words)
    }

    fn short_of(run: &mut Run, name: &str, tokens: u32, percent: u64) {
        for interval in &mut run.intervals {
            let short_ps = interval.length_ps / 100 * percent;
            interval.pools.push(PoolInterval { name: name.to_owned(), tokens, short_ps });
        }
    }

    #[test]
    fn a_link_can_be_the_bottleneck() {
        let mut run = golden::run();
        for interval in &mut run.intervals {
            interval.links[0].busy_ps = interval.length_ps / 10 * 9;
        }
        let words = ("link pchid 140 > 11.20".to_owned(), 90.0, "90.0 % busy".to_owned());
        assert_eq!(bottleneck(&run), words);
    }

    #[test]
    fn the_bottleneck_is_the_station_busiest_over_all_intervals() {
        let (name, percent, _) = bottleneck(&golden::run());
        assert_eq!((name.as_str(), percent), ("channel 0.40 processor", 35.25));
    }

    #[test]
    fn what_is_all_taken_is_the_bottleneck_and_not_the_station_that_is_busiest() {
        let mut run = golden::run();
        short_of(&mut run, "channel 0.40 open exchanges in command mode", 64, 20);
        assert_eq!(bottleneck(&run).0, "channel 0.40 processor", "nearer to its end");
        short_of(&mut run, "lpar SYN1 LCU 0050 aliases", 8, 97);
        let (name, percent, words) = bottleneck(&run);
        assert_eq!((name.as_str(), percent), ("lpar SYN1 LCU 0050 aliases", 97.0));
        assert_eq!(words, "all 8 taken and waited for 97.0 % of the time");
    }

    #[test]
    fn of_pools_that_are_short_all_the_time_the_one_taken_last_is_the_bottleneck() {
        let mut run = golden::run();
        for (name, percent) in [
            ("channel 0.40 open exchanges", 100),
            ("link pchid 140 > 11.20 credits", 98),
            ("lpar SYN1 LCU 0050 aliases", 100),
            ("port BOXA 0030 open exchanges", 60),
        ] {
            short_of(&mut run, name, 8, percent);
        }
        assert_eq!(bottleneck(&run).0, "link pchid 140 > 11.20 credits");
    }

    #[test]
    fn a_pool_that_is_short_because_a_station_is_saturated_is_not_the_bottleneck() {
        let mut run = golden::run();
        short_of(&mut run, "channel 0.40 open exchanges", 64, 100);
        for interval in &mut run.intervals {
            interval.links[0].busy_ps = interval.length_ps / 1000 * 985;
        }
        assert_eq!(bottleneck(&run).0, "link pchid 140 > 11.20");
    }
}

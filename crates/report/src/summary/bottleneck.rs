//! The limit of a run, or what would be it first.

use std::collections::BTreeMap;

use halftrack_drawing::number;
use halftrack_record::{Interval, StationInterval};
use serde::Serialize;

use super::pool_use::pools;
use crate::columns::stations::{BUSY, with_links};
use crate::records::Records;

/// Utilisation from which a station limits what passes, percent.
const SATURATED_PERCENT: f64 = 95.0;
/// Share of the time from which waiting for a pool is reported, percent: one digit is shown of it.
const WAITED_PERCENT: f64 = 0.05;

/// Utilisation of one station, or how much of one pool is taken.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StationUse {
    /// Canonical name.
    pub name: String,
    /// Of a station: utilisation over the measured time, mean over its servers. Of a pool: how many were taken on average, as
    /// a share of all; of aliases the share of the rate at which they and the bases would all be taken. Percent.
    pub busy_percent: f64,
    /// How many there are in a pool; left out for a station.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u32>,
    /// Of a pool: the share of the time that none was free and somebody waited, percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub short_percent: Option<f64>,
}

impl StationUse {
    /// Formats how much of it was in use.
    pub(crate) fn words(&self) -> String {
        let percent = self.busy_percent;
        let Some(tokens) = self.tokens else { return format!("{percent:.1} % busy") };
        let short_percent = self.short_percent.unwrap_or(0.0);
        let is_waited_for = short_percent >= WAITED_PERCENT;
        let taken = match tokens {
            1 if self.is_full() && is_waited_for => "taken".to_owned(),
            1 => format!("taken {percent:.1} % of the time"),
            _ if self.is_full() => format!("all {} taken", number::count(tokens.into())),
            _ => format!("{percent:.1} % of {} taken", number::count(tokens.into())),
        };
        let waited = format!(" and waited for {short_percent:.1} % of the time");
        taken + if is_waited_for { &waited } else { "" }
    }

    /// Returns true when nothing more passes it.
    pub(crate) fn is_full(&self) -> bool {
        self.busy_percent >= SATURATED_PERCENT
    }
}

/// Returns the station, link or pool that is used most, the first by name among equals. Where a station is saturated
/// pools are taken because of that, and it is the station; of several pools that are all taken it is the one that an
/// I/O takes last, since it keeps those taken before.
pub(super) fn find(intervals: &[Interval], measured_ps: u128) -> Option<StationUse> {
    let mut stations: BTreeMap<String, Vec<StationInterval>> = BTreeMap::new();
    for station in intervals.iter().flat_map(with_links) {
        stations.entry(station.name.clone()).or_default().push(station);
    }
    let measured_ps = u64::try_from(measured_ps).unwrap_or(u64::MAX);
    let of_station = |(name, each): (String, Vec<StationInterval>)| StationUse {
        name,
        busy_percent: BUSY.number(&Records::of_thing(each.iter().collect(), measured_ps)),
        tokens: None,
        short_percent: None,
    };
    let station = highest(stations.into_iter().map(of_station));
    if station.as_ref().is_some_and(StationUse::is_full) {
        return station;
    }
    let pools = pools(intervals, measured_ps);
    let full = pools.iter().filter(|pool| pool.is_full());
    let last = full.max_by_key(|pool| (order(&pool.name), std::cmp::Reverse(&pool.name))).cloned();
    last.or_else(|| highest(station.into_iter().chain(pools)))
}

/// Returns the step at which an I/O takes something of the pool `name`: a base or alias first, a credit last.
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
    use halftrack_record::{DetectedWarmup, DeviceInterval, OpenLoad, PoolInterval, Run};

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
            interval.pools.push(PoolInterval { name: name.to_owned(), tokens, taken_ns: 0, short_ps });
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
    fn the_bases_of_busy_devices_and_the_aliases_they_share_can_be_the_bottleneck() {
        let mut run = golden::run();
        let one = run.intervals[0].devices[0].clone();
        let mut lcu = run.intervals[0].lcus[0].clone();
        for interval in &mut run.intervals {
            let in_use = |number, hyperpav, exposures: f64| DeviceInterval {
                number,
                hyperpav,
                exposures_ps: (interval.length_ps as f64 * exposures) as u64,
                ..one.clone()
            };
            interval.devices = vec![in_use(0x5000, false, 0.3), in_use(0x5001, false, 0.4)];
            lcu.aliases = 3;
            interval.lcus = vec![lcu.clone()];
        }
        let name = format!("lpar {} device 5001 base", one.lpar);
        assert_eq!(bottleneck(&run), (name, 40.0, "taken 40.0 % of the time".to_owned()));
        for interval in &mut run.intervals {
            // A base and three aliases.
            interval.devices[0] = DeviceInterval {
                hyperpav: true,
                exposures_ps: interval.length_ps * 2,
                ..interval.devices[0].clone()
            };
        }
        let name = format!("lpar {} LCU {:04X} aliases", one.lpar, one.lcu);
        assert_eq!(bottleneck(&run), (name, 50.0, "50.0 % of 3 taken".to_owned()));
    }

    #[test]
    fn a_pool_of_which_most_is_taken_is_the_bottleneck() {
        let mut run = golden::run();
        for interval in &mut run.intervals {
            let name = "channel 0.40 open exchanges".to_owned();
            let taken_ns = interval.length_ps / 1000 * 32;
            interval.pools.push(PoolInterval { name, tokens: 64, taken_ns, short_ps: 0 });
        }
        let words = "50.0 % of 64 taken".to_owned();
        assert_eq!(bottleneck(&run), ("channel 0.40 open exchanges".to_owned(), 50.0, words));
    }

    #[test]
    fn nothing_is_said_of_head_room_where_the_run_is_not_stationary_or_the_bottleneck_is_full() {
        let head_room = |change: fn(&mut Run)| {
            let mut run = golden::run();
            change(&mut run);
            RunSummary::compute(&run).head_room
        };
        let times = head_room(|_| ()).expect("a stationary run");
        assert!((times * 35.25 / 100.0 - 1.0).abs() < 0.001, "{times}");
        assert_eq!(head_room(|run| run.header.varies = true), None);
        assert_eq!(head_room(|run| run.warmup.detected = Some(DetectedWarmup { transient_ps: None })), None);
        let load = OpenLoad { offered_per_s: 2.0, served_per_s: 1.0, overloaded: true };
        let mut run = golden::run();
        run.streams[0].load = Some(load);
        assert_eq!(RunSummary::compute(&run).head_room, None);
        assert_eq!(head_room(|run| short_of(run, "channel 0.40 open exchanges", 64, 97)), None);
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

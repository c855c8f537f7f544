//! How much of each pool was taken over a run.

use std::collections::BTreeMap;

use halftrack_record::{DeviceInterval, Interval, PoolInterval};

use super::bottleneck::StationUse;
use crate::columns::pools::{SHORT, TAKEN};
use crate::formula::percent_busy;
use crate::records::Records;

/// Returns every pool of which any was taken, or waited for. Of the bases that no alias relieves, they are those that
/// were waited for and the one that is taken most.
pub(super) fn pools(intervals: &[Interval], measured_ps: u64) -> Vec<StationUse> {
    let mut records: BTreeMap<&str, Vec<&PoolInterval>> = BTreeMap::new();
    for pool in intervals.iter().flat_map(|interval| &interval.pools) {
        records.entry(&pool.name).or_default().push(pool);
    }
    let of_pool = |(name, each): (&str, Vec<&PoolInterval>)| {
        let tokens = each.iter().map(|pool| pool.tokens).max().unwrap_or(0);
        let records = Records::of_thing(each, measured_ps);
        (name.to_owned(), (tokens, TAKEN.number(&records), SHORT.number(&records)))
    };
    let mut pools: BTreeMap<String, (u32, f64, f64)> = records.into_iter().map(of_pool).collect();
    let devices = Exposures::of(intervals);
    if let Some((name, taken_ps)) = devices.busiest_base() {
        let pool = pools.entry(name).or_default();
        (pool.0, pool.1) = (1, percent_busy(taken_ps, 1, measured_ps));
    }
    for (name, aliases, taken) in devices.aliases(measured_ps) {
        let pool = pools.entry(name).or_default();
        (pool.0, pool.1) = (aliases, pool.1.max(100.0 * taken));
    }
    let in_use = |(name, (tokens, taken_percent, short_percent)): (String, (u32, f64, f64))| StationUse {
        name,
        // All are taken while an I/O waits for one.
        busy_percent: taken_percent.max(short_percent),
        tokens: Some(tokens),
        short_percent: Some(short_percent),
    };
    pools.into_iter().map(in_use).collect()
}

/// Partition and logical control unit.
type View<'a> = (&'a str, u16);
/// Exposures in use over time, ps, by subchannel set and number.
type OfDevices = BTreeMap<(u8, u16), u128>;

/// Exposures in use, by system and device, and the aliases that there are.
#[derive(Debug, Default)]
struct Exposures<'a> {
    /// Of devices with aliases.
    shared: BTreeMap<View<'a>, OfDevices>,
    /// Of devices without, by system, subchannel set and number, ps.
    alone: BTreeMap<(&'a str, u8, u16), u128>,
    aliases: BTreeMap<View<'a>, u32>,
}

impl<'a> Exposures<'a> {
    fn of(intervals: &'a [Interval]) -> Self {
        let mut sums = Self::default();
        // A logical unit has no base: what of its queue is short is counted by itself.
        let devices = intervals.iter().flat_map(|interval| &interval.devices);
        for device in devices.filter(|device| device.luns.is_none()) {
            let DeviceInterval { lpar, lcu, subchannel_set, number, exposures_ps, .. } = device;
            let of_device = if device.hyperpav {
                let shared = sums.shared.entry((lpar, *lcu)).or_default();
                shared.entry((*subchannel_set, *number)).or_default()
            } else {
                sums.alone.entry((lpar, *subchannel_set, *number)).or_default()
            };
            *of_device += u128::from(*exposures_ps);
        }
        let lcus = intervals.iter().flat_map(|interval| &interval.lcus);
        for lcu in lcus.filter(|lcu| lcu.luns.is_none()) {
            let aliases = sums.aliases.entry((&lcu.lpar, lcu.lcu)).or_default();
            *aliases = lcu.aliases.max(*aliases);
        }
        sums
    }

    /// Returns the base that is taken most of those without aliases, the first among equals, and for how long, ps.
    fn busiest_base(&self) -> Option<(String, u128)> {
        let most = self.alone.iter().reduce(|most, next| if next.1 > most.1 { next } else { most });
        let ((lpar, set, number), taken_ps) = most.filter(|(_, taken_ps)| **taken_ps > 0)?;
        let set = if *set == 0 { String::new() } else { format!("{set}.") };
        Some((format!("lpar {lpar} device {set}{number:04X} base"), *taken_ps))
    }

    /// Returns the aliases of each logical control unit as each system saw it. Each has a name, the number of aliases,
    /// and the part of the rate at which all are taken.
    fn aliases(&self, measured_ps: u64) -> impl Iterator<Item = (String, u32, f64)> {
        self.shared.iter().filter_map(move |(view, devices)| {
            let aliases = self.aliases.get(view).copied().filter(|aliases| *aliases > 0)?;
            let in_use = devices.values().map(|sum_ps| percent_busy(*sum_ps, 1, measured_ps) / 100.0);
            let taken = part_of_full(in_use.collect(), f64::from(aliases));
            let (lpar, lcu) = view;
            (taken > 0.0).then(|| (format!("lpar {lpar} LCU {lcu:04X} aliases"), aliases, taken))
        })
    }
}

/// Returns the part of the rate at which devices keep their bases and all of the `aliases` taken. They have so many
/// exposures `in_use` on average, each in proportion to the rate: a base takes one, aliases the rest.
fn part_of_full(mut in_use: Vec<f64>, aliases: f64) -> f64 {
    in_use.sort_by(|a, b| b.total_cmp(a));
    let (mut bases, mut sum) = (0.0, 0.0);
    for (place, one) in in_use.iter().enumerate() {
        (bases, sum) = (bases + 1.0, sum + one);
        let part = sum / (aliases + bases);
        // The base of the next device is enough for it even then.
        if in_use.get(place + 1).is_none_or(|next| *next <= part) {
            return part;
        }
    }
    0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_take_what_bases_leave() {
        let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found}");
        // One device: its base and three aliases.
        close(part_of_full(vec![0.4], 3.0), 0.1);
        // Two alike share them.
        close(part_of_full(vec![0.4, 0.4], 2.0), 0.2);
        // A device that is hardly used needs none.
        close(part_of_full(vec![0.01, 2.0], 3.0), 0.5);
        // All are taken.
        close(part_of_full(vec![4.0, 0.3], 3.0), 1.0);
        close(part_of_full(Vec::new(), 3.0), 0.0);
    }
}

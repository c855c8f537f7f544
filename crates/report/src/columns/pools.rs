//! Pools: open exchanges, aliases and credits that are taken and given back.

use std::collections::BTreeSet;

use halftrack_record::PoolInterval;

use crate::column;
use crate::formula::percent_busy;
use crate::quantity::Unit;
use crate::rows::{Rows, Source};
use crate::table::{Named, SubjectRule, Table, one_each_interval};

/// A figure of this table.
type Column = column::Column<PoolInterval>;

/// Nanoseconds in picoseconds.
const PS_PER_NS: u128 = 1000;

/// Share that was taken.
pub(crate) const TAKEN: Column = Column::new(
    "pool_taken_percent",
    Unit::Percent,
    "Share of the pool that was taken, mean over the time; 0 for bases and aliases, which the devices have",
    |pools| {
        let tokens = pools.each.iter().map(|pool| pool.tokens).max().unwrap_or(0);
        percent_busy(pools.total(|pool| pool.taken_ns) * PS_PER_NS, tokens.into(), pools.length_ps)
    },
);

/// Time that it was short.
pub(crate) const SHORT: Column = Column::new(
    "pool_short_percent",
    Unit::Percent,
    "Time that all of the pool was taken and something waited for one of it",
    |pools| percent_busy(pools.total(|pool| pool.short_ps), 1, pools.length_ps),
);

const POOLS: Named<PoolInterval> =
    Named { records: |interval| &interval.pools, name: |_, pool| pool.name.clone() };

/// The table of pools.
pub(crate) static TABLE: Table<PoolInterval> = Table {
    kind: "pool",
    report: "",
    subject_rule: SubjectRule::One,
    columns: &[TAKEN, SHORT],
    choose: |run, subject| POOLS.choose(run, subject),
    // A pool has a record only in intervals in which it was used.
    subjects: |run| {
        let names = run.intervals.iter().flat_map(|interval| &interval.pools).map(|pool| pool.name.clone());
        names.collect::<BTreeSet<_>>().into_iter().collect()
    },
    by_subject: Some(|run| POOLS.by_subject(run)),
    things: one_each_interval,
    rows: Rows {
        frame: "pools",
        keys: &[("pool", "Canonical name of the pool")],
        source: Source::Interval(|run, interval| POOLS.rows(run, interval)),
    },
};

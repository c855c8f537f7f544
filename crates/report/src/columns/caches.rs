//! Caches of control units.

use halftrack_record::CacheInterval;

use crate::column;
use crate::quantity::Unit;
use crate::rows::{Rows, Source};
use crate::table::{Named, SubjectRule, Table, one_each_interval};

/// A figure of this table.
type Column = column::Column<CacheInterval>;

/// The figures.
const COLUMNS: &[Column] = &[Column::new(
    "cache_hit_percent",
    Unit::Percent,
    "Reads whose track was in cache, in percent of those that were looked up",
    |caches| 100.0 * caches.ratio(|one| one.read_hits, |one| one.reads),
)];

const CACHES: Named<CacheInterval> =
    Named { records: |interval| &interval.caches, name: |_, cache| cache.control_unit.clone() };

/// The table of caches.
pub(crate) static TABLE: Table<CacheInterval> = Table {
    kind: "control unit with a cache",
    report: "",
    subject_rule: SubjectRule::OneOrAll,
    columns: COLUMNS,
    choose: |run, subject| CACHES.choose(run, subject),
    subjects: |run| CACHES.subjects(run),
    by_subject: Some(|run| CACHES.by_subject(run)),
    things: one_each_interval,
    rows: Rows {
        frame: "caches",
        keys: &[("control_unit", "Control unit with the cache")],
        source: Source::Interval(|run, interval| CACHES.rows(run, interval)),
    },
};

#[cfg(test)]
mod tests {
    use crate::golden;
    use crate::quantity::quantity;
    use halftrack_record::CacheInterval;

    #[test]
    fn reads_of_all_boxes_and_intervals_count_alike() {
        let mut run = golden::run();
        let cache = |control_unit: &str, reads, read_hits| CacheInterval {
            control_unit: control_unit.into(),
            reads,
            read_hits,
        };
        run.intervals[0].caches = vec![cache("BOXA", 10, 9), cache("BOXB", 0, 0)];
        run.intervals[1].caches = vec![cache("BOXA", 30, 1), cache("BOXB", 10, 5)];
        let percent = |name: &str| quantity(&run, name).expect("a value").value;
        assert_eq!(percent("cache_hit_percent"), 30.0);
        assert_eq!(percent("cache_hit_percent:BOXA"), 25.0);
        assert_eq!(percent("cache_hit_percent:BOXB"), 50.0);
        assert!(quantity(&run, "cache_hit_percent:BOXC").is_err());
    }
}

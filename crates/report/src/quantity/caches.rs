//! What the caches of control units found.

use halftrack_record::{CacheInterval, Run};

use super::named::Named;
use super::{Of, QuantityError, Unit, Word, word};
use crate::formula::{quotient, total};

pub(super) const CACHES: Named<CacheInterval> = Named {
    kind: "control unit with a cache",
    records: |interval| &interval.caches,
    name: |_, cache| cache.control_unit.clone(),
};

pub(super) const WORDS: &[Word] = &[word("cache_hit_percent", Unit::Percent, Of::Cache)];

/// Reads whose track was in cache, percent of those that were looked up; 0 when none was.
pub(super) fn value(run: &Run, word: &'static str, subject: Option<&str>) -> Result<f64, QuantityError> {
    let records = CACHES.chosen(run, word, subject)?;
    let sum = |of: fn(&CacheInterval) -> u64| total(records.iter().map(|one| of(one))) as f64;
    Ok(100.0 * quotient(sum(|one| one.read_hits), sum(|one| one.reads)))
}

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

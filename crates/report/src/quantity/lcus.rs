//! What the paths of the logical control units met: the LCU columns of I/O QUEUING ACTIVITY.

use halftrack_record::{LcuInterval, LcuPath, Run};

use super::named::Named;
use super::{Of, QuantityError, Unit, Word, length_ps, word};
use crate::formula::{mean_ms, mean_number, per_second, quotient, total};
use crate::percentiles::Distribution;

pub(super) type Formula = fn(&Lcus<'_>) -> f64;

/// The logical control units that a quantity is about, in the eyes of every system, over the measured time.
pub(super) struct Lcus<'a> {
    records: Vec<&'a LcuInterval>,
    length_ps: u64,
}

pub(super) const LCUS: Named<LcuInterval> = Named {
    kind: "logical control unit",
    records: |interval| &interval.lcus,
    name: |header, lcu| format!("{}{:04X}", header.prefix_of(&lcu.lpar), lcu.lcu),
};

pub(super) const WORDS: &[Word] = &[
    word(
        "paths_taken_per_s",
        Unit::PerSecond,
        Of::Lcus(|lcus| per_second(lcus.paths(taken), lcus.length_ps)),
    ),
    word(
        "director_port_busy_percent",
        Unit::Percent,
        Of::Lcus(|lcus| lcus.answers(|path| path.director_port_busy)),
    ),
    word(
        "control_unit_busy_percent",
        Unit::Percent,
        Of::Lcus(|lcus| lcus.answers(|path| path.control_unit_busy)),
    ),
    word(
        "control_unit_busy_delay_ms",
        Unit::Ms,
        Of::Lcus(|lcus| lcus.delay(|path| path.control_unit_busy_ps)),
    ),
    word("command_response_delay_ms", Unit::Ms, Of::Lcus(|lcus| lcus.delay(|path| path.cmr_ps))),
    word("contention_per_s", Unit::PerSecond, Of::Lcus(contention_per_s)),
    word("delay_queue_length", Unit::Count, Of::Lcus(delay_queue_length)),
    word("css_delay_us", Unit::Us, Of::Lcus(css_delay_us)),
    word("open_exchanges", Unit::Count, Of::Lcus(|lcus| lcus.mean_number(|lcu| lcu.open_exchange_ps))),
    word("transfer_concurrency", Unit::Count, Of::Lcus(|lcus| lcus.mean_number(|lcu| lcu.connect_ps))),
    word("lcu_response_p50_ms", Unit::Ms, Of::Lcus(|lcus| lcus.percentile_ms(500))),
    word("lcu_response_p90_ms", Unit::Ms, Of::Lcus(|lcus| lcus.percentile_ms(900))),
    word("lcu_response_p99_ms", Unit::Ms, Of::Lcus(|lcus| lcus.percentile_ms(990))),
    word("lcu_response_p99_9_ms", Unit::Ms, Of::Lcus(|lcus| lcus.percentile_ms(999))),
];

pub(super) fn value(
    run: &Run,
    word: &'static str,
    subject: Option<&str>,
    formula: Formula,
) -> Result<f64, QuantityError> {
    let records = LCUS.chosen(run, word, subject)?;
    Ok(formula(&Lcus { records, length_ps: length_ps(run) }))
}

/// Operations that a path carried.
const fn taken(path: &LcuPath) -> u64 {
    path.taken
}

impl Lcus<'_> {
    fn paths(&self, of: fn(&LcuPath) -> u64) -> u128 {
        total(self.records.iter().flat_map(|lcu| &lcu.paths).map(of))
    }

    /// Answers of one kind of busy among all attempts, as RMF divides them: 100 DPB or CUB / (PT + DPB + CUB).
    fn answers(&self, busy: fn(&LcuPath) -> u64) -> f64 {
        let attempts = self.paths(|path| path.taken + path.director_port_busy + path.control_unit_busy);
        100.0 * quotient(self.paths(busy) as f64, attempts as f64)
    }

    /// Mean over the operations that took a path.
    fn delay(&self, of: fn(&LcuPath) -> u64) -> f64 {
        mean_ms(self.paths(of), self.paths(taken))
    }

    fn sum(&self, of: fn(&LcuInterval) -> u64) -> u128 {
        total(self.records.iter().map(|lcu| of(lcu)))
    }

    /// Percentile of the response of all I/Os of their devices.
    fn percentile_ms(&self, permille: u64) -> f64 {
        Distribution::of(self.records.iter().map(|lcu| &lcu.response_times)).percentile_ms(permille)
    }

    fn mean_number(&self, of: fn(&LcuInterval) -> u64) -> f64 {
        mean_number(self.sum(of), self.length_ps)
    }
}

/// Starts put on the control-unit-header queue.
fn contention_per_s(lcus: &Lcus<'_>) -> f64 {
    per_second(lcus.sum(|lcu| lcu.queued), lcus.length_ps)
}

/// How many of them were there already, on average: (QSM - QCT) / QCT.
fn delay_queue_length(lcus: &Lcus<'_>) -> f64 {
    let queued = lcus.sum(|lcu| lcu.queued);
    quotient(lcus.sum(|lcu| lcu.queue_sum).saturating_sub(queued) as f64, queued as f64)
}

/// From START SUBCHANNEL to the first attempt, for each operation that took a path.
fn css_delay_us(lcus: &Lcus<'_>) -> f64 {
    let delay = lcus.sum(|lcu| lcu.css_delay_ps.unwrap_or_default());
    1000.0 * mean_ms(delay, lcus.paths(taken))
}

#[cfg(test)]
mod tests {
    use crate::golden;
    use crate::quantity::quantity;
    use crate::quantity::tests::of;

    /// The rows of the reference: `0050  8100  40  1000.000  0.00  9.09  0.5  0.1 ... 1.60  1.00`.
    #[test]
    fn words_are_the_columns_of_the_report() {
        let mut run = golden::run();
        run.intervals.truncate(1);
        let value = |word: &str| quantity(&run, &format!("{word}:0050")).expect("a value").value;
        assert!((value("paths_taken_per_s") - 1000.0).abs() < 0.01);
        assert_eq!(value("director_port_busy_percent"), 0.0);
        assert!((value("control_unit_busy_percent") - 9.09).abs() < 0.01);
        assert!((value("control_unit_busy_delay_ms") - 0.5).abs() < 1e-9);
        assert!((value("command_response_delay_ms") - 0.1).abs() < 1e-9);
        assert!((value("open_exchanges") - 1.6).abs() < 0.01);
        assert!((value("transfer_concurrency") - 1.0).abs() < 0.01);
    }

    #[test]
    fn port_busy_answers_count_among_the_attempts_of_all_systems() {
        let mut run = golden::run();
        run.intervals.truncate(1);
        for lcu in &mut run.intervals[0].lcus {
            for path in &mut lcu.paths {
                (path.taken, path.control_unit_busy, path.director_port_busy) = (60, 30, 10);
            }
        }
        for word in ["director_port_busy_percent", "director_port_busy_percent:0040"] {
            assert_eq!(quantity(&run, word).expect("a value").value, 10.0, "{word}");
        }
        assert_eq!(quantity(&run, "control_unit_busy_percent:0050").expect("a value").value, 30.0);
    }

    /// RMF's formulas for what the reference has none of: 4 put on a queue of 2.5 others, 6 us for each of 200 operations.
    #[test]
    fn queue_and_channel_subsystem_delay_are_quotients_of_their_counters() {
        let mut run = golden::run();
        run.intervals.truncate(1);
        run.intervals[0].length_ps = 2_000_000_000_000;
        for lcu in &mut run.intervals[0].lcus {
            (lcu.queued, lcu.queue_sum, lcu.css_delay_ps) = (4, 14, Some(1_200_000_000));
            lcu.paths.truncate(1);
            lcu.paths[0].taken = 200;
        }
        let value = |word: &str| quantity(&run, &format!("{word}:0050")).expect("a value").value;
        assert_eq!((value("contention_per_s"), value("delay_queue_length")), (2.0, 2.5));
        assert!((value("css_delay_us") - 6.0).abs() < 1e-9);
    }

    #[test]
    fn percentiles_of_all_control_units_lie_between_those_of_each() {
        let each = ["lcu_response_p90_ms:0040", "lcu_response_p90_ms:0050"].map(of);
        assert_eq!(each, [0.3, 0.9]);
        assert!((each[0]..=each[1]).contains(&of("lcu_response_p90_ms")));
    }

    #[test]
    fn control_units_add_up() {
        let sum = of("paths_taken_per_s:0040") + of("paths_taken_per_s:0050");
        assert!((sum / of("paths_taken_per_s") - 1.0).abs() < 1e-9);
    }
}

//! Logical control units: CONTENTION RATE to DATA XFER CONC of I/O QUEUING ACTIVITY (SMF type 78-3), and percentiles.
//!
//! FICON starts wait in the channel for an open exchange: CONTENTION RATE and DELAY Q are 0 but for control-unit busy.
//! Interval files of earlier runs have no channel-subsystem delay: dashes.

use halftrack_record::LcuInterval;

use crate::column;
use crate::field::Field;
use crate::formula::{mean_ms, total};
use crate::percentiles::Distribution;
use crate::quantity::Unit;
use crate::records::Records;
use crate::rows::{Rows, Source};
use crate::table::{Named, SubjectRule, Table, one_each_interval};

/// A figure of this table.
type Column = column::Column<LcuInterval>;

/// Heading of the listing, that of the columns of its paths too.
pub(crate) const HEADING: &[&str] = &[
    "LCU   CU    DCM GROUP   CHAN   CHPID     % DP  % CU  AVG   AVG  CONTENTION DELAY Q  AVG   HPAV  HPAV OPEN  DATA",
    "            MIN MAX DEF PATHS  TAKEN     BUSY  BUSY  CUB   CMR  RATE       LNGTH    CSS   WAIT  MAX  EXCH  XFER",
    "                                                     DLY   DLY                      DLY                    CONC",
];

/// Text in place of a delay that was not counted.
const NOT_COUNTED: &str = "---";

/// Records that make columns.
type Lcus<'a> = Records<'a, LcuInterval>;

/// The figures.
const COLUMNS: &[Column] = &[
    Column::new(
        "contention_per_s",
        Unit::PerSecond,
        "Requests put on the control-unit-header queue because no path was free",
        |lcus| lcus.rate(|lcu| lcu.queued),
    )
    .listed("CONTENTION RATE", "contention_per_s", Field::new(64, 72, 3)),
    Column::new(
        "delay_queue_length",
        Unit::Count,
        "Mean number found on the control-unit-header queue by a request that was put there",
        |lcus| lcus.queue_length(|lcu| lcu.queue_sum, |lcu| lcu.queued),
    )
    .listed("DELAY Q LNGTH", "delay_queue_length", Field::new(74, 81, 2)),
    Column::sometimes(
        "css_delay_ms",
        Unit::Ms,
        "Delay in the channel subsystem: from START SUBCHANNEL to the first attempt, for each operation that took a path",
        css_delay_ms,
    )
    .listed("AVG CSS DLY", "css_delay_ms", Field::new(83, 87, 1))
    .missing(NOT_COUNTED),
    Column::new(
        "css_delay_us",
        Unit::Us,
        "Delay in the channel subsystem, in microseconds",
        |lcus| 1000.0 * css_delay_ms(lcus).unwrap_or(0.0),
    ),
    Column::sometimes(
        "hpav_wait",
        Unit::Count,
        "Requests that found neither base nor alias free, as a share of all requests",
        |lcus| has_hyperpav(lcus).then(|| lcus.ratio(|lcu| lcu.alias_waits, |lcu| lcu.requests)),
    )
    .listed("HPAV WAIT", "hyperpav.wait", Field::new(89, 93, 3)),
    Column::sometimes(
        "hpav_max",
        Unit::Count,
        "Highest number of HyperPAV aliases in use at once",
        |lcus| has_hyperpav(lcus).then(|| highest(lcus, |lcu| lcu.aliases_in_use_max)),
    )
    .listed("HPAV MAX", "hyperpav.aliases_in_use_max", Field::new(95, 97, 0)),
    Column::new(
        "open_exchanges",
        Unit::Count,
        "Mean number of open exchanges: command response, disconnect and connect time together over the time",
        |lcus| lcus.mean_number(|lcu| lcu.open_exchange_ps),
    )
    .listed("OPEN EXCH", "open_exchanges", Field::new(99, 104, 2)),
    Column::new(
        "transfer_concurrency",
        Unit::Count,
        "Mean number of I/Os that were connected",
        |lcus| lcus.mean_number(|lcu| lcu.connect_ps),
    )
    .listed("DATA XFER CONC", "transfer_concurrency", Field::new(106, 110, 2)),
    Column::new(
        "lcu_response_p50_ms",
        Unit::Ms,
        "Response time that half of the I/Os to the devices do not exceed",
        |lcus| percentile_ms(lcus, 500),
    ),
    Column::new(
        "lcu_response_p90_ms",
        Unit::Ms,
        "Response time that 90 of 100 I/Os to the devices do not exceed",
        |lcus| percentile_ms(lcus, 900),
    ),
    Column::new(
        "lcu_response_p99_ms",
        Unit::Ms,
        "Response time that 99 of 100 I/Os to the devices do not exceed",
        |lcus| percentile_ms(lcus, 990),
    ),
    Column::new(
        "lcu_response_p99_9_ms",
        Unit::Ms,
        "Response time that 999 of 1,000 I/Os to the devices do not exceed",
        |lcus| percentile_ms(lcus, 999),
    ),
];

/// Records of logical control units, by their number, and of sets of logical units, by their name.
pub(super) const LCUS: Named<LcuInterval> = Named {
    records: |interval| &interval.lcus,
    name: |header, lcu| {
        let prefix = header.prefix_of(&lcu.lpar);
        lcu.luns.as_ref().map_or_else(|| format!("{prefix}{:04X}", lcu.lcu), |luns| format!("{prefix}{luns}"))
    },
};

/// The table of logical control units.
pub(crate) static TABLE: Table<LcuInterval> = Table {
    kind: "logical control unit",
    report: "I/O QUEUING ACTIVITY",
    subject_rule: SubjectRule::OneOrAll,
    columns: COLUMNS,
    choose: |run, subject| LCUS.choose(run, subject),
    subjects: |run| LCUS.subjects(run),
    by_subject: Some(|run| LCUS.by_subject(run)),
    things: one_each_interval,
    rows: Rows {
        frame: "lcus",
        keys: &[
            ("system", "Partition"),
            ("lcu", "Number of the logical control unit, or name of a set of logical units"),
        ],
        source: Source::Interval(|run, interval| {
            LCUS.rows_with(run, interval, |_, one, lcu| [(&one.lpar).into(), lcu])
        }),
    },
};

/// Returns the delay in the channel subsystem; `None` when no record counted it.
fn css_delay_ms(lcus: &Lcus<'_>) -> Option<f64> {
    lcus.each.iter().any(|lcu| lcu.css_delay_ps.is_some()).then_some(())?;
    let taken = lcus.each.iter().flat_map(|lcu| &lcu.paths).map(|path| path.taken);
    Some(mean_ms(lcus.total(|lcu| lcu.css_delay_ps.unwrap_or_default()), total(taken)))
}

/// Returns true when the HyperPAV columns have something: a device of the reported system is a HyperPAV base. Holds for
/// a run as a whole.
fn has_hyperpav(lcus: &Lcus<'_>) -> bool {
    let Some(scope) = lcus.scope else { return true };
    let of = |lcu: &LcuInterval| {
        let devices = scope.interval.devices.iter().filter(|device| device.hyperpav);
        devices.into_iter().any(|device| device.lcu == lcu.lcu && device.lpar == lcu.lpar)
    };
    lcus.each.iter().any(|lcu| of(lcu))
}

fn highest(lcus: &Lcus<'_>, of: fn(&LcuInterval) -> u32) -> f64 {
    lcus.each.iter().map(|lcu| of(lcu)).max().unwrap_or(0).into()
}

/// Returns a percentile of the response of all I/Os to their devices.
fn percentile_ms(lcus: &Lcus<'_>, permille: u64) -> f64 {
    Distribution::of(lcus.each.iter().map(|lcu| &lcu.response_times)).percentile_ms(permille)
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

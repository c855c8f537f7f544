//! Channel paths of logical control units: CHPID TAKEN to CMR DLY of I/O QUEUING ACTIVITY (SMF type 78-3).
//!
//! Native FICON has no director-port busy: % DP BUSY is 0.

use halftrack_record::{Interval, LcuInterval, LcuPath, Run};

use super::lcus::LCUS;
use crate::column;
use crate::field::Field;
use crate::formula::quotient;
use crate::quantity::Unit;
use crate::records::Records;
use crate::rows::{Row, Rows, Source};
use crate::table::{SubjectRule, Table, one_each_interval};

/// A figure of this table.
type Column = column::Column<LcuPath>;

/// The figures.
const COLUMNS: &[Column] = &[
    Column::new(
        "paths_taken_per_s",
        Unit::PerSecond,
        "Operations that took a path of the logical control unit",
        |paths| paths.rate(taken),
    )
    .listed("CHPID TAKEN", "taken_per_s", Field::new(28, 38, 3)),
    Column::new(
        "director_port_busy_percent",
        Unit::Percent,
        "Answers of director port busy, in percent of all attempts",
        |paths| answers_percent(paths, |path| path.director_port_busy),
    )
    .listed("% DP BUSY", "director_port_busy_percent", Field::new(40, 44, 2)),
    Column::new(
        "control_unit_busy_percent",
        Unit::Percent,
        "Answers of control unit busy, in percent of all attempts",
        |paths| answers_percent(paths, |path| path.control_unit_busy),
    )
    .listed("% CU BUSY", "control_unit_busy_percent", Field::new(46, 50, 2)),
    Column::new(
        "control_unit_busy_delay_ms",
        Unit::Ms,
        "Time that operations waited after an answer of control unit busy, for each that took a path",
        |paths| paths.mean_ms(|path| path.control_unit_busy_ps, taken),
    )
    .listed("AVG CUB DLY", "control_unit_busy_ms", Field::new(52, 56, 1)),
    Column::new(
        "command_response_delay_ms",
        Unit::Ms,
        "From sending the first command to its acceptance by the control unit, for each operation that took a path",
        |paths| paths.mean_ms(|path| path.cmr_ps, taken),
    )
    .listed("AVG CMR DLY", "cmr_ms", Field::new(58, 62, 1)),
];

/// The table of channel paths of logical control units.
pub(crate) static TABLE: Table<LcuPath> = Table {
    kind: "logical control unit",
    report: "I/O QUEUING ACTIVITY",
    subject_rule: SubjectRule::OneOrAll,
    columns: COLUMNS,
    choose: |run, subject| LCUS.choose(run, subject).into_iter().flat_map(|lcu| &lcu.paths).collect(),
    subjects: |run| LCUS.subjects(run),
    by_subject: None,
    things: one_each_interval,
    rows: Rows {
        frame: "paths",
        keys: &[
            ("system", "Partition"),
            ("lcu", "Number of the logical control unit, or name of a set of logical units"),
            ("chpid", "CHPID"),
        ],
        source: Source::Interval(rows),
    },
};

fn rows<'a>(run: &'a Run, interval: &'a Interval) -> Vec<Row<'a, LcuPath>> {
    let of = |lcu: &'a LcuInterval| {
        let name = (LCUS.name)(&run.header, lcu);
        let keys = move |path: &LcuPath| {
            [(&lcu.lpar).into(), name.clone().into(), format!("{:02X}", path.chpid).into()]
        };
        lcu.paths.iter().map(move |path| Row::new(keys(path), path))
    };
    interval.lcus.iter().flat_map(of).collect()
}

fn taken(path: &LcuPath) -> u64 {
    path.taken
}

/// Answers of one kind of busy among all attempts, as RMF divides them: 100 DPB or CUB / (PT + DPB + CUB).
fn answers_percent(paths: &Records<'_, LcuPath>, busy: fn(&LcuPath) -> u64) -> f64 {
    let attempts = paths.total(taken)
        + paths.total(|path| path.director_port_busy)
        + paths.total(|path| path.control_unit_busy);
    100.0 * quotient(paths.total(busy) as f64, attempts as f64)
}

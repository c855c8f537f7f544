//! The run as a whole.

use halftrack_record::Run;

use crate::column;
use crate::quantity::Unit;
use crate::rows::{Row, Rows, Source};
use crate::summary::RunSummary;
use crate::table::{SubjectRule, Table};

/// A figure of this table.
type Column = column::Column<Run>;

/// The figures.
const COLUMNS: &[Column] = &[Column::new(
    "bottleneck_percent",
    Unit::Percent,
    "Utilisation of the station or pool that is used most",
    |runs| runs.last(|run| RunSummary::compute(run).bottleneck.map_or(0.0, |station| station.busy_percent)),
)];

/// The table of runs.
pub(crate) static TABLE: Table<Run> = Table {
    kind: "run",
    report: "",
    subject_rule: SubjectRule::WholeRun,
    columns: COLUMNS,
    choose: |run, _| vec![run],
    subjects: |_| Vec::new(),
    by_subject: None,
    things: |_, _| 1,
    rows: Rows {
        frame: "run",
        keys: &[("study", "Name of the study")],
        source: Source::Run(|run| vec![Row::new([(&run.header.study).into()], run)]),
    },
};

#[cfg(test)]
mod tests {
    use crate::quantity::tests::of;

    #[test]
    fn the_bottleneck_is_the_busiest_of_the_stations() {
        assert_eq!(of("bottleneck_percent"), of("station_percent:channel 0.40 processor"));
    }
}

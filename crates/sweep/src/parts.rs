//! Points drawn as bars: several quantities of a sweep as parts of one bar a point.

use crate::chart::{Axis, Chart, Scale, Series};
use crate::curves::{short_names, value};
use crate::table::Table;

/// Returns the chart of `columns` of `table`, which are of one unit, one upon the other. Each point has a bar, named by
/// the keys that vary. A point that failed has no bar.
pub fn parts(table: &Table, columns: &[usize]) -> Chart {
    let varied = table.varied_keys();
    let names = short_names(table, &varied);
    let joined = |words: &dyn Fn(usize) -> String| -> String {
        varied.iter().map(|key| words(*key)).collect::<Vec<_>>().join(", ")
    };
    let bars = table.rows.iter().map(|row| joined(&|key| row.set_to[key].clone())).collect();
    let series = columns.iter().map(|column| Series {
        name: table.columns[*column].name.clone(),
        points: table.rows.iter().enumerate().map(|(at, row)| (at as f64, value(row, *column))).collect(),
    });
    let unit = columns.first().map_or(String::new(), |column| table.columns[*column].unit.to_string());
    Chart {
        title: table.study.clone(),
        x: Axis { scale: Scale::Named(bars), ..Axis::linear(joined(&|key| names[key].clone())) },
        y: Axis::linear(unit),
        curves: Vec::new(),
        bars: series.collect(),
        side_by_side: false,
        marks: Vec::new(),
        guidelines: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Column, Outcome, Row};
    use halftrack_report::Unit;

    #[test]
    fn each_point_is_a_bar_of_all_columns() {
        let row = |protocol: &str, values: [Option<f64>; 2]| Row {
            set_to: vec!["7".to_owned(), protocol.to_owned()],
            outcome: Outcome::Ran {
                values: values.to_vec(),
                bottleneck: String::new(),
                violations: vec![],
                overloaded: vec![],
                offered_too_much: Vec::new(),
            },
        };
        let column = |name: &str| Column { name: name.to_owned(), unit: Unit::Ms };
        let table = Table {
            study: "s".to_owned(),
            keys: vec!["workload.run.seed".to_owned(), "workload.stream.A.protocol".to_owned()],
            steps: vec![0, 1],
            columns: vec![column("pend_ms"), column("conn_ms")],
            rows: vec![row("command", [Some(0.25), Some(0.5)]), row("transport", [Some(0.125), None])],
            missing: vec![],
        };
        let chart = parts(&table, &[1, 0]);
        assert_eq!(chart.x.scale, Scale::Named(vec!["command".to_owned(), "transport".to_owned()]));
        assert_eq!((chart.x.label.as_str(), chart.y.label.as_str()), ("protocol", "ms"));
        assert_eq!((chart.bars[0].name.as_str(), chart.bars[0].points[0]), ("conn_ms", (0.0, 0.5)));
        assert!(chart.bars[0].points[1].1.is_nan());
        assert_eq!(chart.bars[1].points[1], (1.0, 0.125));
    }
}

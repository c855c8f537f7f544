//! A sweep drawn as panels: a chart for each combination of some keys.

use std::collections::BTreeSet;

use crate::chart::Chart;
use crate::curves::{Drawn, Places, curves};
use crate::table::Table;

/// Returns a chart of `drawn` for each combination of the keys `panels`, and how many values the last of these has. The charts
/// are in the order of the table, titled by the values.
pub fn panels(drawn: Drawn<'_>, panels: &[usize], places: Places) -> (Vec<Chart>, usize) {
    let table = drawn.table;
    let values = |row: &crate::Row| panels.iter().map(|key| row.set_to[*key].clone()).collect::<Vec<_>>();
    let mut seen = BTreeSet::new();
    let combinations = table.rows.iter().map(&values).filter(|one| seen.insert(one.clone()));
    let combinations: Vec<_> = combinations.collect();
    let last: BTreeSet<_> = combinations.iter().filter_map(|one| one.last()).collect();
    let chart = |combination: &Vec<String>| {
        let rows = table.rows.iter().filter(|row| values(row) == *combination).cloned().collect();
        let part = Table { rows, ..table.clone() };
        let chart = curves(Drawn { table: &part, ..drawn }, &[], places);
        Chart { title: combination.join(", "), ..chart }
    };
    (combinations.iter().map(chart).collect(), last.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curves::XAxis;
    use crate::table::{Column, Outcome, Row};
    use halftrack_report::Unit;

    #[test]
    fn each_combination_of_the_keys_has_a_panel_with_the_curves_of_the_others() {
        let mut rows = Vec::new();
        for wiring in ["straight", "crossed"] {
            for (channels, devices) in [("1", "1"), ("1", "2"), ("2", "1"), ("2", "2")] {
                let rate = devices.parse::<f64>().expect("a number");
                rows.push(Row {
                    set_to: [wiring, channels, devices].map(str::to_owned).to_vec(),
                    outcome: Outcome::Ran {
                        values: vec![Some(rate)],
                        bottleneck: String::new(),
                        violations: vec![],
                        overloaded: vec![],
                        offered_too_much: Vec::new(),
                    },
                });
            }
        }
        let table = Table {
            study: "s".to_owned(),
            keys: ["wiring", "channels", "devices"].map(|key| format!("workload.islink.L.{key}")).to_vec(),
            steps: vec![0, 1, 2],
            columns: vec![Column { name: "islink_mb_per_s".to_owned(), unit: Unit::MbPerSecond }],
            rows,
            missing: vec![],
        };
        let drawn = Drawn { table: &table, name: None, across: XAxis::Key(2), column: 0 };
        let (charts, columns) = panels(drawn, &[0], Places::ByValue);
        assert_eq!(columns, 2);
        let titles: Vec<&str> = charts.iter().map(|chart| chart.title.as_str()).collect();
        assert_eq!(titles, ["straight", "crossed"]);
        for chart in &charts {
            let names: Vec<&str> = chart.curves.iter().map(|curve| curve.name.as_str()).collect();
            assert_eq!(names, ["channels 1", "channels 2"]);
            assert!(chart.curves.iter().all(|curve| curve.points == [(1.0, 1.0), (2.0, 2.0)]));
        }
        let (both, columns) = panels(drawn, &[0, 1], Places::ByValue);
        assert_eq!((both.len(), columns, both[3].title.as_str()), (4, 2, "crossed, 2"));
    }
}

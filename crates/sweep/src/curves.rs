//! A sweep drawn: one chart a quantity, one curve for each combination of the keys that are not along the x axis.

use crate::chart::{Axis, Chart, Scale, Series};
use crate::table::{Column, Outcome, Row, Table};

/// A logarithmic axis is used from this ratio of the largest to the smallest value on.
const LOG_RATIO: f64 = 16.0;

/// Quantity or key along the x axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum XAxis {
    /// The key with this index.
    Key(usize),
    /// The column with this index, as measured: a curve goes through its points in the order of the table.
    Column(usize),
}

/// One column of a table, and what it is drawn over.
#[derive(Debug, Clone, Copy)]
pub struct Drawn<'a> {
    /// The table.
    pub table: &'a Table,
    /// Name of its curves, before the keys that distinguish them.
    pub name: Option<&'a str>,
    /// Quantity or key along the x axis.
    pub across: XAxis,
    /// The column with this index lies along the y axis.
    pub column: usize,
}

/// Where the points of a curve lie along the x axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Places {
    /// As far as their numbers; a place a name where not all are numbers.
    ByValue,
    /// A place a name, though it is a number.
    ByName,
}

/// Returns the chart of `first` and, between the same axes, `beside`; curves of one name are one. A curve goes over the
/// values of the keys that change in step with what lies along x: those of the key there, else the last that vary.
pub fn curves(first: Drawn<'_>, beside: &[Drawn<'_>], places: Places) -> Chart {
    let all: Vec<Drawn<'_>> = [first].into_iter().chain(beside.iter().copied()).collect();
    let x = axis(&all, places);
    Chart {
        title: format!("{}: {}", first.table.study, first.table.columns[first.column].name),
        y: Axis::linear(column_label(first.table, first.column)),
        curves: joined(&all, &x.scale),
        bars: Vec::new(),
        side_by_side: false,
        marks: Vec::new(),
        guidelines: Vec::new(),
        x,
    }
}

/// Returns the curves of `all`, those of one name joined.
fn joined(all: &[Drawn<'_>], scale: &Scale) -> Vec<Series> {
    let mut curves: Vec<Series> = Vec::new();
    for drawn in all {
        for series in drawn.series(scale) {
            match curves.iter_mut().find(|curve| curve.name == series.name) {
                Some(curve) => curve.points.extend(series.points),
                None => curves.push(series),
            }
        }
        if matches!(drawn.across, XAxis::Key(_)) {
            let by_place = |one: &(f64, f64), other: &(f64, f64)| one.0.total_cmp(&other.0);
            curves.iter_mut().for_each(|curve| curve.points.sort_by(by_place));
        }
    }
    curves
}

impl Drawn<'_> {
    /// Returns a curve for each combination of the keys that do not change along it.
    fn series(&self, scale: &Scale) -> Vec<Series> {
        let table = self.table;
        let telling = table.telling_keys();
        let names = short_names(table, &telling);
        let along = self.along();
        let others: Vec<usize> = telling.into_iter().filter(|key| !along.contains(key)).collect();
        let name = |row: &Row| -> String {
            let others = others.iter().map(|key| format!("{} {}", names[*key], row.set_to[*key]));
            let words: Vec<String> = self.name.map(str::to_owned).into_iter().chain(others).collect();
            // A single curve needs a name only beside marks and guidelines.
            if words.is_empty() { "simulated".to_owned() } else { words.join(", ") }
        };
        let all: Vec<(String, (f64, f64))> = table
            .rows
            .iter()
            .map(|row| (name(row), (self.place(row, scale), value(row, self.column))))
            .collect();
        let curve = |name: &str| {
            let points = all.iter().filter(|(other, _)| other == name).map(|(_, point)| *point);
            Series { name: name.to_owned(), points: points.collect() }
        };
        distinct(all.iter().map(|(name, _)| name.as_str())).into_iter().map(curve).collect()
    }

    /// Returns the keys that change along a curve.
    fn along(&self) -> Vec<usize> {
        let steps = &self.table.steps;
        let step = match self.across {
            XAxis::Key(key) => Some(steps[key]),
            XAxis::Column(_) => self.table.varied_keys().last().map(|key| steps[*key]),
        };
        (0..steps.len()).filter(|key| Some(steps[*key]) == step).collect()
    }

    /// Returns the place of the point of `row` along x.
    fn place(&self, row: &Row, scale: &Scale) -> f64 {
        match (self.across, scale) {
            (XAxis::Column(column), _) => value(row, column),
            (XAxis::Key(key), Scale::Named(names)) => {
                let place = names.iter().position(|name| *name == row.set_to[key]);
                place.map_or(f64::NAN, |place| place as f64)
            }
            (XAxis::Key(key), _) => number(&row.set_to[key]).unwrap_or(f64::NAN),
        }
    }
}

/// Returns the name and unit of column `column`.
pub(crate) fn column_label(table: &Table, column: usize) -> String {
    let Column { name, unit } = &table.columns[column];
    format!("{name} ({unit})")
}

/// Returns the x axis of `all`, with the words of the first.
fn axis(all: &[Drawn<'_>], places: Places) -> Axis {
    let first = all[0];
    let key = match first.across {
        XAxis::Column(column) => return Axis::linear(column_label(first.table, column)),
        XAxis::Key(key) => key,
    };
    let texts = all.iter().flat_map(|drawn| {
        let key = match drawn.across {
            XAxis::Key(key) => Some(key),
            XAxis::Column(_) => None,
        };
        drawn.table.rows.iter().filter_map(move |row| Some(row.set_to[key?].as_str()))
    });
    let texts = distinct(texts);
    let numbers: Option<Vec<f64>> = texts.iter().map(|text| number(text)).collect();
    let scale = match &numbers {
        Some(numbers) if places == Places::ByValue && spreads(numbers) => Scale::Log,
        Some(_) if places == Places::ByValue => Scale::Linear,
        _ => Scale::Named(texts.iter().map(|text| (*text).to_owned()).collect()),
    };
    Axis { scale, ..Axis::linear(first.table.keys[key].clone()) }
}

/// Returns the name of the picture of quantity `name`: what a file system may not like becomes `-`.
pub fn picture_name(name: &str) -> String {
    let plain = |ch: char| if ch.is_ascii_alphanumeric() || matches!(ch, '_' | '.') { ch } else { '-' };
    format!("{}.svg", name.chars().map(plain).collect::<String>())
}

fn number(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|number: &f64| number.is_finite())
}

/// Returns the value of a point; one that failed or has none breaks the curve.
pub(crate) fn value(row: &Row, column: usize) -> f64 {
    match &row.outcome {
        Outcome::Ran { values, .. } => values[column].unwrap_or(f64::NAN),
        Outcome::Failed(_) => f64::NAN,
    }
}

fn distinct<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = std::collections::BTreeSet::new();
    texts.filter(|text| seen.insert(*text)).collect()
}

/// Returns true when `numbers` crowd at the low end, as 1, 2, 4, 8, 16 do and 10, 20, 30 do not.
fn spreads(numbers: &[f64]) -> bool {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (Some(low), Some(high)) = (sorted.first(), sorted.last()) else { return false };
    let middle = sorted[sorted.len() / 2];
    *low > 0.0 && high / low >= LOG_RATIO && middle < (low + high) / 4.0
}

/// Returns the last part of each key; the whole key where two end alike. Keys that follow one of `telling` are never
/// shown and do not count.
pub(crate) fn short_names(table: &Table, telling: &[usize]) -> Vec<String> {
    let last = |key: &str| key.rsplit('.').next().unwrap_or(key).to_owned();
    let varied = table.varied_keys();
    let shown = |key: &usize| telling.contains(key) || !varied.contains(key);
    let ends: Vec<String> = (0..table.keys.len()).filter(shown).map(|key| last(&table.keys[key])).collect();
    let alike = |end: &String| ends.iter().filter(|other| *other == end).count() > 1;
    let short = |key: &String| Some(last(key)).filter(|end| !alike(end)).unwrap_or_else(|| key.clone());
    table.keys.iter().map(short).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use halftrack_report::Unit;

    fn table(rows: &[(&str, &str, Option<f64>)]) -> Table {
        let row = |(first, second, value): &(&str, &str, Option<f64>)| Row {
            set_to: vec![(*first).to_owned(), (*second).to_owned()],
            outcome: match value {
                Some(value) => Outcome::Ran {
                    values: vec![Some(*value)],
                    bottleneck: String::new(),
                    violations: vec![],
                    overloaded: vec![],
                    offered_too_much: Vec::new(),
                },
                None => Outcome::Failed(vec![]),
            },
        };
        Table {
            study: "s".to_owned(),
            keys: vec!["workload.stream.A.closed.jobs".to_owned(), "plant.cable.*.km".to_owned()],
            steps: vec![0, 1],
            columns: vec![Column { name: "rate_per_s".to_owned(), unit: Unit::PerSecond }],
            rows: rows.iter().map(row).collect(),
            missing: vec![],
        }
    }

    fn drawn(table: &Table, across: XAxis) -> Drawn<'_> {
        Drawn { table, name: None, across, column: 0 }
    }

    fn alone(table: &Table, across: XAxis) -> Chart {
        curves(drawn(table, across), &[], Places::ByValue)
    }

    #[test]
    fn each_combination_of_the_other_keys_is_a_curve_in_the_order_of_x() {
        let table =
            table(&[("2", "0", Some(20.0)), ("2", "9", None), ("1", "0", Some(10.0)), ("1", "9", Some(9.0))]);
        let chart = alone(&table, XAxis::Key(0));
        assert_eq!(
            chart.curves[0],
            Series { name: "km 0".to_owned(), points: vec![(1.0, 10.0), (2.0, 20.0)] }
        );
        assert_eq!((chart.curves[1].name.as_str(), chart.curves[1].points[0]), ("km 9", (1.0, 9.0)));
        assert!(chart.curves[1].points[1].1.is_nan(), "a failed point has no place");
        assert_eq!(
            (chart.x.label.as_str(), chart.y.label.as_str()),
            ("workload.stream.A.closed.jobs", "rate_per_s (1/s)")
        );
        let names: Vec<String> =
            alone(&table, XAxis::Key(1)).curves.into_iter().map(|curve| curve.name).collect();
        assert_eq!(names, ["jobs 2", "jobs 1"]);
    }

    #[test]
    fn a_quantity_may_lie_along_x_in_the_order_of_the_points() {
        let mut table = table(&[
            ("1", "0", Some(10.0)),
            ("2", "0", Some(30.0)),
            ("3", "0", Some(20.0)),
            ("4", "0", None),
        ]);
        let chart = alone(&table, XAxis::Column(0));
        assert_eq!(chart.curves[0].points[..3], [(10.0, 10.0), (30.0, 30.0), (20.0, 20.0)]);
        assert!(chart.curves[0].points[3].0.is_nan(), "a failed point has no place");
        assert_eq!((chart.x.label.as_str(), chart.curves.len()), ("rate_per_s (1/s)", 1));
        assert_eq!(chart.curves[0].name, "simulated");
        for (row, step) in table.rows.iter_mut().zip(["4", "3", "2", "1"]) {
            row.set_to[1] = step.to_owned();
        }
        assert_eq!(alone(&table, XAxis::Key(0)).curves.len(), 1, "the other key follows");
        for (row, step) in table.rows.iter_mut().zip(["4", "3", "3", "4"]) {
            row.set_to = vec!["1".to_owned(), step.to_owned()];
        }
        assert_eq!(alone(&table, XAxis::Key(0)).curves.len(), 2);
        table.steps = vec![0, 0];
        assert_eq!(alone(&table, XAxis::Key(0)).curves.len(), 1, "keys in step are one curve");
    }

    #[test]
    fn of_keys_in_step_the_first_names_the_curve() {
        let mut table = table(&[
            ("1", "0", Some(10.0)),
            ("1", "9", Some(30.0)),
            ("2", "0", Some(20.0)),
            ("2", "9", Some(40.0)),
        ]);
        table.keys.push("plant.director.11.km".to_owned());
        table.steps.push(1);
        for row in &mut table.rows {
            row.set_to.push(if row.set_to[1] == "0" { "4".to_owned() } else { "5".to_owned() });
        }
        let names: Vec<String> =
            alone(&table, XAxis::Key(0)).curves.into_iter().map(|curve| curve.name).collect();
        assert_eq!(names, ["km 0", "km 9"], "the second km is in step and takes no place in the name");
        table.rows[3].set_to[2] = "4".to_owned();
        assert_eq!(table.telling_keys(), [0, 1, 2], "in step no more");
    }

    #[test]
    fn tables_beside_each_other_share_the_axes_and_have_their_names() {
        let near = table(&[("1", "0", Some(10.0)), ("3", "0", Some(30.0))]);
        let far = table(&[("2", "7", Some(5.0)), ("2", "9", Some(6.0))]);
        let named = Drawn { name: Some("far"), ..drawn(&far, XAxis::Key(0)) };
        let chart = curves(drawn(&near, XAxis::Key(0)), &[named], Places::ByValue);
        let names: Vec<&str> = chart.curves.iter().map(|curve| curve.name.as_str()).collect();
        assert_eq!(names, ["simulated", "far, km 7", "far, km 9"]);
        assert_eq!((chart.x.scale, &chart.curves[1].points), (Scale::Linear, &vec![(2.0, 5.0)]));
        let chart = curves(drawn(&near, XAxis::Key(0)), &[named], Places::ByName);
        assert_eq!(chart.x.scale, Scale::Named(["1", "3", "2"].map(str::to_owned).to_vec()));
        assert_eq!(chart.curves[2].points, [(2.0, 6.0)]);
        let further = table(&[("2", "0", Some(20.0))]);
        let unnamed = drawn(&further, XAxis::Key(0));
        let chart = curves(drawn(&near, XAxis::Key(0)), &[unnamed], Places::ByValue);
        assert_eq!(chart.curves.len(), 1, "without a name of their own, points join the others");
        assert_eq!(chart.curves[0].points, [(1.0, 10.0), (2.0, 20.0), (3.0, 30.0)]);
    }

    #[test]
    fn the_axis_suits_its_values() {
        let scale = |values: &[&str]| {
            let rows: Vec<_> = values.iter().map(|value| (*value, "0", Some(1.0))).collect();
            alone(&table(&rows), XAxis::Key(0)).x.scale
        };
        assert_eq!(scale(&["1", "2", "4", "8", "16", "32"]), Scale::Log);
        assert_eq!(scale(&["10", "20", "30", "400"]), Scale::Log);
        assert_eq!(scale(&["1000", "20000", "30000", "40000"]), Scale::Linear);
        assert_eq!(
            scale(&["4K", "half-track"]),
            Scale::Named(vec!["4K".to_owned(), "half-track".to_owned()])
        );
    }

    #[test]
    fn pictures_have_names_that_every_file_system_takes() {
        assert_eq!(picture_name("channel_bus_percent:0.40"), "channel_bus_percent-0.40.svg");
        assert_eq!(picture_name("rate_per_s:MY/STREAM \u{e9}"), "rate_per_s-MY-STREAM--.svg");
    }
}

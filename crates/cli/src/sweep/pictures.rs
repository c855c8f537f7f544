//! How the pictures of a sweep are drawn.

use std::str::FromStr;

use clap::Args;
use halftrack_sweep::chart::{Chart, Guideline, Series};
use halftrack_sweep::{Across, Column, Table, ValueSet, curves, parts, picture_name};

use crate::failure::Failure;

/// The picture of `--parts`.
const PARTS_PICTURE: &str = "parts.svg";

/// What is drawn beside the curves, and what the axes are called.
#[derive(Debug, Args)]
#[command(next_help_heading = "Pictures")]
pub struct PictureArguments {
    /// The key or quantity along the x axis; over a quantity a curve goes through the values of the last --set with
    /// several [default: the key of the first --set with several]
    #[arg(long, value_name = "KEY|QUANTITY")]
    pub x: Option<String>,
    /// Draw the quantities of --y as parts of one bar a point, in the picture parts.svg
    #[arg(long, requires = "y", conflicts_with_all = ["x", "marks"])]
    pub parts: bool,
    /// Title [default: study and quantity]
    #[arg(long, value_name = "WORDS")]
    pub title: Option<String>,
    /// What the x axis shows, with its unit [default: the key or quantity]
    #[arg(long, value_name = "WORDS")]
    pub x_label: Option<String>,
    /// What the y axis shows, with its unit [default: the quantity]
    #[arg(long, value_name = "WORDS")]
    pub y_label: Option<String>,
    /// Largest x; what lies beyond is cut off [default: all is shown]
    #[arg(long, value_name = "X", value_parser = finite)]
    pub x_to: Option<f64>,
    /// Largest y; what lies beyond is cut off [default: all is shown]
    #[arg(long, value_name = "Y", value_parser = finite)]
    pub y_to: Option<f64>,
    /// Mark a published value with an open symbol; may be repeated
    #[arg(long = "mark", value_name = "X=Y")]
    pub marks: Vec<Mark>,
    /// A dashed line at Y, and what it is called; may be repeated
    #[arg(long = "guideline", value_name = "Y=WORDS")]
    pub guidelines: Vec<Line>,
}

/// A published value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mark(f64, f64);

impl FromStr for Mark {
    type Err = String;

    /// Reads `18000=0.3`.
    fn from_str(text: &str) -> Result<Self, String> {
        let (x, y) = text.split_once('=').ok_or("write X=Y, such as 18000=0.3")?;
        Ok(Self(finite(x)?, finite(y)?))
    }
}

/// A guideline.
#[derive(Debug, Clone, PartialEq)]
pub struct Line(f64, String);

impl FromStr for Line {
    type Err = String;

    /// Reads `50=advised`.
    fn from_str(text: &str) -> Result<Self, String> {
        let (y, words) = text.split_once('=').ok_or("write Y=WORDS, such as 50=advised")?;
        Ok(Self(finite(y)?, words.trim().to_owned()))
    }
}

fn finite(text: &str) -> Result<f64, String> {
    let number = text.trim().parse().ok().filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| format!("`{text}` is no number"))
}

/// Which pictures a sweep draws.
#[derive(Debug)]
pub struct Pictures {
    across: Across,
    /// Indices of the keys that change along a curve, and of the columns that are drawn.
    along: Vec<usize>,
    drawn: Vec<usize>,
}

impl Pictures {
    /// The pictures that `arguments` ask for of the sets `groups`, the columns `drawn` of `columns`.
    ///
    /// # Errors
    /// An x axis that is neither key nor quantity; parts of unlike units; marks, lines or words for the y axis of
    /// several pictures.
    pub fn new(
        arguments: &PictureArguments,
        groups: &[Vec<ValueSet>],
        columns: &[Column],
        drawn: Vec<usize>,
    ) -> Result<Self, Failure> {
        let units: Vec<_> = drawn.iter().map(|column| columns[*column].unit).collect();
        if arguments.parts && units.iter().any(|unit| *unit != units[0]) {
            return Err(Failure::Argument("--parts needs quantities of one unit".to_owned()));
        }
        let of_one_y = arguments.y_label.is_some()
            || arguments.y_to.is_some()
            || !arguments.marks.is_empty()
            || !arguments.guidelines.is_empty();
        if of_one_y && drawn.len() > 1 && !arguments.parts {
            let message =
                "--mark, --guideline, --y-label and --y-to are for one picture: name one quantity with --y";
            return Err(Failure::Argument(message.to_owned()));
        }
        let across = across(arguments.x.as_deref(), groups, columns)?;
        Ok(Self { across, along: along(across, groups), drawn })
    }

    /// Name and text of each.
    pub fn draw(&self, table: &Table, arguments: &PictureArguments) -> Vec<(String, String)> {
        if arguments.parts {
            return vec![(PARTS_PICTURE.to_owned(), dressed(parts(table, &self.drawn), arguments).svg())];
        }
        let picture = |column: &usize| {
            let chart = curves(table, self.across, &self.along, *column);
            (picture_name(&table.columns[*column].name), dressed(chart, arguments).svg())
        };
        self.drawn.iter().map(picture).collect()
    }
}

/// What `x` names; the first set with several values unless it names something.
fn across(x: Option<&str>, groups: &[Vec<ValueSet>], columns: &[Column]) -> Result<Across, Failure> {
    let sets: Vec<&ValueSet> = groups.iter().flatten().collect();
    let Some(x) = x else {
        return Ok(Across::Key(sets.iter().position(|set| set.values.len() > 1).unwrap_or(0)));
    };
    let key = sets.iter().position(|set| set.key.text() == x).map(Across::Key);
    let column = || columns.iter().position(|column| column.name == x).map(Across::Column);
    key.or_else(column).ok_or_else(|| {
        let keys: Vec<&str> = sets.iter().map(|set| set.key.text()).collect();
        Failure::Argument(format!(
            "--x {x} is neither a quantity nor a key of this sweep, which has {}",
            keys.join(", ")
        ))
    })
}

/// The keys of the group that changes along a curve: that of the key across, else the last with several values, which
/// changes fastest.
fn along(across: Across, groups: &[Vec<ValueSet>]) -> Vec<usize> {
    let mut first = 0;
    let spans = groups.iter().map(|group| {
        first += group.len();
        (first - group.len()..first, group.iter().any(|set| set.values.len() > 1))
    });
    let mut spans: Vec<_> = spans.collect();
    spans.retain(|(span, several)| match across {
        Across::Key(key) => span.contains(&key),
        Across::Column(_) => *several,
    });
    spans.into_iter().next_back().map_or(Vec::new(), |(span, _)| span.collect())
}

/// `chart` with the words, marks and lines of `arguments`.
fn dressed(mut chart: Chart, arguments: &PictureArguments) -> Chart {
    let replace = |words: &mut String, by: &Option<String>| by.iter().for_each(|by| words.clone_from(by));
    replace(&mut chart.title, &arguments.title);
    replace(&mut chart.x.label, &arguments.x_label);
    replace(&mut chart.y.label, &arguments.y_label);
    chart.x.to = arguments.x_to;
    chart.y.to = arguments.y_to;
    if !arguments.marks.is_empty() {
        let points = arguments.marks.iter().map(|Mark(x, y)| (*x, *y)).collect();
        chart.marks = vec![Series { name: "published".to_owned(), points }];
    }
    let line = |Line(y, name): &Line| Guideline { name: name.clone(), y: *y };
    chart.guidelines = arguments.guidelines.iter().map(line).collect();
    chart
}

#[cfg(test)]
mod tests {
    use super::*;
    use halftrack_sweep::sets_in_step;

    #[test]
    fn marks_and_lines_are_read_or_refused() {
        assert_eq!("18000=0.3".parse(), Ok(Mark(18_000.0, 0.3)));
        assert_eq!("50 = advised, 50 % = half".parse(), Ok(Line(50.0, "advised, 50 % = half".to_owned())));
        assert_eq!("x=1".parse::<Mark>(), Err("`x` is no number".to_owned()));
        assert!("inf=1".parse::<Mark>().is_err() && "50".parse::<Line>().is_err());
    }

    #[test]
    fn a_curve_goes_along_all_keys_in_step() {
        let group = |text: &str| sets_in_step(text).expect("sets");
        let groups = [
            group("workload.run.seed=1"),
            group("workload.stream.A.closed.jobs=9,5;workload.stream.B.closed.jobs=1,5"),
            group("plant.cable.*.km=0,10"),
        ];
        let columns = Table::columns(&[]).expect("the usual columns");
        let of = |x: Option<&str>| {
            let across = across(x, &groups, &columns).expect("an axis");
            (across, along(across, &groups))
        };
        assert_eq!(of(None), (Across::Key(1), vec![1, 2]));
        assert_eq!(of(Some("plant.cable.*.km")), (Across::Key(3), vec![3]));
        assert_eq!(of(Some("mb_per_s")), (Across::Column(2), vec![3]));
        assert!(across(Some("speed"), &groups, &columns).is_err());
    }
}

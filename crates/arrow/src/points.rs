//! The points of a sweep, one a row: keys, values, what limits the point, how it ended.

use halftrack_report::{Cells, Counts, Frame, FrameColumn, Numbers, Texts, quantity_definition};
use halftrack_sweep::{NONE, Outcome, PointIdentity, Row, Table};

/// Columns of texts behind the values: name and definition.
const BOTTLENECK: (&str, &str) =
    ("bottleneck", "Station or pool that is used most; none where nothing was measured");
const STATUS: (&str, &str) = ("status", "ok, overloaded, law violated or failed");
const MESSAGES: (&str, &str) = ("messages", "Why the point is not ok, a line each");
const CONTENT_KEY: (&str, &str) =
    ("content_key", "Hash of everything that the run depends on; none of a point that cannot be configured");

/// Returns the points of `table`: number, keys, values, bottleneck, status, messages, and of `identities`, one a point,
/// content key and seed. A key is a column of whole numbers or numbers where all its values are, else of texts; where it is
/// removed, its number is missing.
///
/// # Panics
/// When there is not one identity for each point.
pub fn points(table: &Table, identities: &[Option<PointIdentity>]) -> Frame {
    assert_eq!(table.rows.len(), identities.len(), "each point has an identity or none");
    let mut columns = vec![number_column(table.rows.len())];
    columns.extend(table.keys.iter().enumerate().map(|(index, key)| FrameColumn {
        name: key.clone().into(),
        unit: None,
        definition: "Value of the key at the point",
        cells: typed(table.rows.iter().map(|row| row.set_to[index].as_str())),
    }));
    columns.extend(table.columns.iter().enumerate().map(|(index, column)| FrameColumn {
        name: column.name.clone().into(),
        unit: Some(column.unit),
        definition: definition(&column.name),
        cells: Cells::Numbers(table.rows.iter().map(|row| value(row, index)).collect()),
    }));
    columns.push(texts(BOTTLENECK, table.rows.iter().map(|row| bottleneck(row).to_owned())));
    columns.push(texts(STATUS, table.rows.iter().map(|row| row.status().to_owned())));
    columns.push(texts(MESSAGES, table.rows.iter().map(messages)));
    columns.push(texts(CONTENT_KEY, content_keys(identities)));
    columns.push(FrameColumn {
        name: "seed".into(),
        unit: None,
        definition: "Seed of every random stream",
        cells: Cells::Counts(identities.iter().map(|one| one.as_ref().map(|one| one.seed)).collect()),
    });
    Frame { name: "points".into(), columns }
}

/// Returns numbers of points, from 0.
fn number_column(points: usize) -> FrameColumn {
    FrameColumn {
        name: "point".into(),
        unit: None,
        definition: "Number of the point, from 0",
        cells: Cells::Counts((0..points as u64).map(Some).collect()),
    }
}

/// Returns the content keys of points as texts, empty where there is none.
pub(crate) fn content_keys(identities: &[Option<PointIdentity>]) -> impl Iterator<Item = String> {
    let text = |one: &PointIdentity| one.content_key.to_string();
    identities.iter().map(move |one| one.as_ref().map(text).unwrap_or_default())
}

fn texts(
    (name, definition): (&'static str, &'static str),
    texts: impl Iterator<Item = String>,
) -> FrameColumn {
    FrameColumn { name: name.into(), unit: None, definition, cells: Cells::Texts(texts.collect::<Texts>()) }
}

/// Returns the definition of a quantity, whatever its subject.
pub(crate) fn definition(name: &str) -> &'static str {
    quantity_definition(name).map_or("", |known| known.definition)
}

/// Returns the value of a quantity at a point.
pub(crate) fn value(row: &Row, index: usize) -> Option<f64> {
    match &row.outcome {
        Outcome::Ran { values, .. } => values[index],
        Outcome::Failed(_) => None,
    }
}

fn bottleneck(row: &Row) -> &str {
    match &row.outcome {
        Outcome::Ran { bottleneck, .. } => bottleneck,
        Outcome::Failed(_) => "",
    }
}

fn messages(row: &Row) -> String {
    match &row.outcome {
        Outcome::Ran { violations, overloaded, .. } => {
            [violations.as_slice(), overloaded].concat().join("\n")
        }
        Outcome::Failed(messages) => messages.join("\n"),
    }
}

/// Returns the values of a key in the simplest type that has them all.
fn typed<'a>(values: impl Iterator<Item = &'a str> + Clone) -> Cells {
    let is_any = values.clone().any(|value| value != NONE);
    if let Some(counts) = all_as(values.clone(), |digits| digits.parse::<u64>().ok()).filter(|_| is_any) {
        return Cells::Counts(counts.into_iter().collect::<Counts>());
    }
    let number = |digits: &str| digits.parse::<f64>().ok().filter(|number| number.is_finite());
    match all_as(values.clone(), number).filter(|_| is_any) {
        Some(numbers) => Cells::Numbers(numbers.into_iter().collect::<Numbers>()),
        None => Cells::Texts(values.collect()),
    }
}

/// Reads every value but a removed key; `None` where one cannot be read.
fn all_as<'a, T>(
    values: impl Iterator<Item = &'a str>,
    read: impl Fn(&str) -> Option<T>,
) -> Option<Vec<Option<T>>> {
    let one = |value: &str| match value {
        NONE => Some(None),
        // TOML allows them between digits.
        value => read(&value.replace('_', "")).map(Some),
    };
    values.map(one).collect()
}

//! The values of a sweep, one a row: the same columns whatever was varied, so that sweeps can be put together.

use halftrack_report::{Cells, Frame, FrameColumn, Numbers, Texts};
use halftrack_sweep::{PointIdentity, Table};

use crate::points::{content_keys, definition, value};

/// Returns each value of each point of `table`: number of the point, its content key, quantity, subject, value, unit,
/// definition.
///
/// # Panics
/// When there is not one identity for each point.
pub fn values(table: &Table, identities: &[Option<PointIdentity>]) -> Frame {
    assert_eq!(table.rows.len(), identities.len(), "each point has an identity or none");
    let of_point = |index: usize| table.columns.iter().enumerate().map(move |(column, _)| (index, column));
    let cells: Vec<(usize, usize)> = (0..table.rows.len()).flat_map(of_point).collect();
    let names: Vec<_> = table
        .columns
        .iter()
        .map(|column| column.name.split_once(':').unwrap_or((&column.name, "")))
        .collect();
    let units: Vec<_> = table.columns.iter().map(|column| column.unit.to_string()).collect();
    let definitions: Vec<_> = table.columns.iter().map(|column| definition(&column.name)).collect();
    let keys: Vec<_> = content_keys(identities).collect();
    let numbers: Numbers = cells.iter().map(|(point, column)| value(&table.rows[*point], *column)).collect();
    let points = cells.iter().map(|(point, _)| Some(*point as u64)).collect();
    let columns = vec![
        column("point", "Number of the point, from 0", Cells::Counts(points)),
        texts(&cells, "content_key", "Hash of everything that the run depends on", &|point, _| {
            keys[point].as_str()
        }),
        texts(&cells, "quantity", "Name of the quantity", &|_, column| names[column].0),
        texts(&cells, "subject", "Name behind the colon; none of all together", &|_, column| names[column].1),
        column(
            "value",
            "Value, in the unit of the row; none where the point has no such thing",
            Cells::Numbers(numbers),
        ),
        texts(&cells, "unit", "Unit of the value", &|_, column| units[column].as_str()),
        texts(&cells, "definition", "Definition of the quantity", &|_, column| definitions[column]),
    ];
    Frame { name: "values".into(), columns }
}

fn column(name: &'static str, definition: &'static str, cells: Cells) -> FrameColumn {
    FrameColumn { name: name.into(), unit: None, definition, cells }
}

/// Returns the column of the texts that `text` has for point and column of each of `cells`.
fn texts<'a>(
    cells: &[(usize, usize)],
    name: &'static str,
    definition: &'static str,
    text: &dyn Fn(usize, usize) -> &'a str,
) -> FrameColumn {
    let all: Texts = cells.iter().map(|(point, column)| text(*point, *column)).collect();
    column(name, definition, Cells::Texts(all))
}

//! The values of a sweep, one a row: the same columns whatever was varied, so that sweeps can be put together.

use halftrack_report::{Cells, Frame, FrameColumn, Numbers, Texts};
use halftrack_sweep::{PointIdentity, Table};

use crate::points::{definition, value};

/// Returns each value of each point of `table`: number of the point, its content key, quantity, subject, value, unit,
/// definition.
///
/// # Panics
/// When there is not one identity for each point.
pub fn values(table: &Table, identities: &[Option<PointIdentity>]) -> Frame {
    assert_eq!(table.rows.len(), identities.len(), "each point has an identity or none");
    let of_point = |index: usize| table.columns.iter().enumerate().map(move |(column, _)| (index, column));
    let cells: Vec<(usize, usize)> = (0..table.rows.len()).flat_map(of_point).collect();
    let split = |column: usize| {
        let name = &table.columns[column].name;
        name.split_once(':').unwrap_or((name, ""))
    };
    let keys: Vec<String> = identities
        .iter()
        .map(|one| one.as_ref().map(|one| one.content_key.to_string()).unwrap_or_default())
        .collect();
    let texts = |name: &'static str, definition: &'static str, text: &dyn Fn(usize, usize) -> String| {
        let all: Texts = cells.iter().map(|(point, column)| text(*point, *column)).collect();
        column(name, definition, Cells::Texts(all))
    };
    let numbers: Numbers = cells.iter().map(|(point, column)| value(&table.rows[*point], *column)).collect();
    let points = cells.iter().map(|(point, _)| Some(*point as u64)).collect();
    let columns = vec![
        column("point", "Number of the point, from 0", Cells::Counts(points)),
        texts("content_key", "Hash of everything that the run depends on", &|point, _| keys[point].clone()),
        texts("quantity", "Name of the quantity", &|_, column| split(column).0.to_owned()),
        texts("subject", "Name behind the colon; none of all together", &|_, column| {
            split(column).1.to_owned()
        }),
        column(
            "value",
            "Value, in the unit of the row; none where the point has no such thing",
            Cells::Numbers(numbers),
        ),
        texts("unit", "Unit of the value", &|_, column| table.columns[column].unit.to_string()),
        texts("definition", "Definition of the quantity", &|_, column| {
            definition(split(column).0).to_owned()
        }),
    ];
    Frame { name: "values".into(), columns }
}

fn column(name: &'static str, definition: &'static str, cells: Cells) -> FrameColumn {
    FrameColumn { name: name.into(), unit: None, definition, cells }
}

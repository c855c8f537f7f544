//! Columns of a table of the summary, made of the figures of its records.

use crate::column::{Column, Summarised};
use crate::records::Records;

/// Text of a cell without its first figure.
const MISSING: &str = "-";

/// Figures that share a cell.
type Cell<R> = Vec<(&'static Column<R>, Summarised)>;

/// Cells of a table, each with the figures that share it.
pub(super) struct SummaryColumns<R: 'static> {
    cells: Vec<Cell<R>>,
}

impl<R> SummaryColumns<R> {
    /// Chooses the cells for `rows`, by place; one whose first figure no row has is left out.
    pub fn new(columns: &'static [Column<R>], rows: &[Records<'_, R>]) -> Self {
        let mut figures: Vec<_> =
            columns.iter().filter_map(|column| Some((column, column.summarised?))).collect();
        // The first figure of a cell has its heading.
        figures.sort_by_key(|(_, summarised)| (summarised.place, summarised.heading.is_empty()));
        let cells = figures.chunk_by(|(_, one), (_, other)| one.place == other.place).map(<[_]>::to_vec);
        let has = |cell: &Cell<R>| rows.iter().any(|row| cell[0].0.of(row).is_some());
        Self { cells: cells.filter(has).collect() }
    }

    /// Formats the headings, two blanks before each.
    pub fn headings(&self) -> String {
        let heading = |cell: &Cell<R>| {
            let first = cell[0].1;
            format!("  {:>width$}", first.heading, width = first.width)
        };
        self.cells.iter().map(heading).collect()
    }

    /// Formats the cells of one row, two blanks before each.
    pub fn row(&self, records: &Records<'_, R>) -> String {
        let cell = |cell: &Cell<R>| {
            let figure = |(column, summarised): &(&'static Column<R>, Summarised)| {
                let number = column.of(records)?;
                Some(format!("{}{number:.*}", summarised.sign, summarised.decimals))
            };
            let figures: Option<String> = cell.iter().map(figure).collect();
            format!("  {:>width$}", figures.unwrap_or_else(|| MISSING.to_owned()), width = cell[0].1.width)
        };
        self.cells.iter().map(cell).collect()
    }
}

//! Rows of cells in columns as wide as what they hold.

/// A table being filled.
#[derive(Debug)]
pub(super) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Builds a table with the names of its columns.
    pub(super) fn new<T: Into<String>>(names: impl IntoIterator<Item = T>) -> Self {
        Self { rows: vec![names.into_iter().map(Into::into).collect()] }
    }

    /// Adds a row; cells that are missing at its end stay empty.
    pub(super) fn add(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }

    /// Returns true while it has no row.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.len() < 2
    }

    /// Returns its lines; none while it has no row.
    pub(super) fn text(&self) -> String {
        if self.is_empty() {
            return String::new();
        }
        let count = self.rows.iter().map(Vec::len).max().unwrap_or_default();
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or_default()
        };
        let widths: Vec<usize> = (0..count).map(width).collect();
        let mut text = String::new();
        for row in &self.rows {
            let mut line = String::new();
            for (cell, width) in row.iter().zip(&widths) {
                line += &format!("{cell:width$} ");
            }
            text += line.trim_end();
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = Table::new(["A", "LONG", "B"]);
        assert_eq!(table.text(), "");
        table.add(vec!["four".to_owned(), String::new(), "x".to_owned()]);
        table.add(vec!["1".to_owned(), "2".to_owned()]);
        assert_eq!(table.text(), "A    LONG B\nfour      x\n1    2\n");
    }
}

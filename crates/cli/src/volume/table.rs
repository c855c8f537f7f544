//! Columns for people: as wide as what is in them.

/// How a column is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// Formats `1 finding`, `2 findings`.
pub fn counted(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// Formats one line for the heads and one for each row; no blanks at the end of a line.
pub fn table<const N: usize>(heads: [(&str, Side); N], rows: &[[String; N]]) -> String {
    let mut widths = heads.map(|(head, _)| head.len());
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let line = |cells: [&str; N]| {
        let mut line = String::new();
        for ((cell, width), (_, side)) in cells.iter().zip(widths).zip(heads) {
            let cell = match side {
                Side::Left => format!("{cell:<width$}  "),
                Side::Right => format!("{cell:>width$}  "),
            };
            line.push_str(&cell);
        }
        line.trim_end().to_owned() + "\n"
    };
    let head = line(heads.map(|(head, _)| head));
    rows.iter().fold(head, |text, row| text + &line(row.each_ref().map(String::as_str)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_not_many() {
        assert_eq!([0, 1, 2].map(|number| counted(number, "member")), ["0 members", "1 member", "2 members"]);
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows = [["A.B".to_owned(), "7".to_owned()], ["C".to_owned(), "12345".to_owned()]];
        let set = table([("NAME", Side::Left), ("KEY", Side::Right)], &rows);
        assert_eq!(set, "NAME    KEY\nA.B       7\nC     12345\n");
    }
}

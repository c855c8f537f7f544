//! Rows of displays: a label and a cell for each path.

use std::fmt::Write;

/// Columns of a label.
const LABEL: usize = 22;
/// Sign for an unknown value of a path.
pub(super) const UNKNOWN: &str = "....";
/// Words for a value that the plant does not give.
pub(super) const NOT_AVAILABLE: &str = "NOT AVAILABLE";

/// Appends `LABEL  cell cell cell`, each cell four columns wide.
pub(super) fn row<'a>(text: &mut String, label: &str, cells: impl IntoIterator<Item = &'a str>) {
    let mut line = format!("{label:<LABEL$}");
    for cell in cells {
        write!(line, "{cell:<4} ").expect("text takes everything");
    }
    text.push_str(line.trim_end());
    text.push('\n');
}

/// Formats `Y` or `N`.
pub(super) fn yes(is: bool) -> &'static str {
    if is { "Y" } else { "N" }
}

/// Checks that a line `NAME = value`, or that the value is not known.
pub(super) fn value(text: &mut String, name: &str, value: Option<&str>) {
    let value = value.unwrap_or(NOT_AVAILABLE);
    writeln!(text, "{name} = {value}").expect("text takes everything");
}

//! The scoreboard as JSON.

use crate::row::Row;

/// Returns an array with one object for each figure, each on a line of its own.
pub fn to_json(rows: &[Row]) -> String {
    // Rows hold strings and finite numbers only, which always serialise.
    let lines: Vec<String> = rows.iter().filter_map(|row| serde_json::to_string(row).ok()).collect();
    format!("[\n{}\n]\n", lines.join(",\n"))
}

//! The scoreboard as tables of a book page: counts, independent predictions, what the others rest on, fitted numbers.

use std::collections::BTreeMap;
use std::fmt::Write;

use halftrack_catalog::{Catalog, Parameter};

use crate::digits::digits;
use crate::parameters::{fitted_to, mechanism_of};
use crate::row::{Row, Status};
use crate::scoreboard::Scoreboard;
use crate::table::printed;
use crate::tally::Tally;

/// Returns the tables, each with a heading of the third level.
pub fn markdown(board: &Scoreboard, catalog: &Catalog) -> String {
    [counts(board), independent(board), dependent(board), ledger(board, catalog)].join("\n")
}

/// Returns a line for each document, and one for all.
fn counts(board: &Scoreboard) -> String {
    let mut text = String::from(
        "### Counts\n\n\
         | document | independent | within 5 % | or a bound that holds | counted | within 5 % | predicted | fitted | by definition \
         | with a value | contradicted | not covered | figures |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    let mut documents: Vec<&str> = board.rows.iter().map(|row| row.source.as_str()).collect();
    documents.dedup();
    for document in documents {
        let rows: Vec<Row> = board.rows.iter().filter(|row| row.source == document).cloned().collect();
        count_line(&mut text, &format!("`{document}`"), &Tally::new(&rows, 0), &rows);
    }
    count_line(&mut text, "all", &board.tally(), &board.rows);
    text
}

fn count_line(text: &mut String, name: &str, tally: &Tally, rows: &[Row]) {
    let is_valued = |row: &&Row| row.status == Status::Definition && row.simulated.is_some();
    let numbers = [
        tally.independent,
        tally.independent_within_5_percent,
        tally.independent_within_5_percent_or_bound,
        tally.measured_predictions,
        tally.within_5_percent,
        tally.predicted,
        tally.fitted,
        tally.definition,
        rows.iter().filter(is_valued).count(),
        tally.contradicted,
        tally.not_covered,
        tally.figures,
    ];
    let cells = numbers.map(|number| number.to_string());
    let _ = writeln!(text, "| {name} | {} |", cells.join(" | "));
}

fn independent(board: &Scoreboard) -> String {
    let tally = board.tally();
    let share = tally.share_independent_percent().unwrap_or_default();
    let mut text = format!(
        "### Independent predictions\n\n{} of {} are within 5 % ({share:.0} %).\n\n\
         | figure | printed | here | error | holds |\n| --- | --- | --- | --- | --- |\n",
        tally.independent_within_5_percent, tally.independent
    );
    for row in board.rows.iter().filter(|row| row.independent) {
        let holds = if row.holds == Some(true) { "yes" } else { "no" };
        let _ =
            writeln!(text, "| `{}` | {} | {} | {} | {holds} |", row.id, printed(row), value(row), error(row));
    }
    text
}

/// Returns the predictions that count and are not independent, by what they rest on.
fn dependent(board: &Scoreboard) -> String {
    let mut text = String::from(
        "### Counted, and not independent\n\n| rests on | figures | largest error |\n| --- | --- | --- |\n",
    );
    let mut groups: BTreeMap<String, Vec<&Row>> = BTreeMap::new();
    for row in board.rows.iter().filter(|row| row.is_counted_prediction() && !row.independent) {
        let on = row.rests_on.iter().map(|on| format!("`{on}`")).collect::<Vec<_>>().join(", ");
        let on = if on.is_empty() { "a zero or a one".to_owned() } else { on };
        groups.entry(on).or_default().push(row);
    }
    for (on, rows) in &groups {
        let ids: Vec<String> = rows.iter().map(|row| format!("`{}`", row.id)).collect();
        let size = |row: &Row| row.error_percent.map_or(0.0, f64::abs);
        let furthest = rows.iter().max_by(|a, b| size(a).total_cmp(&size(b)));
        let furthest = furthest.map_or_else(String::new, |row| error(row));
        let _ = writeln!(text, "| {on} | {} | {furthest} |", ids.join(", "));
    }
    text
}

/// Returns the fitted numbers of the catalog in use, with the figures that fix each.
fn ledger(board: &Scoreboard, catalog: &Catalog) -> String {
    let mut text = format!(
        "### Fitted numbers\n\n{} numbers of the catalog are in use that were fitted.\n\n\
         | number | value | fitted to |\n| --- | --- | --- |\n",
        board.fitted.len()
    );
    for shared in fitted_numbers(board, catalog).values() {
        let Some(first) = shared.first() else { continue };
        let names: Vec<String> = shared.iter().map(|one| format!("{}/{}", one.directory, one.id)).collect();
        let figures: Vec<String> = fitted_to(first).iter().map(|id| fixed_by(board, id)).collect();
        let _ = writeln!(
            text,
            "| `{}` of {} | {} | {} |",
            first.key,
            names.join(", "),
            first.value,
            figures.join(", ")
        );
    }
    text
}

/// Returns the fitted numbers that figures use, those that entries share together.
fn fitted_numbers(board: &Scoreboard, catalog: &Catalog) -> BTreeMap<String, Vec<Parameter>> {
    let mut numbers: BTreeMap<String, Vec<Parameter>> = BTreeMap::new();
    for (directory, id, _) in catalog.sources() {
        for parameter in catalog.parameters(directory, id) {
            let mechanism = mechanism_of(&parameter);
            if board.fitted.contains(&mechanism) {
                numbers.entry(mechanism).or_default().push(parameter);
            }
        }
    }
    numbers
}

/// Returns a figure that fixes a number, with how far the value is from it.
fn fixed_by(board: &Scoreboard, id: &str) -> String {
    let row = board.rows.iter().find(|row| row.id == id);
    row.map_or_else(|| format!("`{id}`"), |row| format!("`{id}` ({})", error(row)))
}

fn value(row: &Row) -> String {
    row.simulated.map_or_else(String::new, digits)
}

fn error(row: &Row) -> String {
    row.error_percent.map_or_else(|| "-".to_owned(), |error| format!("{error:+.1} %"))
}

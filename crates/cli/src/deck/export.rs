//! `halftrack deck export`: a deck for other programs.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use halftrack_deck::formats::json;
use halftrack_deck::{CsvTable, Selection, csv};
use halftrack_input::has_errors;

use crate::deck::filters::{self, FilterArguments};
use crate::deck::opening::{self, ReadArguments};
use crate::deck::output;
use crate::failure::Failure;

/// Words at the end of `halftrack deck export --help`.
pub const EXAMPLES: &str = "\
Examples:
  halftrack deck export prod.iocp --json -o prod.json
  halftrack deck export prod.iocp --json | jq -r '.control_units[] | .number'
  halftrack deck export prod.iocp --csv path --cu 1000 > paths.csv

The JSON is described in docs/formats/deck-json.md; later versions only add keys. Exit codes: 0
written, 1 written, but the deck breaks rules, 2 the file cannot be read as a deck or a filter
matches nothing.";

/// Arguments of `halftrack deck export`.
#[derive(Debug, Args)]
pub struct ExportArguments {
    /// The deck; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Write one JSON object with the whole deck
    #[arg(long, required_unless_present = "csv")]
    json: bool,
    /// Write a table of comma-separated values, one row for each
    #[arg(long, value_name = "TABLE", conflicts_with = "json")]
    csv: Option<Table>,
    /// Write to OUT instead of standard output
    #[arg(short, long, value_name = "OUT")]
    out: Option<PathBuf>,
    #[command(flatten)]
    filter: FilterArguments,
    #[command(flatten)]
    read: ReadArguments,
}

/// Rows of a table.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Table {
    /// A channel path in a channel subsystem
    Chpid,
    /// A control unit
    Cu,
    /// A device
    Device,
    /// A PCIe function
    Function,
    /// A path of a control unit
    Path,
}

impl From<Table> for CsvTable {
    fn from(table: Table) -> Self {
        match table {
            Table::Chpid => CsvTable::Chpid,
            Table::Cu => CsvTable::ControlUnit,
            Table::Device => CsvTable::Device,
            Table::Function => CsvTable::Function,
            Table::Path => CsvTable::Path,
        }
    }
}

/// Writes the deck out; true when it breaks no rule.
///
/// # Errors
/// A file that is no deck; a filter for what the deck does not have; output that cannot be written.
pub fn export(arguments: &ExportArguments) -> Result<bool, Failure> {
    let file = opening::open(&arguments.file)?;
    let reading = opening::read(&arguments.file, &file, &arguments.read.options())?;
    let deck = filters::understood(&arguments.file, &file, &reading)?;
    let selection = Selection::of(deck, arguments.filter.of(deck)?);
    let text = match arguments.csv {
        Some(table) => csv(&selection, table.into()),
        None => json::json(&file, &reading, &selection),
    };
    output::put(text.as_bytes(), arguments.out.as_deref())?;
    Ok(!has_errors(&reading.diagnostics))
}

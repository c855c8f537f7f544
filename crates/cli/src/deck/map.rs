//! `halftrack deck map`: PCHIDs chosen for channel paths and functions.

use std::path::PathBuf;

use clap::Args;
use halftrack::deck::DeckMapping;
use halftrack_deck::{DeckFile, Reading, listing, read_with};
use halftrack_input::{SourceFile, has_errors};
use halftrack_plugging::MapOptions;

use crate::deck::hardware_argument::{self, CatalogArguments};
use crate::deck::opening::{self, ReadArguments};
use crate::deck::output;
use crate::failure::Failure;
use crate::standard_error;
use crate::standard_output::print;

/// Words at the end of `halftrack deck map --help`.
pub const EXAMPLES: &str = "\
Examples:
  halftrack deck map work.iocp --hardware report.txt
  halftrack deck map work.iocp --hardware report.txt -o mapped.iocp
  halftrack deck map prod.iocp --hardware hardware.toml --all --parity --json

The deck goes to OUT, with only its PCHIDs changed; without -o nothing is written. Standard output
has old and new PCHIDs with their places, a line for each set of paths with its spread and its
single points of failure, and the AO Data table. Exit codes: 0 everything has a port, 1 one has
none, or the deck breaks rules, 2 a file cannot be read.";

/// Arguments of `halftrack deck map`.
#[derive(Debug, Args)]
pub struct MapArguments {
    /// The deck; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Installed features: a hardware file, or a configuration report with an AO Data table
    #[arg(long, value_name = "HW")]
    hardware: PathBuf,
    /// Write the deck with its PCHIDs to OUT
    #[arg(short, long, value_name = "OUT")]
    out: Option<PathBuf>,
    /// Assign coded PCHIDs anew, too
    #[arg(long)]
    all: bool,
    /// Assign functions with odd identifiers to odd resource groups, even to even
    #[arg(long)]
    parity: bool,
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    catalog: CatalogArguments,
    #[command(flatten)]
    read: ReadArguments,
}

/// Maps the deck; true when everything has a port and no rule is broken.
///
/// # Errors
/// A file that cannot be read; output that cannot be written.
pub fn map_deck(arguments: &MapArguments) -> Result<bool, Failure> {
    let file = opening::open(&arguments.file)?;
    let hardware = hardware_argument::load(&arguments.hardware, &arguments.catalog)?;
    let options = arguments.read.options();
    let reading = hardware_argument::read_deck(&arguments.file, &file, &options, Some(&hardware))?;
    let is_other = hardware_argument::show_other_machine(&reading);
    let Some(deck) = reading.understood() else {
        opening::note_errors(&reading);
        return Ok(false);
    };
    let options = MapOptions { all: arguments.all, parity: arguments.parity };
    let mapping = DeckMapping::new(deck, &hardware, options);
    let mapped = write(arguments, &file, mapping.mapped_text(&reading))?;
    print(&if arguments.json { mapping.to_json() } else { mapping.to_text() })?;
    opening::note_errors(&mapped);
    Ok(mapping.is_complete() && !is_other && !has_errors(&mapped.diagnostics))
}

/// Writes the mapped deck `text` to the file of the arguments, if any; returns its reading.
fn write(arguments: &MapArguments, file: &DeckFile, text: String) -> Result<Reading, Failure> {
    if let Some(out) = &arguments.out {
        let bytes = file.to_bytes(&text).map_err(|refused| {
            standard_error::print(&listing(&[*refused]));
            Failure::Deck { file: arguments.file.clone() }
        })?;
        output::put(&bytes, Some(out))?;
    }
    let source = SourceFile::new(file.source.name.clone(), text);
    Ok(read_with(source, &arguments.read.options()))
}

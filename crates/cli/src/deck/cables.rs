//! `halftrack deck cables`: a cable list.

use std::path::{Path, PathBuf};

use clap::Args;
use halftrack::Plant;
use halftrack::deck::{CableList, load_plant};
use halftrack_deck::listing;
use halftrack_input::has_errors;
use halftrack_plugging::Hardware;

use crate::deck::hardware_argument::{self, CatalogArguments};
use crate::deck::opening::{self, ReadArguments};
use crate::deck::output;
use crate::failure::Failure;
use crate::standard_error;

/// Words at the end of `halftrack deck cables --help`.
pub const EXAMPLES: &str = "\
Examples:
  halftrack deck cables prod.iocp --hardware report.txt
  halftrack deck cables prod.iocp --hardware hardware.toml --csv -o cables.csv
  halftrack deck cables studies/z16-oltp/deck.iocp --plant studies/z16-oltp/plant.toml
  halftrack deck cables prod.iocp --hardware hw.txt --json | jq '.cables[] | select(.frame == \"A\")'

A deck contains neither the director port of a channel, nor the port of a storage system, nor
lengths: they come from the plant of a study; without it those ends are named by switch and
control unit. Without --hardware frame, drawer, slot and port are left out. Exit codes: 0 fine, 1
the deck breaks rules, 2 a file cannot be read.";

/// Arguments of `halftrack deck cables`.
#[derive(Debug, Args)]
pub struct CablesArguments {
    /// The deck; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Installed features: a hardware file, or a configuration report with an AO Data table
    #[arg(long, value_name = "HW")]
    hardware: Option<PathBuf>,
    /// Ends and lengths of cables: the plant file of a study
    #[arg(long, value_name = "PLANT")]
    plant: Option<PathBuf>,
    /// Print comma-separated values instead of a table
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
    /// Write to OUT instead of standard output
    #[arg(short, long, value_name = "OUT")]
    out: Option<PathBuf>,
    #[command(flatten)]
    catalog: CatalogArguments,
    #[command(flatten)]
    read: ReadArguments,
}

/// Prints the cables; true when the deck breaks no rule.
///
/// # Errors
/// A file that cannot be read; output that cannot be written.
pub fn cable_list(arguments: &CablesArguments) -> Result<bool, Failure> {
    let file = opening::open(&arguments.file)?;
    let hardware = arguments.hardware.as_ref().map(|path| hardware_argument::load(path, &arguments.catalog));
    let hardware = hardware.unwrap_or_else(|| Ok(Hardware::default()))?;
    let options = arguments.read.options();
    let reading = hardware_argument::read_deck(&arguments.file, &file, &options, Some(&hardware))?;
    hardware_argument::show_other_machine(&reading);
    let plant = arguments.plant.as_ref().map(|path| plant(path)).transpose()?;
    let list = reading.understood().map(|deck| CableList::new(deck, &hardware, plant.as_ref()));
    let list = list.unwrap_or_default();
    let text = if arguments.json {
        list.to_json()
    } else if arguments.csv {
        list.to_csv()
    } else {
        list.to_text()
    };
    output::put(text.as_bytes(), arguments.out.as_deref())?;
    opening::note_errors(&reading);
    Ok(!has_errors(&reading.diagnostics))
}

/// Reads the plant file at `path`; its errors are shown.
fn plant(path: &Path) -> Result<Plant, Failure> {
    let loaded = load_plant(path).map_err(|error| {
        standard_error::print(&listing(&error.diagnostics));
        Failure::Hardware { file: path.to_owned() }
    });
    let (plant, found) = loaded?;
    standard_error::print(&listing(&found));
    Ok(plant)
}

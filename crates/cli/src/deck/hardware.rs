//! `halftrack deck hardware`: what is plugged into a machine, as a table or a hardware file.

use std::path::PathBuf;

use clap::Args;
use halftrack_plugging::{ao_table, balance_line, hardware_text};

use crate::deck::hardware_argument::{self, CatalogArguments};
use crate::deck::output;
use crate::failure::Failure;

/// Words at the end of `halftrack deck hardware --help`.
pub const EXAMPLES: &str = "\
Examples:
  halftrack deck hardware report.txt
  halftrack deck hardware report.txt --toml -o hardware.toml
  halftrack deck hardware hardware.toml

HW is a hardware file or a configuration report; docs/formats/hardware.md describes both. Exit
codes: 0 fine, 2 it cannot be read.";

/// Arguments of `halftrack deck hardware`.
#[derive(Debug, Args)]
pub struct HardwareArguments {
    /// A hardware file, or a configuration report with an AO Data table
    #[arg(value_name = "HW")]
    file: PathBuf,
    /// Print a hardware file instead of the AO Data table
    #[arg(long)]
    toml: bool,
    /// Write to OUT instead of standard output
    #[arg(short, long, value_name = "OUT")]
    out: Option<PathBuf>,
    #[command(flatten)]
    catalog: CatalogArguments,
}

/// Prints the AO Data table and how features are spread over resource groups, or a hardware file.
///
/// # Errors
/// Hardware that cannot be read; output that cannot be written.
pub fn hardware(arguments: &HardwareArguments) -> Result<bool, Failure> {
    let hardware = hardware_argument::load(&arguments.file, &arguments.catalog)?;
    let text = match arguments.toml {
        true => hardware_text(&hardware),
        false => ao_table(&hardware) + &balance_line(&hardware),
    };
    output::put(text.as_bytes(), arguments.out.as_deref())?;
    Ok(true)
}

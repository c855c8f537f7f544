//! `halftrack deck hardware`: what is plugged into a machine, as a table or a hardware file.

use std::path::PathBuf;

use clap::Args;
use halftrack::deck::inventory_json;
use halftrack::load_catalog;
use halftrack_plugging::{ao_table, balance_line, hardware_text, structure_table};

use crate::deck::hardware_argument::{self, CatalogArguments};
use crate::deck::output;
use crate::failure::Failure;

/// Words at the end of `halftrack deck hardware --help`.
pub const EXAMPLES: &str = "\
Examples:
  halftrack deck hardware report.txt
  halftrack deck hardware report.txt --toml -o hardware.toml
  halftrack deck hardware hardware.toml
  halftrack deck hardware hardware.toml --structure
  halftrack deck hardware hardware.toml --json | jq '.cards[] | {slot, feature_code, serial}'

--structure shows what runs each card: channel ASICs and SAPs, or for a native PCIe adapter the zIOC
of its fanout and a resource group on the IFP; the statement that defines it; the card on the mother
card; part and serial number of the vital product data on the mother card; and what an update of
each resource group takes away.

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
    /// Print what runs each card instead
    #[arg(long, conflicts_with = "toml")]
    structure: bool,
    /// Print the cards as one JSON object instead
    #[arg(long, conflicts_with_all = ["toml", "structure"])]
    json: bool,
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
    let text = match (arguments.toml, arguments.structure) {
        (true, _) => hardware_text(&hardware),
        _ if arguments.json => format!("{}\n", inventory_json(&hardware)),
        (_, true) => {
            // Messages of the catalog have been shown with the hardware.
            let loaded = load_catalog(&arguments.catalog.catalogs);
            let (catalog, _) = loaded.map_err(|_| Failure::Hardware { file: arguments.file.clone() })?;
            structure_table(&hardware, &catalog)
        }
        _ => ao_table(&hardware) + &balance_line(&hardware),
    };
    output::put(text.as_bytes(), arguments.out.as_deref())?;
    Ok(true)
}

//! `halftrack deck show`: reports in the manner of IOCP's.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use halftrack::deck::structure_json;
use halftrack::load_catalog;
use halftrack_deck::Selection;
use halftrack_deck::formats::json;
use halftrack_deck::model::Deck;
use halftrack_deck::reports::{REPORTS, Report};
use halftrack_input::has_errors;
use halftrack_plugging::{physical_channel_table, physical_channels};

use crate::deck::filters::{self, FilterArguments};
use crate::deck::hardware_argument::{self, CatalogArguments};
use crate::deck::opening::{self, ReadArguments};
use crate::failure::Failure;
use crate::standard_error;
use crate::standard_output::print;

/// Words at the end of `halftrack deck show --help`.
pub const EXAMPLES: &str = "\
Examples:
  halftrack deck show prod.iocp
  halftrack deck show prod.iocp pchid
  halftrack deck show prod.iocp cu --switch 11 --lpar PROD1
  halftrack deck show prod.iocp path --device 1005
  halftrack deck show prod.iocp function --type HYL,ROC2 --json
  halftrack deck show prod.iocp structure --hardware hardware.toml

A filter keeps whole chains of channel path, control unit and devices: --device 1005 keeps the
device, its control units, and the channel paths to them. Exit codes: 0 shown, 1 shown, but the
deck breaks rules, 2 the file cannot be read as a deck or a filter matches nothing.";

/// Arguments of `halftrack deck show`.
#[derive(Debug, Args)]
pub struct ShowArguments {
    /// The deck; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Report to print
    #[arg(value_name = "REPORT", default_value = "all")]
    report: Which,
    #[command(flatten)]
    filter: FilterArguments,
    /// Print one JSON object instead: the statements that pass the filters, as `deck export --json` writes them, or the
    /// parts of `structure`
    #[arg(long)]
    json: bool,
    /// Installed cards, for `structure`: a hardware file, or a configuration report with an AO Data table
    #[arg(long, value_name = "HW")]
    hardware: Option<PathBuf>,
    #[command(flatten)]
    catalog: CatalogArguments,
    #[command(flatten)]
    read: ReadArguments,
}

/// A report, or all.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Which {
    /// Physical channels
    Pchid,
    /// Channel paths of each channel subsystem, and the partitions that hold them
    Chpid,
    /// Control units and devices of each channel path
    Path,
    /// Control units with their paths
    Cu,
    /// Devices
    Device,
    /// PCIe functions, and the partitions that hold them
    Function,
    /// Parts of each physical channel: ASIC and SAP, or zIOC and IFP of a native PCIe adapter; not in `all`
    Structure,
    /// HCD's data cards (*$HCDC$, *$HCD$), and the statements that they are about
    Hcd,
    /// All reports; that of HCD's cards only if there are any
    All,
}

impl Which {
    fn reports(self, deck: &Deck) -> Vec<Report> {
        match self {
            Which::Pchid => vec![Report::Pchid],
            Which::Chpid => vec![Report::Chpid],
            Which::Path => vec![Report::ChannelPath],
            Which::Cu => vec![Report::ControlUnit],
            Which::Device => vec![Report::Device],
            Which::Function => vec![Report::Function],
            Which::Structure => Vec::new(),
            Which::Hcd => vec![Report::Annotation],
            Which::All => REPORTS.into_iter().filter(|report| report.applies_to(deck)).collect(),
        }
    }
}

/// Shows the deck; true when it breaks no rule.
///
/// # Errors
/// A file that is no deck; a filter for what the deck does not have; output that cannot be written.
pub fn show(arguments: &ShowArguments) -> Result<bool, Failure> {
    let file = opening::open(&arguments.file)?;
    let reading = opening::read(&arguments.file, &file, &arguments.read.options())?;
    let deck = filters::understood(&arguments.file, &file, &reading)?;
    let selection = Selection::of(deck, arguments.filter.of(deck)?);
    if let Which::Structure = arguments.report {
        print(&structure(&selection, arguments)?)?;
    } else if arguments.json {
        print(&json::json(&file, &reading, &selection))?;
    } else {
        let reports: Vec<String> =
            arguments.report.reports(deck).into_iter().map(|report| report.of(&selection)).collect();
        print(&reports.join("\n"))?;
    }
    if selection.is_empty() {
        standard_error::print(&format!(
            "{}: no statement of the deck passes all filters\n",
            file.source.name
        ));
    }
    Ok(!has_errors(&reading.diagnostics))
}

/// Writes the parts of the physical channels, with those of the catalog.
fn structure(selection: &Selection<'_>, arguments: &ShowArguments) -> Result<String, Failure> {
    let cards = arguments.hardware.as_ref().map(|file| hardware_argument::load(file, &arguments.catalog));
    let cards = cards.transpose()?;
    let loaded = load_catalog(&arguments.catalog.catalogs);
    let (catalog, _) = loaded.map_err(|_| Failure::Deck { file: arguments.file.clone() })?;
    if arguments.json {
        return Ok(format!("{}\n", structure_json(selection, &catalog, cards.as_ref())));
    }
    let firmware = catalog.native_pcie_of(selection.deck.machine().machine_type);
    let channels = physical_channels(selection, &catalog, cards.as_ref());
    Ok(physical_channel_table(&channels, firmware, cards.is_some()))
}

//! `halftrack zedc simulate`: the cards of a deck in virtual time.

use std::path::PathBuf;

use clap::Args;
use halftrack_deck::listing;
use halftrack_input::read_file;
use halftrack_zedc_twin::{Installation, activity_text, read_load, run};

use super::card_speed::card_speed;
use crate::deck::hardware_argument::{self, CatalogArguments};
use crate::deck::opening::{self, ReadArguments};
use crate::failure::Failure;
use crate::standard_error;
use crate::standard_output::print;

/// Words at the end of `halftrack zedc simulate --help`.
pub const EXAMPLES: &str = "\
Each FUNCTION of TYPE=ZEDC is on the card of its PCHID and belongs to its first partition; a
function without a card stands by. Requests of LOAD arrive at random (Poisson) and are done by the
same cards, queues and services as those of `halftrack zedc serve`; what no card takes, software
does. LOAD:

  [run]
  warmup_s = 0.05        # may be left out
  measured_s = 1.0
  seed = 1               # may be left out
  [software]             # may be left out
  mb_per_s = 85          # what one processor compresses
  [[compression]]
  name = \"SMF1\"
  partition = \"LP14\"
  exploiter = \"smf\"      # bsam, smf, dss, java, encryption, file-transfer
  operation = \"deflate\"  # or inflate, which takes as long for as many octets; may be left out
  mb_per_s = 400         # before compression
  request_bytes = 65536  # before compression, at most 1048576
  ratio = 1.9
  [[update]]             # of firmware; half of the cards stand still meanwhile
  group = \"RG1\"
  at_s = 0.2
  for_s = 0.3

PCIE ACTIVITY has the fields of SMF 74 subtype 9 for each function. STATE is ALLC in use, CNFG no
partition with work has it, UPDT in update, STBY without a card.

Examples:
  halftrack zedc simulate prod.iocp load.toml --hardware hardware.toml
  halftrack zedc simulate prod.iocp load.toml --hardware hw.txt --json | jq '.streams[].response_us'

Exit codes: 0 fine, 1 the deck breaks a rule, 2 bad input.";

/// Arguments of `halftrack zedc simulate`.
#[derive(Debug, Args)]
pub struct SimulateArguments {
    /// IOCP deck with FUNCTION statements of TYPE=ZEDC
    #[arg(value_name = "DECK")]
    deck: PathBuf,
    /// Load file
    #[arg(value_name = "LOAD")]
    load: PathBuf,
    /// Installed cards: a hardware file, or a configuration report with an AO Data table
    #[arg(long, value_name = "HW")]
    hardware: PathBuf,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    catalog: CatalogArguments,
    #[command(flatten)]
    read: ReadArguments,
}

/// Runs the load; true when the deck breaks no rule.
///
/// # Errors
/// A file that cannot be read; more cards than a machine takes; a catalog without the numbers of the card.
pub fn simulate(arguments: &SimulateArguments) -> Result<bool, Failure> {
    let file = opening::open(&arguments.deck)?;
    let hardware = hardware_argument::load(&arguments.hardware, &arguments.catalog)?;
    let options = arguments.read.options();
    let reading = hardware_argument::read_deck(&arguments.deck, &file, &options, Some(&hardware))?;
    let is_other = hardware_argument::show_other_machine(&reading);
    opening::note_errors(&reading);
    let is_fine = !is_other && !halftrack_input::has_errors(&reading.diagnostics);
    let Some(deck) = reading.understood() else {
        return Err(Failure::Deck { file: arguments.deck.clone() });
    };
    let refused = || Failure::Argument(format!("{} is no load", arguments.load.display()));
    let source = read_file(&arguments.load).map_err(|error| {
        standard_error::print(&listing(&[*error]));
        refused()
    })?;
    let (load, found) = read_load(&source, deck);
    standard_error::print(&listing(&found));
    let load = load.ok_or_else(refused)?;
    let speed = card_speed(&arguments.catalog.catalogs)?;
    let installation =
        Installation::new(deck, &hardware).map_err(|error| Failure::Argument(error.to_string()))?;
    let activity = run(installation, &load, speed);
    let json = || serde_json::to_string_pretty(&activity).map(|json| json + "\n");
    print(&if arguments.json {
        json().unwrap_or_else(|error| error.to_string())
    } else {
        activity_text(&activity)
    })?;
    Ok(is_fine)
}

//! `halftrack deck cables`: a cable list.

use std::path::{Path, PathBuf};

use clap::Args;
use halftrack_config::{CpcName, Place, Plant, read_plant};
use halftrack_deck::listing;
use halftrack_deck::model::Deck;
use halftrack_input::{has_errors, read_file};
use halftrack_plugging::{CABLE_HEADS, Cable, FarEnd, FarEnds, Hardware, cable_table, cables, csv_line};
use serde_json::{Map, Value};

use crate::deck::hardware_argument::{self, CatalogArguments};
use crate::deck::opening::{self, ReadArguments};
use crate::deck::output;
use crate::failure::Failure;

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
    let list = reading.understood().map(|deck| {
        let ends = plant.as_ref().map(|plant| far_ends(plant, deck)).unwrap_or_default();
        cables(deck, &hardware, &ends)
    });
    let list = list.unwrap_or_default();
    let text = if arguments.json {
        let list: Vec<Value> = list.iter().map(as_json).collect();
        format!("{:#}\n", serde_json::json!({ "cables": list }))
    } else if arguments.csv {
        let lines = list.iter().map(|cable| csv_line(cable.cells().iter().map(String::as_str)));
        csv_line(CABLE_HEADS) + &lines.collect::<String>()
    } else {
        cable_table(&list)
    };
    output::put(text.as_bytes(), arguments.out.as_deref())?;
    opening::note_errors(&reading);
    Ok(!has_errors(&reading.diagnostics))
}

/// Reads the plant file at `path`; its errors are shown.
fn plant(path: &Path) -> Result<Plant, Failure> {
    let failure = || Failure::Hardware { file: path.to_owned() };
    let source = read_file(path).map_err(|error| {
        eprint!("{}", listing(&[*error]));
        failure()
    })?;
    let (plant, found) = read_plant(&source);
    eprint!("{}", listing(&found));
    plant.filter(|_| !has_errors(&found)).ok_or_else(failure)
}

/// Returns the ends of the cables of the machine of `deck`: the only one of the plant, or the one in LSYSTEM.
fn far_ends(plant: &Plant, deck: &Deck) -> FarEnds {
    let named = deck.id.lsystem.as_ref().and_then(|name| CpcName::parse(&name.value));
    let is_own = |cpc: CpcName| plant.cpcs.len() == 1 || Some(cpc) == named;
    let mut ends = FarEnds::default();
    for cable in plant.cables.iter().filter(|cable| is_own(cable.cpc)) {
        let Some(pchid) = cable.port.value.pchid() else { continue };
        let name = match &cable.to.value {
            Place::Director(port) => format!("director {:02X} port {:02X}", port.director, port.port),
            Place::ControlUnit(port) => port.to_string(),
        };
        ends.channels.insert(pchid, FarEnd { name, km: cable.length.km });
    }
    for unit in &plant.control_units {
        for port in &unit.ports {
            let Some(to) = &port.to else { continue };
            let end = FarEnd { name: port.address(unit).to_string(), km: port.length.km };
            ends.director_ports.insert((to.value.director, to.value.port), end);
        }
    }
    ends
}

/// Converts the cells of a cable to JSON, by the heads of their columns; missing values are null.
fn as_json(cable: &Cable) -> Value {
    let cells = CABLE_HEADS.into_iter().zip(cable.cells());
    let pair = |(head, cell): (&str, String)| {
        (head.to_lowercase(), if cell.is_empty() { Value::Null } else { Value::String(cell) })
    };
    Value::Object(cells.map(pair).collect::<Map<String, Value>>())
}

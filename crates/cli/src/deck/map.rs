//! `halftrack deck map`: PCHIDs chosen for channel paths and functions.

use std::path::PathBuf;

use clap::Args;
use halftrack_deck::model::Deck;
use halftrack_deck::{DeckFile, Edits, Reading, listing, read_with};
use halftrack_input::{SourceFile, has_errors};
use halftrack_plugging::{Hardware, MapOptions, Mapping, ao_table, balance_line, map, name_of, placed_at};
use serde_json::{Value, json};

use crate::deck::hardware_argument::{self, CatalogArguments};
use crate::deck::opening::{self, ReadArguments};
use crate::deck::output;
use crate::failure::Failure;
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
    let mapping = map(deck, &hardware, options);
    let mapped = write(arguments, &file, &reading, deck, &mapping)?;
    print(&if arguments.json {
        format!("{:#}\n", as_json(deck, &hardware, &mapping))
    } else {
        as_text(deck, &hardware, &mapping)
    })?;
    opening::note_errors(&mapped);
    Ok(mapping.unplaced.is_empty() && !is_other && !has_errors(&mapped.diagnostics))
}

/// Writes the mapped deck to its output file; returns the result of reading it again.
fn write(
    arguments: &MapArguments,
    file: &DeckFile,
    reading: &Reading,
    deck: &Deck,
    mapping: &Mapping,
) -> Result<Reading, Failure> {
    let mut edits = Edits::new(&reading.script);
    mapping.apply(deck, &reading.script, &mut edits);
    let text = edits.finish();
    if let Some(out) = &arguments.out {
        let bytes = file.to_bytes(&text).map_err(|refused| {
            eprint!("{}", listing(&[*refused]));
            Failure::Deck { file: arguments.file.clone() }
        })?;
        output::put(&bytes, Some(out))?;
    }
    let source = SourceFile::new(file.source.name.clone(), text);
    Ok(read_with(source, &arguments.read.options()))
}

fn as_text(deck: &Deck, hardware: &Hardware, mapping: &Mapping) -> String {
    let mut text = mapping.table(deck, hardware);
    for one in &mapping.unplaced {
        text += &format!("{}: {}\n", name_of(deck, one.subject), one.reason);
    }
    text.push('\n');
    mapping.reasons.iter().for_each(|reason| text += &format!("{reason}\n"));
    if !mapping.reasons.is_empty() {
        text.push('\n');
    }
    text + &ao_table(hardware) + &balance_line(hardware)
}

fn as_json(deck: &Deck, hardware: &Hardware, mapping: &Mapping) -> Value {
    let hex = |pchid: Option<u16>| pchid.map(|pchid| format!("{pchid:03X}"));
    let assignment = |one: &halftrack_plugging::Assignment| {
        let place = placed_at(deck, hardware, one.subject, one.new);
        json!({
            "id": name_of(deck, one.subject),
            "old": hex(one.old),
            "new": hex(Some(one.new)),
            "frame": place.frame,
            "drawer": place.drawer,
            "slot": place.slot,
            "port": place.port,
            "domain": place.domain,
            "fanout": place.fanout,
            "resource_group": place.resource_group,
        })
    };
    let unplaced = |one: &halftrack_plugging::Unplaced| json!({ "id": name_of(deck, one.subject), "old": hex(one.old), "reason": one.reason });
    json!({
        "assignments": mapping.assignments.iter().map(assignment).collect::<Vec<_>>(),
        "unplaced": mapping.unplaced.iter().map(unplaced).collect::<Vec<_>>(),
        "reasons": mapping.reasons,
    })
}

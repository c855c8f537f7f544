//! `halftrack deck new`: a deck from a short description.

use std::path::PathBuf;

use clap::Args;
use halftrack_deck::listing;
use halftrack_generate::describe;
use halftrack_input::read_file;

use crate::deck::output;
use crate::failure::Failure;
use crate::standard_error;

/// Words at the end of `halftrack deck new --help`.
pub const EXAMPLES: &str = "\
Example of FILE:
  machine_type = 3931
  css = [[\"PROD1\", \"PROD2\"], [\"LNX1\"]]

  [[channels]]
  type = \"FC\"
  chpids = \"40-43\"
  switch = \"11\"

  [[storage]]
  number = \"1000\"
  count = 4
  bases = 128
  aliases = 128
  links = [\"1104-1107\"]

Then:
  halftrack deck new site.toml -o site.iocp
  halftrack deck check site.iocp

The deck is checked before it is written, and breaks no rule. PCHIDs are optional; `halftrack deck
map` assigns them. All keys are in docs/formats/deck-new.md. Exit codes: 0 written, 2 the
description cannot be used.";

/// Arguments of `halftrack deck new`.
#[derive(Debug, Args)]
pub struct NewArguments {
    /// The description, in TOML
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Write to OUT instead of standard output
    #[arg(short, long, value_name = "OUT")]
    out: Option<PathBuf>,
}

/// Writes the deck of a description.
///
/// # Errors
/// A description that cannot be used, which has been reported; output that cannot be written.
pub fn new(arguments: &NewArguments) -> Result<bool, Failure> {
    let failure = || Failure::Description { file: arguments.file.clone() };
    let source = read_file(&arguments.file).map_err(|error| {
        standard_error::print(&listing(&[*error]));
        failure()
    })?;
    let (deck, found) = describe(&source);
    standard_error::print(&listing(&found));
    output::put(deck.ok_or_else(failure)?.as_bytes(), arguments.out.as_deref())?;
    Ok(true)
}

//! `halftrack deck format`: a deck in canonical layout.

use std::path::PathBuf;

use clap::Args;
use halftrack_deck::listing;

use crate::deck::opening::{self, ReadArguments};
use crate::deck::output;
use crate::failure::Failure;
use crate::standard_error;

/// Arguments of `halftrack deck format`.
#[derive(Debug, Args)]
pub struct FormatArguments {
    /// The deck; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Write to OUT instead of standard output
    #[arg(short, long, value_name = "OUT", conflicts_with = "check")]
    out: Option<PathBuf>,
    /// Write nothing; exit code 1 when the deck is not in canonical layout
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    read: ReadArguments,
}

/// Lays the deck out in its own encoding; true when it is, or was, in canonical layout.
///
/// # Errors
/// A file that is no deck; output that cannot be written.
pub fn format(arguments: &FormatArguments) -> Result<bool, Failure> {
    let file = opening::open(&arguments.file)?;
    let reading = opening::read(&arguments.file, &file, &arguments.read.options())?;
    let text = halftrack_deck::format(&reading.script);
    let bytes = file.to_bytes(&text).map_err(|refused| {
        standard_error::print(&listing(&[*refused]));
        Failure::Deck { file: arguments.file.clone() }
    })?;
    if arguments.check {
        return Ok(text == file.source.text);
    }
    output::put(&bytes, arguments.out.as_deref())?;
    let skipped = reading.script.statements.iter().filter(|one| !one.well_formed).count();
    if skipped > 0 {
        standard_error::print(&format!(
            "{skipped} statements cannot be read and were left unchanged; `halftrack deck check` reports why\n"
        ));
    }
    Ok(true)
}

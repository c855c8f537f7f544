//! `halftrack deck write`: a deck read and written back.

use std::path::PathBuf;

use clap::Args;
use halftrack_deck::{Edits, listing, read};

use crate::deck::{opening, output};
use crate::failure::Failure;
use crate::standard_error;

/// Arguments of `halftrack deck write`.
#[derive(Debug, Args)]
pub struct WriteArguments {
    /// The deck; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Write to OUT instead of standard output
    #[arg(short, long, value_name = "OUT")]
    out: Option<PathBuf>,
}

/// Writes the deck back from its cards, in its encoding and record form, whatever is wrong with it.
///
/// # Errors
/// A file that is no text; output that cannot be written.
pub fn write(arguments: &WriteArguments) -> Result<bool, Failure> {
    let file = opening::open(&arguments.file)?;
    let reading = read(std::sync::Arc::clone(&file.source));
    let text = Edits::new(&reading.script).finish();
    let bytes = file.to_bytes(&text).map_err(|refused| {
        standard_error::print(&listing(&[*refused]));
        Failure::Deck { file: arguments.file.clone() }
    })?;
    output::put(&bytes, arguments.out.as_deref())?;
    Ok(true)
}

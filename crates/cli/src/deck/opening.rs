//! Opening of a deck file, and common arguments of the subcommands that read it.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use clap::Args;
use halftrack::LoadError;
use halftrack::deck::{machine_words, read_deck};
use halftrack_deck::model::Deck;
use halftrack_deck::{DeckFile, ReadOptions, Reading, listing};
use halftrack_input::has_errors;

use crate::failure::Failure;
use crate::standard_error;

/// How a deck is read.
#[derive(Debug, Args)]
pub struct ReadArguments {
    /// Check against the limits of this machine type, such as 3931, regardless of SYSTEM=
    #[arg(long, value_name = "TYPE[:LEVEL]", value_parser = machine_words)]
    machine: Option<(u16, Option<u8>)>,
    /// Accept, with warnings, deviations that IOCP refuses but manuals and mail contain: blanks inside operands, moved
    /// columns, tabs, lower case
    #[arg(long)]
    lenient: bool,
}

impl ReadArguments {
    /// Returns them as options of the reader.
    pub fn options(&self) -> ReadOptions {
        ReadOptions { machine: self.machine, lenient: self.lenient, ..ReadOptions::default() }
    }
}

/// Opens the deck file at `path`; `-` is standard input.
///
/// # Errors
/// A file that cannot be opened or is no text; the reason is shown.
pub fn open(path: &Path) -> Result<DeckFile, Failure> {
    let failure = || Failure::Deck { file: path.to_owned() };
    let bytes = if path == Path::new("-") {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        fs::read(path)
    };
    let bytes = bytes.map_err(|error| {
        standard_error::print(&format!("{}: {error}\n", path.display()));
        failure()
    })?;
    DeckFile::from_bytes(&path.to_string_lossy(), bytes).map_err(|unreadable| {
        standard_error::print(&listing(&[*unreadable]));
        failure()
    })
}

/// Reads `file`.
///
/// # Errors
/// A file in another format; which one is shown.
pub fn read(path: &Path, file: &DeckFile, options: &ReadOptions) -> Result<Reading, Failure> {
    deck_or_shown(path, read_deck(file, options))
}

/// Returns the reading of the deck at `path`; the messages about a file in another format are shown.
///
/// # Errors
/// `Deck` for such a file.
pub fn deck_or_shown(path: &Path, read: Result<Reading, LoadError>) -> Result<Reading, Failure> {
    read.map_err(|error| {
        standard_error::print(&listing(&error.diagnostics));
        Failure::Deck { file: path.to_owned() }
    })
}

/// Reads the deck at `path`, or the understood statements of one that breaks rules; that is reported.
///
/// # Errors
/// A file that cannot be opened, is no text or in another format, or in which nothing is understood.
pub fn understood(path: &Path, arguments: &ReadArguments) -> Result<Deck, Failure> {
    let reading = reading(path, arguments)?;
    reading.understood().cloned().ok_or_else(|| Failure::Deck { file: path.to_owned() })
}

/// Reads the file at `path`; broken rules are reported.
///
/// # Errors
/// A file that cannot be opened, is no text or in another format.
pub fn reading(path: &Path, arguments: &ReadArguments) -> Result<Reading, Failure> {
    let file = open(path)?;
    let reading = read(path, &file, &arguments.options())?;
    note_errors(&reading);
    Ok(reading)
}

/// Says that the deck breaks rules, where it does, to who is not shown them.
pub fn note_errors(reading: &Reading) {
    if has_errors(&reading.diagnostics) {
        let name = &reading.script.source.name;
        standard_error::print(&format!(
            "{name} breaks rules and is used as far as it is understood; `halftrack deck check` reports why\n"
        ));
    }
}

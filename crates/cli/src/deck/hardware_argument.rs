//! The hardware that a deck is for: read from a file that an argument names.

use std::path::{Path, PathBuf};

use clap::Args;
use halftrack::deck::{load_hardware, read_deck_for};
use halftrack_deck::{DeckFile, ReadOptions, Reading, listing};
use halftrack_input::messages::deck::OTHER_HARDWARE;
use halftrack_plugging::Hardware;

use crate::deck::opening;
use crate::failure::Failure;
use crate::standard_error;

/// Where drawers and features of the hardware are looked up.
#[derive(Debug, Args)]
pub struct CatalogArguments {
    /// Directory of your own catalog files (DIR/drawer/ID.toml, DIR/feature/ID.toml), which override the built-in ones;
    /// repeatable
    #[arg(long = "catalog", value_name = "DIR")]
    pub catalogs: Vec<PathBuf>,
}

/// Reads the hardware in the file at `path`; its errors are shown.
///
/// # Errors
/// A file that cannot be used.
pub fn load(path: &Path, arguments: &CatalogArguments) -> Result<Hardware, Failure> {
    let loaded = load_hardware(path, &arguments.catalogs);
    let loaded = loaded.map_err(|error| {
        standard_error::print(&listing(&error.diagnostics));
        Failure::Hardware { file: path.to_owned() }
    });
    let (hardware, found) = loaded?;
    standard_error::print(&listing(&found));
    Ok(hardware)
}

/// Reads `file` for `hardware`. A deck that names no machine is one of the machine of the hardware, and one for
/// another machine has an error.
///
/// # Errors
/// A file in another format, which is shown.
pub fn read_deck(
    path: &Path,
    file: &DeckFile,
    options: &ReadOptions,
    hardware: Option<&Hardware>,
) -> Result<Reading, Failure> {
    match hardware {
        Some(hardware) => opening::deck_or_shown(path, read_deck_for(hardware, file, options)),
        None => opening::read(path, file, options),
    }
}

/// Shows that the deck is for another machine than its hardware, where that was found; true then.
pub fn show_other_machine(reading: &Reading) -> bool {
    let other = reading.diagnostics.iter().find(|one| one.number == OTHER_HARDWARE);
    other.into_iter().for_each(|one| standard_error::print(&listing(std::slice::from_ref(one))));
    other.is_some()
}

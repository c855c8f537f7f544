//! The hardware that a deck is for: read from a file that an argument names.

use std::path::{Path, PathBuf};

use clap::Args;
use halftrack_catalog::Catalog;
use halftrack_deck::{DeckFile, ReadOptions, Reading, listing};
use halftrack_input::messages::deck::OTHER_HARDWARE;
use halftrack_input::{Diagnostic, has_errors, read_file};
use halftrack_plugging::{Hardware, other_machine, read_hardware};

use crate::deck::opening;
use crate::failure::Failure;

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
    let failure = || Failure::Hardware { file: path.to_owned() };
    let overlays: Vec<&Path> = arguments.catalogs.iter().map(AsRef::as_ref).collect();
    let (catalog, mut found) = Catalog::load(&overlays);
    let show = |found: &[Diagnostic]| eprint!("{}", listing(found));
    let source = read_file(path).map_err(|error| {
        show(&[*error]);
        failure()
    })?;
    let (hardware, more) = read_hardware(&source, &catalog);
    found.extend(more);
    show(&found);
    hardware.filter(|_| !has_errors(&found)).ok_or_else(failure)
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
    let mut reading = opening::read(path, file, options)?;
    let Some(hardware) = hardware else { return Ok(reading) };
    if let Some(machine) = hardware.machine().filter(|_| reading.assumed) {
        let machine = Some((machine.machine_type, None));
        reading = opening::read(path, file, &ReadOptions { machine, ..options.clone() })?;
    }
    reading.diagnostics.extend(other_machine(&reading, hardware));
    Ok(reading)
}

/// Shows that the deck is for another machine than its hardware, where that was found; true then.
pub fn show_other_machine(reading: &Reading) -> bool {
    let other = reading.diagnostics.iter().find(|one| one.number == OTHER_HARDWARE);
    other.into_iter().for_each(|one| eprint!("{}", listing(std::slice::from_ref(one))));
    other.is_some()
}

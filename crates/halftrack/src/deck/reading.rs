//! Decks and hardware read from files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use halftrack_catalog::Catalog;
use halftrack_config::{Plant, read_plant};
use halftrack_deck::{DeckFile, ReadOptions, Reading, read_with};
use halftrack_input::messages::deck::{OTHER_FORMAT, UNREADABLE};
use halftrack_input::{Diagnostic, Severity, has_errors, read_file};
use halftrack_plugging::{Hardware, other_machine, read_hardware};

use crate::study::LoadError;

/// Reads a deck, whatever rules it breaks.
///
/// # Errors
/// The messages about a file in another format.
pub fn read_deck(file: &DeckFile, options: &ReadOptions) -> Result<Reading, LoadError> {
    let reading = read_with(Arc::clone(&file.source), options);
    let is_no_deck = |message: &Diagnostic| {
        message.severity == Severity::Error && matches!(message.number, OTHER_FORMAT | UNREADABLE)
    };
    if reading.diagnostics.iter().any(is_no_deck) {
        return Err(LoadError { diagnostics: reading.diagnostics });
    }
    Ok(reading)
}

/// Reads a deck for `hardware`. One that names no machine is a deck of the machine of the hardware, and one for another
/// machine has an error.
///
/// # Errors
/// As [`read_deck`].
pub fn read_deck_for(
    hardware: &Hardware,
    file: &DeckFile,
    options: &ReadOptions,
) -> Result<Reading, LoadError> {
    let mut reading = read_deck(file, options)?;
    if let Some(machine) = hardware.machine().filter(|_| reading.assumed) {
        let machine = Some((machine.machine_type, None));
        reading = read_deck(file, &ReadOptions { machine, ..options.clone() })?;
    }
    reading.diagnostics.extend(other_machine(&reading, hardware));
    Ok(reading)
}

/// Reads the hardware in the file at `path`, with the warnings about it. Its drawers and features are those of the catalog
/// with the directories `catalogs` laid over it.
///
/// # Errors
/// Every message about a file or catalog that cannot be used.
pub fn load_hardware(path: &Path, catalogs: &[PathBuf]) -> Result<(Hardware, Vec<Diagnostic>), LoadError> {
    let overlays: Vec<&Path> = catalogs.iter().map(AsRef::as_ref).collect();
    let (catalog, mut diagnostics) = Catalog::load(&overlays);
    let source = read_file(path).map_err(|error| LoadError { diagnostics: vec![*error] })?;
    let (hardware, found) = read_hardware(&source, &catalog);
    diagnostics.extend(found);
    match hardware {
        Some(hardware) if !has_errors(&diagnostics) => Ok((hardware, diagnostics)),
        _ => Err(LoadError { diagnostics }),
    }
}

/// Reads the plant file at `path`, with the warnings about it.
///
/// # Errors
/// Every message about a file that cannot be used.
pub fn load_plant(path: &Path) -> Result<(Plant, Vec<Diagnostic>), LoadError> {
    let source = read_file(path).map_err(|error| LoadError { diagnostics: vec![*error] })?;
    let (plant, diagnostics) = read_plant(&source);
    match plant {
        Some(plant) if !has_errors(&diagnostics) => Ok((plant, diagnostics)),
        _ => Err(LoadError { diagnostics }),
    }
}

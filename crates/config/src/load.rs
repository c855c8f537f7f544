//! A study: from its three files to the configuration.

use std::path::Path;
use std::sync::Arc;

use halftrack_catalog::Catalog;
use halftrack_deck::diagnostic::{Diagnostic, SourceFile, has_errors};
use halftrack_deck::model::Deck;

use crate::assemble::assemble;
use crate::configuration::Configuration;
use crate::plant::{Plant, read_plant};
use crate::study_files::StudyFiles;
use crate::workload_file::{WorkloadFile, read_workload};

/// What loading gave: the configuration, unless an error stands in the way, and every message.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The configuration.
    pub configuration: Option<Configuration>,
    /// What is to be said about the files, warnings included.
    pub diagnostics: Vec<Diagnostic>,
}

/// Loads the study in `study_dir`. Contradictions between the files are looked for once each of them is right;
/// where one is missing, the others are read all the same, so that every message is shown at once.
pub fn load(study_dir: &Path, catalog: &Catalog) -> Loaded {
    match StudyFiles::read_what_is_there(study_dir) {
        Ok(files) => configure(&files, catalog),
        Err(([deck, plant, workload], mut diagnostics)) => {
            diagnostics.extend(Parts::read(deck.as_ref(), plant.as_ref(), workload.as_ref()).1);
            Loaded { configuration: None, diagnostics }
        }
    }
}

/// Makes a configuration of the texts in `files`. Contradictions between them are looked for once each is right.
pub fn configure(files: &StudyFiles, catalog: &Catalog) -> Loaded {
    let (parts, mut diagnostics) = Parts::read(Some(&files.deck), Some(&files.plant), Some(&files.workload));
    let Parts { deck: Some(deck), plant: Some(plant), workload: Some(workload) } = parts else {
        return Loaded { configuration: None, diagnostics };
    };
    if has_errors(&diagnostics) {
        return Loaded { configuration: None, diagnostics };
    }
    let loaded = assemble(&deck, &plant, &workload, catalog, &files.name);
    diagnostics.extend(loaded.diagnostics);
    Loaded { configuration: loaded.configuration, diagnostics }
}

/// What the files say, each by itself.
struct Parts {
    deck: Option<Deck>,
    plant: Option<Plant>,
    workload: Option<WorkloadFile>,
}

impl Parts {
    /// Reads what is there, and what is to be said about it.
    fn read(
        deck: Option<&Arc<SourceFile>>,
        plant: Option<&Arc<SourceFile>>,
        workload: Option<&Arc<SourceFile>>,
    ) -> (Self, Vec<Diagnostic>) {
        let mut diagnostics = Vec::new();
        let deck = deck.and_then(|source| {
            let reading = halftrack_deck::read(Arc::clone(source));
            take((reading.deck, reading.diagnostics), &mut diagnostics)
        });
        let plant = plant.and_then(|source| take(read_plant(source), &mut diagnostics));
        let workload = workload.and_then(|source| take(read_workload(source), &mut diagnostics));
        (Self { deck, plant, workload }, diagnostics)
    }
}

fn take<T>((value, found): (Option<T>, Vec<Diagnostic>), diagnostics: &mut Vec<Diagnostic>) -> Option<T> {
    diagnostics.extend(found);
    value
}

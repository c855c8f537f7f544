//! A study: the directory that holds deck, plant and workload.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use halftrack_catalog::{Catalog, read_file};
use halftrack_deck::diagnostic::{Diagnostic, SourceFile, has_errors};

use crate::assemble::assemble;
use crate::configuration::Configuration;
use crate::numbers;
use crate::plant::read_plant;
use crate::workload_file::read_workload;

/// The file names of a study.
const FILES: [&str; 3] = ["deck.iocp", "plant.toml", "workload.toml"];

/// What loading gave: the configuration, unless an error stands in the way, and every message.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The configuration.
    pub configuration: Option<Configuration>,
    /// What is to be said about the files, warnings included.
    pub diagnostics: Vec<Diagnostic>,
}

/// Loads the study in `study_dir`. Contradictions between the files are looked for once each of them is right.
pub fn load(study_dir: &Path, catalog: &Catalog) -> Loaded {
    let mut diagnostics = Vec::new();
    let sources = FILES.map(|name| match source(study_dir, name) {
        Ok(source) => Some(source),
        Err(error) => {
            diagnostics.push(*error);
            None
        }
    });
    if sources.iter().all(Option::is_none) {
        return Loaded { configuration: None, diagnostics: vec![no_study(study_dir)] };
    }
    let [deck, plant, workload] = sources;
    let deck = deck.and_then(|source| {
        let reading = halftrack_deck::read(source);
        diagnostics.extend(reading.diagnostics);
        reading.deck
    });
    let plant = plant.and_then(|source| take(read_plant(&source), &mut diagnostics));
    let workload = workload.and_then(|source| take(read_workload(&source), &mut diagnostics));
    if has_errors(&diagnostics) {
        return Loaded { configuration: None, diagnostics };
    }
    let (Some(deck), Some(plant), Some(workload)) = (deck, plant, workload) else {
        return Loaded { configuration: None, diagnostics };
    };
    let loaded = assemble(&deck, &plant, &workload, catalog, &study_name(study_dir));
    diagnostics.extend(loaded.diagnostics);
    Loaded { configuration: loaded.configuration, diagnostics }
}

fn take<T>((value, found): (Option<T>, Vec<Diagnostic>), diagnostics: &mut Vec<Diagnostic>) -> Option<T> {
    diagnostics.extend(found);
    value
}

/// The file `name` of the study.
fn source(study_dir: &Path, name: &str) -> Result<Arc<SourceFile>, Box<Diagnostic>> {
    let path = study_dir.join(name);
    if path.exists() {
        return read_file(&path);
    }
    let message = format!("the study has no {name}");
    let source = SourceFile::new(path.display().to_string(), "");
    let fix = format!("a study is a directory with {}, {} and {}", FILES[0], FILES[1], FILES[2]);
    Err(Box::new(Diagnostic::error(numbers::NO_STUDY, &source, 0..0, message).fix(fix)))
}

fn no_study(study_dir: &Path) -> Diagnostic {
    let name = study_dir.display().to_string();
    let what = if study_dir.is_dir() { "holds no study" } else { "is no directory" };
    let source = SourceFile::new(name.clone(), "");
    Diagnostic::error(numbers::NO_STUDY, &source, 0..0, format!("`{name}` {what}"))
        .fix(format!("give a directory with {}, {} and {}", FILES[0], FILES[1], FILES[2]))
}

/// The name of the study: that of its directory, whatever way it was written.
fn study_name(study_dir: &Path) -> String {
    let path: PathBuf = study_dir.canonicalize().unwrap_or_else(|_| study_dir.to_owned());
    path.file_name().map_or_else(|| "study".to_owned(), |name| name.to_string_lossy().into_owned())
}

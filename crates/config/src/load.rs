//! A study: from its files to the configuration.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use halftrack_catalog::Catalog;
use halftrack_input::messages::study as numbers;
use halftrack_input::{Diagnostic, SourceFile, has_errors, nearest_or_all};

use crate::assemble::{Decks, assemble};
use crate::configuration::Configuration;
use crate::fault_script::{Event, read_study_script};
use crate::plant::{Cpc, Plant, read_plant};
use crate::sample::Sample;
use crate::site::Site;
use crate::study_files::{DECK, Present, StudyFiles};
use crate::workload_file::{WorkloadFile, read_workload};

/// Outcome of loading: the configuration, unless an error stands in the way, and every message.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The configuration.
    pub configuration: Option<Configuration>,
    /// Definitions of the decks beside it; there when the configuration is.
    pub site: Option<Arc<Site>>,
    /// Messages about the files, warnings included.
    pub diagnostics: Vec<Diagnostic>,
}

/// Loads the study in `study_dir`. Where a file is missing, the others are read all the same, so that every message is
/// shown at once. Contradictions between the files are found as [`configure`] does.
pub fn load(study_dir: &Path, catalog: &Catalog) -> Loaded {
    match StudyFiles::read_what_is_there(study_dir) {
        Ok(files) => configure(&files, catalog),
        Err((present, mut diagnostics)) => {
            let (parts, found) = Parts::read(&present);
            // What a workload that is there lacks, such as a trace, is reported already.
            let parts = present.workload.is_none().then_some(parts);
            diagnostics.extend(found);
            if let Some(loaded) =
                parts.and_then(|parts| parts.assemble(&BTreeMap::new(), &BTreeMap::new(), catalog, ""))
            {
                diagnostics.extend(loaded.diagnostics);
            }
            Loaded { configuration: None, site: None, diagnostics }
        }
    }
}

/// Makes a configuration of the texts in `files`. Contradictions between them are searched once deck and plant are
/// right, among the valid parts of the workload: a part that a wrong deck or plant lacks would be missed everywhere.
pub fn configure(files: &StudyFiles, catalog: &Catalog) -> Loaded {
    let (parts, mut diagnostics) = Parts::read(&Present::from(files.clone()));
    let is_right = !has_errors(&diagnostics);
    let Some(loaded) = parts.assemble(&files.traces, &files.samples, catalog, &files.name) else {
        return Loaded { configuration: None, site: None, diagnostics };
    };
    diagnostics.extend(loaded.diagnostics);
    Loaded {
        configuration: loaded.configuration.filter(|_| is_right),
        site: loaded.site.filter(|_| is_right),
        diagnostics,
    }
}

/// Returns findings about `source` as a plant by itself.
#[must_use]
pub fn plant_messages(source: &Arc<SourceFile>) -> Vec<Diagnostic> {
    read_plant(source).1
}

/// Returns findings about `source` as a workload by itself.
#[must_use]
pub fn workload_messages(source: &Arc<SourceFile>) -> Vec<Diagnostic> {
    read_workload(source).1
}

/// Contents of the files, each by itself.
struct Parts {
    decks: Decks,
    plant: Option<Plant>,
    workload: Option<WorkloadFile>,
    /// Hardware files of the study, by name.
    hardware: BTreeMap<String, Arc<SourceFile>>,
    /// Events of the script of faults.
    faults: Vec<Event>,
    /// Decks and plant have no errors.
    plant_is_right: bool,
}

impl Parts {
    /// Returns the parts together, where decks and plant are right; without a workload, with none of its streams.
    fn assemble(
        self,
        traces: &BTreeMap<String, Arc<SourceFile>>,
        samples: &BTreeMap<String, Arc<Sample>>,
        catalog: &Catalog,
        name: &str,
    ) -> Option<Loaded> {
        let plant = self.plant.filter(|_| self.plant_is_right)?;
        let workload = self.workload.or_else(|| read_workload(&SourceFile::new("", "")).0);
        if plant.cpcs.iter().any(|cpc| !self.decks.contains_key(&cpc.deck.value)) {
            return None;
        }
        let plant = Plant { hardware: self.hardware, ..plant };
        let mut workload = WorkloadFile { traces: traces.clone(), samples: samples.clone(), ..workload? };
        workload.events.extend(self.faults);
        Some(assemble(&self.decks, &plant, &workload, catalog, name))
    }

    /// Reads the files that exist, with their messages: the decks that the plant names, and `deck.iocp` always.
    fn read(files: &Present) -> (Self, Vec<Diagnostic>) {
        let mut diagnostics = Vec::new();
        let mut decks = Decks::new();
        let (plant, of_plant) = files.plant.as_ref().map(read_plant).unwrap_or_default();
        let cpcs = plant.as_ref().map_or(&[][..], |plant| &plant.cpcs);
        let further = cpcs.iter().filter_map(|cpc| files.further_decks.get_key_value(&cpc.deck.value));
        let first = files.deck.as_ref().map(|source| (DECK, source));
        for (name, source) in first.into_iter().chain(further.map(|(name, source)| (&name[..], source))) {
            let reading = halftrack_deck::read(Arc::clone(source));
            decks.extend(
                take((reading.deck, reading.diagnostics), &mut diagnostics)
                    .map(|deck| (name.to_owned(), deck)),
            );
        }
        let plant = take((plant, of_plant), &mut diagnostics);
        if let Some(plant) = &plant {
            diagnostics.extend(missing_decks(files, plant));
        }
        let plant_is_right = !has_errors(&diagnostics);
        let workload =
            files.workload.as_ref().and_then(|source| take(read_workload(source), &mut diagnostics));
        let faults =
            files.faults.as_ref().and_then(|script| take(read_study_script(script), &mut diagnostics));
        let (faults, hardware) = (faults.unwrap_or_default(), files.hardware.clone());
        (Self { decks, plant, workload, hardware, faults, plant_is_right }, diagnostics)
    }
}

/// Returns the decks that the plant names and the study lacks, and a `deck.iocp` that is of no machine. A study without
/// any `deck.iocp` has that message already.
fn missing_decks(files: &Present, plant: &Plant) -> Vec<Diagnostic> {
    let lacks = |cpc: &&Cpc| cpc.deck.value != DECK && !files.further_decks.contains_key(&cpc.deck.value);
    let mut found: Vec<_> = plant.cpcs.iter().filter(lacks).collect();
    found.sort_by_key(|cpc| cpc.deck.span.start);
    let error = |cpc: &Cpc, message: String| {
        Diagnostic::error(numbers::NO_DECK, &plant.source, cpc.deck.span.clone(), message)
    };
    let mut diagnostics: Vec<_> = found
        .into_iter()
        .map(|cpc| {
            let name = &cpc.deck.value;
            let there = files.further_decks.keys().map(String::as_str).chain([DECK]);
            error(cpc, format!("the study has no deck {name} for CPC {}", cpc.name))
                .fix(nearest_or_all(name, there))
        })
        .collect();
    if let Some(first) = plant.cpcs.first().filter(|_| plant.cpcs.iter().all(|cpc| cpc.deck.value != DECK)) {
        let message = format!("no CPC of the plant has the deck {DECK}");
        diagnostics.push(error(first, message).fix(format!("write `deck = \"{DECK}\"` for one of them")));
    }
    diagnostics
}

fn take<T>((value, found): (Option<T>, Vec<Diagnostic>), diagnostics: &mut Vec<Diagnostic>) -> Option<T> {
    diagnostics.extend(found);
    value
}

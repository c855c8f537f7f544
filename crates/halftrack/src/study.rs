//! A study with its catalog, checked and ready to be simulated.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use halftrack_base::Span;
use halftrack_catalog::Catalog;
use halftrack_config::{Configuration, Loaded, RunOptions, Site, StudyFiles, configure, load};
use halftrack_input::messages::study::NO_STUDY;
use halftrack_input::messages::sweep::SEVERAL_VALUES;
use halftrack_input::{Diagnostic, SourceFile, has_errors, read_file};
use halftrack_machine::{Cancelled, Options, Progress, Simulation, WiringError};
use halftrack_record::Moment;
use halftrack_sweep::{Change, ContentKey, change, product, sets_in_step};
use thiserror::Error;

use crate::MODEL_VERSION;
use crate::study_summary::StudySummary;
use crate::warnings::offered_warnings;

/// Ways to read a study.
#[derive(Debug, Clone, Default)]
pub struct LoadOptions {
    /// Directories of catalog files that are laid over the built-in ones; later ones win.
    pub catalogs: Vec<PathBuf>,
    /// Keys with their values, as `plant.cable.100.km=10`, laid over the files of the study.
    pub set: Vec<String>,
    /// Keys with their values, laid over the files behind those of `set`.
    pub changes: Vec<Change>,
    /// A script of faults, whose events are added to those of the workload.
    pub faults: Option<PathBuf>,
}

/// I/Os of a slice of a run to a moment, about: the next one is half or twice as long where there are more or fewer.
const SLICE_IOS: u64 = 10_000;
/// Virtual time of the first slice.
const FIRST_SLICE: Span = Span::from_us(100);

/// Reasons for which the state at a moment is not known.
#[derive(Debug, Error)]
pub enum MomentError {
    /// The machine cannot be wired.
    #[error(transparent)]
    Wiring(#[from] WiringError),
    /// The observer broke the run off.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// A study that cannot be run.
#[derive(Debug, Error)]
#[error("{}", lines(.diagnostics))]
pub struct LoadError {
    /// Every message about it, warnings included.
    pub diagnostics: Vec<Diagnostic>,
}

/// A checked study.
#[derive(Debug, Clone)]
pub struct Study {
    files: Option<StudyFiles>,
    catalog: Arc<Catalog>,
    site: Arc<Site>,
    configuration: Arc<Configuration>,
    diagnostics: Vec<Diagnostic>,
}

impl Study {
    /// Loads the study in `directory` and checks it against the catalog.
    ///
    /// # Errors
    /// [`LoadError`] with every message when anything makes the study unusable.
    pub fn load(directory: impl AsRef<Path>, options: &LoadOptions) -> Result<Self, LoadError> {
        let overlays: Vec<&Path> = options.catalogs.iter().map(AsRef::as_ref).collect();
        let (catalog, mut diagnostics) = Catalog::load(&overlays);
        let changes = changes(&options.set).map(|set| [set, options.changes.clone()].concat());
        let changes = changes.map_err(|errors| diagnostics.extend(errors));
        let read = StudyFiles::read(directory.as_ref()).ok();
        // Where a file is missing, the others are checked all the same.
        let (files, loaded) = match (read, changes) {
            (None, _) => (None, load(directory.as_ref(), &catalog)),
            (Some(files), Err(())) => (None, configure(&files, &catalog)),
            (Some(files), Ok(changes)) => match change(&files, &changes) {
                Ok(mut files) => {
                    let script = options.faults.as_deref().map(read_file).transpose();
                    files.faults = script.unwrap_or_else(|error| {
                        diagnostics.push(*error);
                        None
                    });
                    let loaded = configure(&files, &catalog);
                    (Some(files), loaded)
                }
                Err(error) => {
                    diagnostics.push(*error);
                    return Err(LoadError { diagnostics });
                }
            },
        };
        Self::checked(files, Arc::new(catalog), loaded, diagnostics)
    }

    /// Makes the study that `loaded` is of, with its messages behind `diagnostics`.
    fn checked(
        files: Option<StudyFiles>,
        catalog: Arc<Catalog>,
        loaded: Loaded,
        mut diagnostics: Vec<Diagnostic>,
    ) -> Result<Self, LoadError> {
        diagnostics.extend(loaded.diagnostics);
        match (loaded.configuration, loaded.site) {
            (Some(configuration), Some(site)) if !has_errors(&diagnostics) => {
                Ok(Self { files, catalog, site, configuration: Arc::new(configuration), diagnostics })
            }
            _ => Err(LoadError { diagnostics }),
        }
    }

    /// Returns the study with `changes` made, in their order, in the files as they were read; lengths of [`change_run`] are
    /// those of the workload again.
    ///
    /// # Errors
    /// [`LoadError`] with every message when a key names nothing, or what the keys give cannot be run.
    ///
    /// [`change_run`]: Self::change_run
    pub fn changed(&self, changes: &[Change]) -> Result<Self, LoadError> {
        let refused = |diagnostic| LoadError { diagnostics: vec![diagnostic] };
        let files = self.files.as_ref().ok_or_else(|| {
            let source = SourceFile::new(self.configuration.study.as_str(), "");
            refused(Diagnostic::error(
                NO_STUDY,
                &source,
                0..0,
                "the files of the study were not there when it was read",
            ))
        })?;
        let files = change(files, changes).map_err(|error| refused(*error))?;
        let loaded = configure(&files, &self.catalog);
        Self::checked(Some(files), Arc::clone(&self.catalog), loaded, Vec::new())
    }

    /// Returns the catalog that the study was checked against.
    pub fn catalog(&self) -> &Arc<Catalog> {
        &self.catalog
    }

    /// Returns what was found about a study that can be run: warnings, advice.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Returns the files as they were read, with the keys that were set; none where they are gone meanwhile.
    pub fn files(&self) -> Option<&StudyFiles> {
        self.files.as_ref()
    }

    /// Returns the decks' definitions.
    pub fn site(&self) -> &Arc<Site> {
        &self.site
    }

    /// Returns the machine and its work.
    pub fn configuration(&self) -> &Arc<Configuration> {
        &self.configuration
    }

    /// Lets `change` give the run another length than the workload does.
    pub fn change_run(&mut self, change: impl FnOnce(&mut RunOptions)) {
        change(&mut Arc::make_mut(&mut self.configuration).run);
    }

    /// Lets the run warm up for `length_s`, or until the transients of all streams are over.
    pub fn set_warmup(&mut self, length_s: Option<f64>) {
        self.change_run(|run| {
            run.warmup = length_s.map_or(Span::ZERO, Span::from_s_f64);
            run.detect_warmup = length_s.is_none();
        });
    }

    /// Returns options of a run with the seed of the workload: planned, in bursts, on one thread.
    pub fn options(&self) -> Options {
        Options::new(self.configuration.run.seed)
    }

    /// Hashes everything that the record of a run with `options` depends on.
    pub fn content_key(&self, options: &Options) -> ContentKey {
        ContentKey::new(&self.configuration, options, MODEL_VERSION)
    }

    /// Counts the parts of the study, whose runs with `options` have one content key.
    pub fn summary(&self, options: &Options) -> StudySummary {
        StudySummary::new(&self.configuration, self.content_key(options))
    }

    /// Returns the warnings about streams of `simulation` that offer more than the machine serves.
    pub fn offered_warnings(&self, simulation: &Simulation) -> Vec<Diagnostic> {
        let offered = simulation.offered_too_much();
        self.files().map(|files| offered_warnings(files, &offered)).unwrap_or_default()
    }

    /// Simulates until `at` after the start of the run, and returns the state of paths and channels then. `observer` is shown the
    /// progress about every 10,000 I/Os, and can break the run off.
    ///
    /// # Errors
    /// As [`simulate`](Self::simulate); [`MomentError::Cancelled`] when `observer` breaks the run off.
    pub fn moment(
        &self,
        options: &Options,
        at: Span,
        observer: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Moment, MomentError> {
        let mut simulation = self.simulate(options)?;
        let (mut done, mut slice, mut ios) = (Span::ZERO, FIRST_SLICE, 0);
        while done < at {
            let step = slice.min(at - done);
            simulation.advance(step);
            done += step;
            let before = std::mem::replace(&mut ios, simulation.counters().ios);
            slice = if ios - before > SLICE_IOS { slice / 2 } else { slice * 2 };
            if observer(Progress { done, total: at, ios }).is_break() {
                return Err(MomentError::Cancelled(Cancelled));
            }
        }
        Ok(simulation.moment())
    }

    /// Returns the names of the systems with work, in the order of the configuration.
    pub fn systems(&self) -> Vec<&str> {
        let lpars = (0..).zip(&self.configuration.lpars);
        lpars
            .filter(|(index, _)| self.configuration.has_work(*index))
            .map(|(_, lpar)| lpar.name.as_str())
            .collect()
    }

    /// Wires the machine.
    ///
    /// # Errors
    /// [`WiringError`] when a stream's program cannot be exchanged over its paths, or when the run may take too long.
    pub fn simulate(&self, options: &Options) -> Result<Simulation, WiringError> {
        Simulation::new(Arc::clone(&self.configuration), *options)
    }
}

/// Parses the changes of `set`, each key to one value.
fn changes(set: &[String]) -> Result<Vec<Change>, Vec<Diagnostic>> {
    let (mut changes, mut errors) = (Vec::new(), Vec::new());
    for text in set {
        let points = sets_in_step(text).and_then(|sets| product(&[sets]));
        match points {
            Ok(points) if points.len() == 1 => changes.extend(points.into_iter().flatten()),
            Ok(points) => {
                let message = format!("`{text}` has {} values, and a run has one", points.len());
                let source = SourceFile::new("--set", text.as_str());
                let error = Diagnostic::error(SEVERAL_VALUES, &source, 0..text.len(), message);
                errors.push(error.fix("give one value, or run each of them by `halftrack sweep`"));
            }
            Err(error) => errors.push(*error),
        }
    }
    if errors.is_empty() { Ok(changes) } else { Err(errors) }
}

/// Returns the lines of `diagnostics`.
fn lines(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

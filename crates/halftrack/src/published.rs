//! Published figures beside the values that the twin gives for each.

use std::path::{Path, PathBuf};

use halftrack_catalog::Catalog;
use halftrack_config::StudyFiles;
use halftrack_input::{Diagnostic, has_errors};
use halftrack_machine::Cancelled;
use halftrack_published::{
    Builtin, Figure, Library, Points, Rerun, Scoreboard, ScoreboardInputs, chooses, rehearse, restated,
    sensitive,
};
use halftrack_record::Run;
use halftrack_sweep::{Cache, PointError, PointOptions, run_points, try_run_points};
use rayon::ThreadPool;

use crate::option_error::OptionError;
use crate::study::LoadError;
use crate::threads::pool;

/// Sources of figures and experiments.
#[derive(Debug, Clone, Default)]
pub struct PublishedOptions {
    /// Directories of catalog files that are laid over the built-in ones; later ones win.
    pub catalogs: Vec<PathBuf>,
    /// Directories of figures, experiments and studies that are laid over the built-in ones; later ones win.
    pub directories: Vec<PathBuf>,
    /// Leaves the built-in figures, experiments and studies out.
    pub only_directories: bool,
}

/// Figures and experiments with the catalog.
#[derive(Debug)]
pub struct Published {
    catalog: Catalog,
    library: Library,
    diagnostics: Vec<Diagnostic>,
}

/// Experiments that answer some of the figures, checked.
#[derive(Debug)]
pub struct Experiments<'a> {
    published: &'a Published,
    figures: Vec<&'a Figure>,
    points: Points,
}

/// Observer of runs with changed numbers, which come in sets.
pub trait TrialObserver: Sync {
    /// Announces the next set of so many runs.
    fn expect(&self, runs: usize);
    /// Counts one run that is done.
    fn count(&self);
    /// Returns true once the runs are to be broken off, and from then on. It is called every few milliseconds.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// Worker threads and cache of runs.
#[derive(Debug)]
pub struct Runner {
    pool: ThreadPool,
    cache: Cache,
}

impl Published {
    /// Loads catalog, figures and experiments.
    ///
    /// # Errors
    /// Every message when one of them cannot be used.
    pub fn load(options: &PublishedOptions) -> Result<Self, LoadError> {
        let catalogs: Vec<&Path> = options.catalogs.iter().map(AsRef::as_ref).collect();
        let directories: Vec<&Path> = options.directories.iter().map(AsRef::as_ref).collect();
        let (catalog, mut diagnostics) = Catalog::load(&catalogs);
        let builtin = if options.only_directories { Builtin::UnitsOnly } else { Builtin::Under };
        let (library, found) = Library::load(&directories, builtin);
        diagnostics.extend(found);
        if has_errors(&diagnostics) {
            return Err(LoadError { diagnostics });
        }
        Ok(Self { catalog, library, diagnostics })
    }

    /// Returns the warnings about catalog, figures and experiments.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Returns the catalog.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// Returns figures and experiments.
    pub fn library(&self) -> &Library {
        &self.library
    }

    /// Returns the figures with `pattern` in id or source, all without one.
    pub fn choose(&self, pattern: Option<&str>) -> Vec<&Figure> {
        let figures = self.library.figures();
        figures.filter(|figure| pattern.is_none_or(|pattern| chooses(pattern, figure))).collect()
    }

    /// Checks the experiments that answer `figures`, as far as that is possible without running them to the end.
    ///
    /// # Errors
    /// Every message when one of them cannot be run.
    pub fn experiments<'a>(&'a self, figures: Vec<&'a Figure>) -> Result<Experiments<'a>, LoadError> {
        let points =
            Points::needed(&self.library, &figures).map_err(|diagnostics| LoadError { diagnostics })?;
        let diagnostics = rehearse(&self.library, &figures, &points, &self.catalog);
        if has_errors(&diagnostics) {
            return Err(LoadError { diagnostics });
        }
        Ok(Experiments { published: self, figures, points })
    }
}

impl Runner {
    /// Starts so many `threads`, else one for each processor.
    ///
    /// # Errors
    /// Threads that cannot be started.
    pub fn new(threads: Option<usize>, cache: Cache) -> Result<Self, OptionError> {
        Ok(Self { pool: pool(threads)?, cache })
    }

    /// Returns the cache.
    pub fn cache(&self) -> &Cache {
        &self.cache
    }
}

impl Experiments<'_> {
    /// Returns the studies that are run.
    pub fn studies(&self) -> &[StudyFiles] {
        self.points.studies()
    }

    /// Runs every study; `progress` gets the number of runs that are done after each.
    pub fn run(&self, runner: &Runner, progress: &(dyn Fn(usize) + Sync)) -> Vec<Result<Run, PointError>> {
        let (studies, catalog) = (self.studies(), &self.published.catalog);
        let options = PointOptions::default();
        runner.pool.install(|| run_points(studies, catalog, &options, &runner.cache, progress))
    }

    /// Runs every study as [`run`](Self::run) does, until `is_cancelled` returns true; it is called every few milliseconds.
    ///
    /// # Errors
    /// [`Cancelled`] once `is_cancelled` returns true.
    pub fn try_run(
        &self,
        runner: &Runner,
        progress: &(dyn Fn(usize) + Sync),
        is_cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Result<Run, PointError>>, Cancelled> {
        let (studies, catalog) = (self.studies(), &self.published.catalog);
        let options = PointOptions::default();
        let run = || try_run_points(studies, catalog, &options, &runner.cache, progress, is_cancelled);
        runner.pool.install(run)
    }

    /// Compares the outcomes of all studies, in order, with the figures.
    pub fn scoreboard(&self, runs: &[Result<Run, PointError>]) -> Scoreboard {
        let Published { library, catalog, .. } = self.published;
        Scoreboard::new(library, &self.figures, &self.points, runs, catalog)
    }

    /// Tries the assumed and fitted numbers of the catalog, and marks the predictions of `board` that follow from them. This
    /// takes thousands of runs.
    ///
    /// # Errors
    /// [`Cancelled`] when `observer` breaks the runs off; `board` is then as it was.
    pub fn test_sensitivity(
        &self,
        board: &mut Scoreboard,
        runs: &[Result<Run, PointError>],
        runner: &Runner,
        observer: &dyn TrialObserver,
    ) -> Result<(), Cancelled> {
        let Published { library, catalog, .. } = self.published;
        let inputs =
            ScoreboardInputs { library, figures: &self.figures, points: &self.points, runs, catalog };
        let again = Again { cache: &runner.cache, observer };
        let mut marked = board.clone();
        let found = runner.pool.install(|| sensitive(&inputs, &marked, &again))?;
        marked.count_as_fitted(&found);
        let found = runner.pool.install(|| restated(&inputs, &marked, &again))?;
        marked.count_as_restated(&found);
        *board = marked;
        Ok(())
    }
}

/// Runs with numbers of the catalog changed.
struct Again<'a> {
    cache: &'a Cache,
    observer: &'a dyn TrialObserver,
}

impl Rerun for Again<'_> {
    fn expect(&self, runs: usize) {
        self.observer.expect(runs);
    }

    fn is_cancelled(&self) -> bool {
        self.observer.is_cancelled()
    }

    fn run(
        &self,
        studies: &[StudyFiles],
        catalog: &Catalog,
    ) -> Result<Vec<Result<Run, PointError>>, Cancelled> {
        let (count, is_cancelled) = (|_| self.observer.count(), || self.observer.is_cancelled());
        try_run_points(studies, catalog, &PointOptions::default(), self.cache, &count, &is_cancelled)
    }
}

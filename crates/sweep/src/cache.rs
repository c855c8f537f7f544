//! Finished runs, kept by the content of what they were made from, so that a sweep can be taken up where it stopped.
//!
//! An entry is a file of two parts: a line with the hash of what follows, and the run as an interval file. It is
//! written under another name and renamed when whole; one that is damaged all the same is not believed.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use blake3::Hasher;
use halftrack_catalog::Catalog;
use halftrack_config::StudyFiles;
use halftrack_record::Run;
use halftrack_report::{from_json, to_json};

use crate::points::PointOptions;

/// A directory of finished runs, or none.
#[derive(Debug)]
pub struct Cache {
    place: Option<PathBuf>,
    program: String,
    found: AtomicU64,
    lost: AtomicU64,
}

impl Cache {
    /// Runs kept in `directory`, which is made when the first one is; `program` is a hash of the program that
    /// simulates, since another program may come to other results.
    pub fn new(directory: impl Into<PathBuf>, program: impl Into<String>) -> Self {
        Self {
            place: Some(directory.into()),
            program: program.into(),
            found: AtomicU64::new(0),
            lost: AtomicU64::new(0),
        }
    }

    /// No runs are kept.
    pub fn none() -> Self {
        Self { place: None, program: String::new(), found: AtomicU64::new(0), lost: AtomicU64::new(0) }
    }

    /// How many runs have been taken from here instead of being simulated.
    pub fn found(&self) -> u64 {
        self.found.load(Ordering::Relaxed)
    }

    /// How many runs could not be written here; they will be simulated again.
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// Where runs are kept.
    pub fn place(&self) -> Option<&Path> {
        self.place.as_deref()
    }

    /// The run kept for `point`; none where it is missing or damaged.
    pub(crate) fn take(&self, point: PointHash) -> Option<Run> {
        let text = fs::read_to_string(self.file(point)?).ok()?;
        let (hash, body) = text.split_once('\n')?;
        if hash != blake3::hash(body.as_bytes()).to_hex().as_str() {
            return None;
        }
        let run = from_json(body).ok()?;
        self.found.fetch_add(1, Ordering::Relaxed);
        Some(run)
    }

    /// Keeps `run` for `point`. A run that would not be read back as it is (an estimate that is no number) is not
    /// kept.
    pub(crate) fn keep(&self, point: PointHash, run: &Run) {
        let Some(file) = self.file(point) else { return };
        let body = to_json(run);
        if from_json(&body).ok().as_ref() != Some(run) {
            return;
        }
        let text = format!("{}\n{body}", blake3::hash(body.as_bytes()).to_hex());
        if write_whole(&file, &text).is_err() {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The hash of everything that the run of `point` depends on.
    pub(crate) fn hash(&self, point: &StudyFiles, catalog: CatalogHash, options: &PointOptions) -> PointHash {
        let mut hasher = Hasher::new();
        let options = format!("{options:?}");
        let catalog = catalog.0.to_hex();
        let parts = [self.program.as_str(), catalog.as_str(), options.as_str(), point.name.as_str()];
        parts.into_iter().chain(point.texts()).for_each(|part| add(&mut hasher, part));
        PointHash(hasher.finalize())
    }

    fn file(&self, point: PointHash) -> Option<PathBuf> {
        Some(self.place.as_ref()?.join(format!("{}.json", point.0.to_hex())))
    }
}

/// The hash of a catalog.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CatalogHash(blake3::Hash);

impl CatalogHash {
    pub(crate) fn of(catalog: &Catalog) -> Self {
        let mut hasher = Hasher::new();
        for (directory, id, source) in catalog.sources() {
            [directory, id, source.text.as_str()].into_iter().for_each(|part| add(&mut hasher, part));
        }
        Self(hasher.finalize())
    }
}

/// The hash of a study, how it is run and by what.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PointHash(blake3::Hash);

/// Adds `part`; its length keeps two neighbours from trading characters.
fn add(hasher: &mut Hasher, part: &str) {
    hasher.update(&(part.len() as u64).to_le_bytes());
    hasher.update(part.as_bytes());
}

/// Writes `text` to `file` whole or not at all, whoever else does the same.
fn write_whole(file: &Path, text: &str) -> io::Result<()> {
    let directory = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(directory)?;
    let mut partial = tempfile::Builder::new().suffix(".partial").tempfile_in(directory)?;
    partial.write_all(text.as_bytes())?;
    partial.persist(file).map(drop).map_err(|failed| failed.error)
}

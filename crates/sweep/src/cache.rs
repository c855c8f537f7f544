//! Finished runs, kept by the content of what they were made from, so that a sweep can be taken up where it stopped.
//!
//! An entry is a file of two parts: a line with the hash of what follows, and the run as an interval file, or what a table
//! has of the run ([`PointOutcome`]). It is written under another name and renamed when whole; one that is damaged all the
//! same is not believed.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use halftrack_config::Configuration;
use halftrack_machine::Options;
use halftrack_record::Run;
use halftrack_report::{from_json, to_json};

use crate::content_key::ContentKey;
use crate::point_outcome::PointOutcome;
use crate::table::Column;

/// A directory of finished runs, or none.
#[derive(Debug)]
pub struct Cache {
    place: Option<PathBuf>,
    model: String,
    found: AtomicU64,
    lost: AtomicU64,
}

impl Cache {
    /// Creates a cache in `directory`, which is made when the first run is kept. `model` is the version of the
    /// simulator, since another may come to other results.
    pub fn new(directory: impl Into<PathBuf>, model: impl Into<String>) -> Self {
        Self {
            place: Some(directory.into()),
            model: model.into(),
            found: AtomicU64::new(0),
            lost: AtomicU64::new(0),
        }
    }

    /// Creates a cache that keeps nothing.
    pub fn none() -> Self {
        Self { place: None, model: String::new(), found: AtomicU64::new(0), lost: AtomicU64::new(0) }
    }

    /// Returns the number of runs that were taken from here instead of being simulated.
    pub fn found(&self) -> u64 {
        self.found.load(Ordering::Relaxed)
    }

    /// Returns the number of runs that could not be written here; they will be simulated again.
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// Returns the directory of the runs.
    pub fn place(&self) -> Option<&Path> {
        self.place.as_deref()
    }

    /// Returns the run kept under `key`; none where it is missing or damaged.
    pub(crate) fn take(&self, key: ContentKey) -> Option<Run> {
        let text = fs::read_to_string(self.file(key)?).ok()?;
        let run = from_json(body(&text)?).ok()?;
        self.found.fetch_add(1, Ordering::Relaxed);
        Some(run)
    }

    /// Keeps `run` under `key`. A run that would not be read back as it is (an estimate that is no number) is not
    /// kept.
    pub(crate) fn keep(&self, key: ContentKey, run: &Run) {
        if self.place.is_some()
            && let Some(entry) = run_entry(run)
        {
            self.write(self.file(key), &entry);
        }
    }

    /// Keeps what [`run_entry`] made of the run of `key` somewhere else; returns false where it is damaged.
    pub(crate) fn keep_entry(&self, key: ContentKey, entry: &str) -> bool {
        let is_whole = body(entry).is_some();
        if is_whole {
            self.write(self.file(key), entry);
        }
        is_whole
    }

    /// Returns true where a whole run is kept under `key`, damaged or not.
    pub(crate) fn has_run(&self, key: ContentKey) -> bool {
        self.file(key).is_some_and(|file| file.is_file())
    }

    /// Returns the outcome for `columns` of the run of `key`: the one kept, else that of a run that is kept.
    pub(crate) fn take_outcome(&self, key: ContentKey, columns: &[Column]) -> Option<PointOutcome> {
        let text = fs::read_to_string(self.outcome_file(key, columns)?).ok();
        let kept = text.as_deref().and_then(body);
        match kept.and_then(|kept| PointOutcome::from_bytes(kept.as_bytes(), columns)) {
            Some(outcome) => {
                self.found.fetch_add(1, Ordering::Relaxed);
                Some(outcome)
            }
            None => self.take(key).map(|run| PointOutcome::of(Ok(&run), columns)),
        }
    }

    /// Keeps the outcome for `columns` of the run of `key`.
    pub(crate) fn keep_outcome(&self, key: ContentKey, columns: &[Column], outcome: &PointOutcome) {
        let text = String::from_utf8(outcome.to_bytes()).unwrap_or_default();
        self.write(self.outcome_file(key, columns), &entry(&text));
    }

    /// Returns the key of a run of `configuration` with `options`.
    pub(crate) fn key(&self, configuration: &Configuration, options: &Options) -> ContentKey {
        ContentKey::new(configuration, options, &self.model)
    }

    fn file(&self, key: ContentKey) -> Option<PathBuf> {
        Some(self.place.as_ref()?.join(format!("{key}.json")))
    }

    fn outcome_file(&self, key: ContentKey, columns: &[Column]) -> Option<PathBuf> {
        let mut names = blake3::Hasher::new();
        for column in columns {
            names.update(column.name.as_bytes()).update(b"\n");
        }
        let names = names.finalize().to_hex();
        Some(self.place.as_ref()?.join(format!("{key}.{}.outcome", &names[..16])))
    }

    fn write(&self, file: Option<PathBuf>, text: &str) {
        if file.is_some_and(|file| write_whole(&file, text).is_err()) {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Returns the entry of `run`; `None` where it would not be read back as it is.
pub(crate) fn run_entry(run: &Run) -> Option<String> {
    let body = to_json(run);
    (from_json(&body).ok().as_ref() == Some(run)).then(|| entry(&body))
}

/// Returns `body` behind the line with its hash.
fn entry(body: &str) -> String {
    format!("{}\n{body}", blake3::hash(body.as_bytes()).to_hex())
}

/// Returns the body of an entry that is whole.
fn body(entry: &str) -> Option<&str> {
    let (hash, body) = entry.split_once('\n')?;
    (hash == blake3::hash(body.as_bytes()).to_hex().as_str()).then_some(body)
}

/// Writes `text` to `file` whole or not at all, whoever else does the same.
fn write_whole(file: &Path, text: &str) -> io::Result<()> {
    let directory = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(directory)?;
    let mut partial = tempfile::Builder::new().suffix(".partial").tempfile_in(directory)?;
    partial.write_all(text.as_bytes())?;
    partial.persist(file).map(drop).map_err(|failed| failed.error)
}

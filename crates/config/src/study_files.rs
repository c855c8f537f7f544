//! The files of a study as text: deck, plant and workload, the decks of further machines, and traces, before anything is
//! made of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use halftrack_deck::DeckFile;
use halftrack_input::messages::study as numbers;
use halftrack_input::{Diagnostic, SourceFile, read_bytes, read_file};

use crate::sample::Sample;

/// The IOCP deck of a study, that of one of its machines.
pub(crate) const DECK: &str = "deck.iocp";
/// How the names of decks end.
pub(crate) const DECK_SUFFIX: &str = ".iocp";
/// The plant of a study.
const PLANT: &str = "plant.toml";
/// The workload of a study.
const WORKLOAD: &str = "workload.toml";
/// How the names of traces end.
const TRACE_ENDING: &str = ".csv";
/// How the names of samples of data end.
pub(crate) const SAMPLE_ENDING: &str = ".data";
/// How the names of hardware files end.
pub(crate) const TOML_ENDING: &str = ".toml";

/// A study as text: what is read from its directory, or what a sweep makes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StudyFiles {
    /// Name of the study, which heads its reports: that of its directory.
    pub name: String,
    /// `deck.iocp`.
    pub deck: Arc<SourceFile>,
    /// The other decks beside it, by file name: a plant of several machines names them.
    pub further_decks: BTreeMap<String, Arc<SourceFile>>,
    /// `plant.toml`.
    pub plant: Arc<SourceFile>,
    /// `workload.toml`.
    pub workload: Arc<SourceFile>,
    /// Its traces by the names of their files: every `.csv` file of the directory that is text, whether or not a
    /// stream follows it. A sweep may let one follow another.
    pub traces: BTreeMap<String, Arc<SourceFile>>,
    /// Its hardware files by their names: every `.toml` file of the directory beside plant and workload, whether or not the plant
    /// names it.
    pub hardware: BTreeMap<String, Arc<SourceFile>>,
    /// Its samples of data by the names of their files: every `.data` file of the directory, whether or not a stream names it.
    pub samples: BTreeMap<String, Arc<Sample>>,
    /// A script of faults, whose events are added to those of the workload; of no study by itself.
    pub faults: Option<Arc<SourceFile>>,
}

impl StudyFiles {
    /// Reads the files in `study_dir`; their contents are not checked.
    ///
    /// # Errors
    /// One message for each file that is missing or cannot be read; a single one where there is no study at all.
    pub fn read(study_dir: &Path) -> Result<Self, Vec<Diagnostic>> {
        Self::read_what_is_there(study_dir).map_err(|(_, missing)| missing)
    }

    /// Reads the files in `study_dir`; on an error returns the files that exist beside the messages.
    pub(crate) fn read_what_is_there(study_dir: &Path) -> Result<Self, (Present, Vec<Diagnostic>)> {
        let mut missing = Vec::new();
        let files = [DECK, PLANT, WORKLOAD].map(|name| match source(study_dir, name) {
            Ok(source) => Some(source),
            Err(error) => {
                missing.push(*error);
                None
            }
        });
        let further_decks = further_decks(study_dir, &mut missing);
        match files {
            [Some(deck), Some(plant), Some(workload)] if missing.is_empty() => {
                let name = study_name(study_dir);
                let traces = further(study_dir, TRACE_ENDING, read_text);
                let samples = further(study_dir, SAMPLE_ENDING, read_sample);
                let mut hardware = further(study_dir, TOML_ENDING, read_text);
                hardware.retain(|name, _| name != PLANT && name != WORKLOAD);
                Ok(Self {
                    name,
                    deck,
                    further_decks,
                    plant,
                    workload,
                    traces,
                    hardware,
                    samples,
                    faults: None,
                })
            }
            [None, None, None] => Err((Present::default(), vec![no_study(study_dir)])),
            [deck, plant, workload] => {
                Err((Present { deck, further_decks, plant, workload, ..Present::default() }, missing))
            }
        }
    }

    /// Returns the text of every file that a run of it depends on, in an order of its own. Of the traces and
    /// samples those count whose name stands in the workload, of the hardware files those that the plant names. A sample has its
    /// digest.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let is_named = |name: &String| self.workload.text.contains(name.as_str());
        let is_plugged = |(name, _): &(&String, &Arc<SourceFile>)| self.plant.text.contains(name.as_str());
        let traces = self.traces.iter().filter(move |(name, _)| is_named(name));
        let files = traces.chain(self.hardware.iter().filter(is_plugged));
        let further = self.further_decks.iter().chain(files);
        let further = further.flat_map(|(name, file)| [name.as_str(), file.text.as_str()]);
        let own = [&self.deck, &self.plant, &self.workload].into_iter().chain(&self.faults);
        let samples = self.samples.iter().filter(move |(name, _)| is_named(name));
        let samples = samples.flat_map(|(name, sample)| [name.as_str(), sample.digest()]);
        own.map(|file| file.text.as_str()).chain(further).chain(samples)
    }
}

/// The files of a study, as far as they can be read.
#[derive(Default)]
pub(crate) struct Present {
    /// `deck.iocp`.
    pub deck: Option<Arc<SourceFile>>,
    /// The other decks beside it, by file name.
    pub further_decks: BTreeMap<String, Arc<SourceFile>>,
    /// `plant.toml`.
    pub plant: Option<Arc<SourceFile>>,
    /// `workload.toml`.
    pub workload: Option<Arc<SourceFile>>,
    /// Its hardware files, by file name.
    pub hardware: BTreeMap<String, Arc<SourceFile>>,
    /// A script of faults.
    pub faults: Option<Arc<SourceFile>>,
}

impl From<StudyFiles> for Present {
    fn from(files: StudyFiles) -> Self {
        let StudyFiles { deck, further_decks, plant, workload, hardware, faults, .. } = files;
        let (deck, plant, workload) = (Some(deck), Some(plant), Some(workload));
        Self { deck, further_decks, plant, workload, hardware, faults }
    }
}

/// Returns the decks of a study beside `deck.iocp`, by file name; those that cannot be read are reported.
fn further_decks(study_dir: &Path, found: &mut Vec<Diagnostic>) -> BTreeMap<String, Arc<SourceFile>> {
    let entries = std::fs::read_dir(study_dir).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.retain(|name| name.ends_with(DECK_SUFFIX) && name != DECK && study_dir.join(name).is_file());
    names.sort();
    let mut decks = BTreeMap::new();
    for name in names {
        match read_deck(&study_dir.join(&name)) {
            Ok(source) => drop(decks.insert(name, source)),
            Err(error) => found.push(*error),
        }
    }
    decks
}

/// Returns the deck at `path`, in any encoding and record form that decks come in.
fn read_deck(path: &Path) -> Result<Arc<SourceFile>, Box<Diagnostic>> {
    let file = DeckFile::from_bytes(&path.display().to_string(), read_bytes(path)?)?;
    Ok(file.source)
}

/// Returns the file `name` of the study.
fn source(study_dir: &Path, name: &str) -> Result<Arc<SourceFile>, Box<Diagnostic>> {
    let path = study_dir.join(name);
    if path.exists() {
        return if name == DECK { read_deck(&path) } else { read_file(&path) };
    }
    let message = format!("the study has no {name}");
    let source = SourceFile::new(path.display().to_string(), "");
    let fix = format!("a study is a directory with {DECK}, {PLANT} and {WORKLOAD}");
    Err(Box::new(Diagnostic::error(numbers::NO_STUDY, &source, 0..0, message).fix(fix)))
}

/// Returns the files of the study whose names end so. One that cannot be read is missed where it is named.
fn further<T>(
    study_dir: &Path,
    ending: &str,
    read: impl Fn(&Path) -> Option<Arc<T>>,
) -> BTreeMap<String, Arc<T>> {
    let paths = std::fs::read_dir(study_dir).into_iter().flatten().flatten().map(|entry| entry.path());
    let read = |path: PathBuf| {
        let name = path.file_name()?.to_str()?.to_owned();
        let is_one = name.ends_with(ending) && path.is_file();
        Some((name, is_one.then(|| read(&path))??))
    };
    paths.filter_map(read).collect()
}

fn read_text(path: &Path) -> Option<Arc<SourceFile>> {
    read_file(path).ok()
}

fn read_sample(path: &Path) -> Option<Arc<Sample>> {
    read_bytes(path).ok().map(|octets| Arc::new(Sample::new(octets)))
}

/// Returns the one message for a directory without any of the three files.
fn no_study(study_dir: &Path) -> Diagnostic {
    let name = study_dir.display().to_string();
    let what = if study_dir.is_dir() { "holds no study" } else { "is no directory" };
    let source = SourceFile::new(name.clone(), "");
    Diagnostic::error(numbers::NO_STUDY, &source, 0..0, format!("`{name}` {what}"))
        .fix(format!("give a directory with {DECK}, {PLANT} and {WORKLOAD}"))
}

/// Returns the name of the study: that of its directory, whatever way it was written.
fn study_name(study_dir: &Path) -> String {
    let path: PathBuf = study_dir.canonicalize().unwrap_or_else(|_| study_dir.to_owned());
    path.file_name().map_or_else(|| "study".to_owned(), |name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_are_read_whatever_they_say() {
        let root = tempfile::tempdir().expect("a directory");
        let study = root.path().join("mine");
        std::fs::create_dir(&study).expect("a directory");
        for name in [DECK, PLANT, WORKLOAD, "deck-b.iocp", "deck.old"] {
            std::fs::write(study.join(name), format!("this is {name}")).expect("a file");
        }
        let files = StudyFiles::read(&study).expect("a study");
        assert_eq!(files.name, "mine");
        assert_eq!(files.deck.text, "this is deck.iocp");
        let further: Vec<_> =
            files.further_decks.iter().map(|(name, deck)| (&name[..], &deck.text[..])).collect();
        assert_eq!(further, [("deck-b.iocp", "this is deck-b.iocp")]);
        assert_eq!(files.plant.text, "this is plant.toml");
        assert_eq!(files.workload.text, "this is workload.toml");
        assert!(files.plant.name.ends_with("mine/plant.toml"), "{}", files.plant.name);
    }

    #[test]
    fn decks_of_a_study_may_be_records_of_eighty_columns() {
        let root = tempfile::tempdir().expect("a directory");
        for name in [DECK, PLANT, WORKLOAD, "deck-b.iocp"] {
            let cards = format!("{:80}{:80}", "         ID MSG1='B\u{dc}RO'", format!("* {name}"));
            // Latin-1, as a binary transfer of the data set gives it.
            let bytes: Vec<u8> = cards.chars().map(|ch| ch as u8).collect();
            let text = if name.ends_with(DECK_SUFFIX) { bytes } else { Vec::new() };
            std::fs::write(root.path().join(name), text).expect("a file");
        }
        let files = StudyFiles::read(root.path()).expect("a study");
        for (deck, name) in [(&files.deck, DECK), (&files.further_decks["deck-b.iocp"], "deck-b.iocp")] {
            let lines: Vec<&str> = deck.text.lines().map(str::trim_end).collect();
            assert_eq!(lines, ["         ID MSG1='B\u{dc}RO'", &format!("* {name}")]);
        }
    }

    #[test]
    fn each_missing_file_is_named() {
        let root = tempfile::tempdir().expect("a directory");
        std::fs::write(root.path().join(PLANT), "").expect("a file");
        let missing = StudyFiles::read(root.path()).expect_err("two files are missing");
        let said: Vec<&str> = missing.iter().map(|one| one.message.as_str()).collect();
        assert_eq!(said, ["the study has no deck.iocp", "the study has no workload.toml"]);
    }
}

//! The three files of a study as text, before anything is made of them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use halftrack_catalog::read_file;
use halftrack_deck::diagnostic::{Diagnostic, SourceFile};

use crate::numbers;

/// The IOCP deck of a study.
const DECK: &str = "deck.iocp";
/// The plant of a study.
const PLANT: &str = "plant.toml";
/// The workload of a study.
const WORKLOAD: &str = "workload.toml";

/// A study as text: what is read from its directory, or what a sweep makes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StudyFiles {
    /// Name of the study, which heads its reports: that of its directory.
    pub name: String,
    /// `deck.iocp`.
    pub deck: Arc<SourceFile>,
    /// `plant.toml`.
    pub plant: Arc<SourceFile>,
    /// `workload.toml`.
    pub workload: Arc<SourceFile>,
}

impl StudyFiles {
    /// Reads the three files in `study_dir`; what they say is not looked at.
    ///
    /// # Errors
    /// One message for each file that is missing or cannot be read; a single one where there is no study at all.
    pub fn read(study_dir: &Path) -> Result<Self, Vec<Diagnostic>> {
        Self::read_what_is_there(study_dir).map_err(|(_, missing)| missing)
    }

    /// The same; beside the messages, those of deck, plant and workload that are there.
    pub(crate) fn read_what_is_there(study_dir: &Path) -> Result<Self, (Present, Vec<Diagnostic>)> {
        let mut missing = Vec::new();
        let present = [DECK, PLANT, WORKLOAD].map(|name| match source(study_dir, name) {
            Ok(source) => Some(source),
            Err(error) => {
                missing.push(*error);
                None
            }
        });
        match present {
            [Some(deck), Some(plant), Some(workload)] => {
                Ok(Self { name: study_name(study_dir), deck, plant, workload })
            }
            [None, None, None] => Err((present, vec![no_study(study_dir)])),
            _ => Err((present, missing)),
        }
    }
}

/// Deck, plant and workload, as far as they can be read.
pub(crate) type Present = [Option<Arc<SourceFile>>; 3];

/// The file `name` of the study.
fn source(study_dir: &Path, name: &str) -> Result<Arc<SourceFile>, Box<Diagnostic>> {
    let path = study_dir.join(name);
    if path.exists() {
        return read_file(&path);
    }
    let message = format!("the study has no {name}");
    let source = SourceFile::new(path.display().to_string(), "");
    let fix = format!("a study is a directory with {DECK}, {PLANT} and {WORKLOAD}");
    Err(Box::new(Diagnostic::error(numbers::NO_STUDY, &source, 0..0, message).fix(fix)))
}

/// The one message for a directory without any of the three files.
fn no_study(study_dir: &Path) -> Diagnostic {
    let name = study_dir.display().to_string();
    let what = if study_dir.is_dir() { "holds no study" } else { "is no directory" };
    let source = SourceFile::new(name.clone(), "");
    Diagnostic::error(numbers::NO_STUDY, &source, 0..0, format!("`{name}` {what}"))
        .fix(format!("give a directory with {DECK}, {PLANT} and {WORKLOAD}"))
}

/// The name of the study: that of its directory, whatever way it was written.
fn study_name(study_dir: &Path) -> String {
    let path: PathBuf = study_dir.canonicalize().unwrap_or_else(|_| study_dir.to_owned());
    path.file_name().map_or_else(|| "study".to_owned(), |name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_texts_are_read_whatever_they_say() {
        let root = tempfile::tempdir().expect("a directory");
        let study = root.path().join("mine");
        std::fs::create_dir(&study).expect("a directory");
        for name in [DECK, PLANT, WORKLOAD] {
            std::fs::write(study.join(name), format!("this is {name}")).expect("a file");
        }
        let files = StudyFiles::read(&study).expect("a study");
        assert_eq!(files.name, "mine");
        assert_eq!(files.deck.text, "this is deck.iocp");
        assert_eq!(files.plant.text, "this is plant.toml");
        assert_eq!(files.workload.text, "this is workload.toml");
        assert!(files.plant.name.ends_with("mine/plant.toml"), "{}", files.plant.name);
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

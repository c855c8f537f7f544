//! The directory that `--out` names: written beside its place and renamed when whole, so that it is there
//! complete or not at all.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use halftrack_output::WholeDirectory;

use super::OutputError;
use crate::run_files::{INTERVALS, REPORT, SUMMARY};
use crate::sweep::{POINTS, POINTS_CSV};

/// Kind of output in a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Run,
    Sweep,
    Study,
}

/// A place for the output of a run or a sweep.
#[derive(Debug)]
pub struct OutputDirectory {
    kind: Kind,
    directory: WholeDirectory,
}

impl OutputDirectory {
    /// Makes the directory `path` for a run, which need not exist; nothing is written yet.
    ///
    /// # Errors
    /// `Occupied` when something else than an earlier output is there, `Output` when that cannot be determined.
    pub fn new(path: &Path) -> Result<Self, OutputError> {
        Self::of(Kind::Run, path)
    }

    /// Makes the directory for a sweep.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn of_sweep(path: &Path) -> Result<Self, OutputError> {
        Self::of(Kind::Sweep, path)
    }

    /// Makes the directory for a study, which replaces nothing.
    ///
    /// # Errors
    /// As [`new`](Self::new); `Occupied` when anything is there but an empty directory.
    pub fn of_study(path: &Path) -> Result<Self, OutputError> {
        Self::of(Kind::Study, path)
    }

    fn of(kind: Kind, path: &Path) -> Result<Self, OutputError> {
        let occupied =
            |reason: &str| OutputError::Occupied { path: path.to_owned(), reason: reason.to_owned() };
        let found = WholeDirectory::new(path);
        let found = found.map_err(|source| OutputError::Output { path: path.to_owned(), source })?;
        let Some(directory) = found else { return Err(occupied("it cannot be renamed")) };
        let directory = Self { kind, directory };
        match directory.foreign() {
            Ok(None) => {
                let no_place = |reason| OutputError::NoFile { path: path.to_owned(), reason };
                directory.directory.can_be_made().map_err(no_place)?;
                Ok(directory)
            }
            Ok(Some(reason)) => Err(occupied(&reason)),
            Err(source) => Err(OutputError::Output { path: path.to_owned(), source }),
        }
    }

    /// Returns the reason why the present contents must not be replaced.
    fn foreign(&self) -> io::Result<Option<String>> {
        let foreign = self.directory.foreign(|name| self.kind.writes(name))?;
        if foreign.is_some() {
            return Ok(foreign);
        }
        let Some(sign) = self.kind.sign() else { return Ok(None) };
        let names = self.directory.names()?;
        let whole = names.is_empty() || names.iter().any(|name| name == sign);
        Ok((!whole).then(|| format!("it has no {sign}")))
    }

    /// Writes `files` (name and text) as the whole content of the directory.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn write_all(&self, files: &[(String, String)]) -> Result<(), OutputError> {
        let files: Vec<(&Path, &str)> =
            files.iter().map(|(name, text)| (Path::new(name), text.as_str())).collect();
        self.write(&files)
    }

    /// Writes `files` (name and text) as the whole content of the directory.
    ///
    /// A run that is killed before the end leaves at most a hidden sibling, which the next run removes.
    ///
    /// # Errors
    /// `Output` when a file or directory cannot be written; the earlier file is then still there.
    pub fn write(&self, files: &[(&Path, &str)]) -> Result<(), OutputError> {
        let place = self.directory.place();
        let written = self.directory.replace(|partial| write_files(partial, files));
        written.map_err(|source| OutputError::Output { path: place.to_owned(), source })
    }
}

impl Kind {
    /// Returns the file by which an earlier output of this kind is recognised; `None` where none may be replaced.
    fn sign(self) -> Option<&'static str> {
        match self {
            Self::Run => Some(INTERVALS),
            Self::Sweep => Some(POINTS),
            Self::Study => None,
        }
    }

    /// Returns true when an output of this kind may have a file `name`.
    fn writes(self, name: &OsStr) -> bool {
        let Some(name) = name.to_str() else { return false };
        let of_kind = match self {
            Self::Run => {
                let reports = name.strip_prefix("rmf-").is_some_and(|rest| rest.ends_with(".txt"));
                reports || [SUMMARY, REPORT].contains(&name)
            }
            Self::Sweep => name.ends_with(".svg") || name == POINTS_CSV,
            Self::Study => false,
        };
        of_kind || Some(name) == self.sign()
    }
}

fn write_files(directory: &Path, files: &[(&Path, &str)]) -> io::Result<()> {
    for (name, text) in files {
        let mut file = File::create_new(directory.join(name))?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn names_in(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn write(place: &Path, text: &str) -> Result<(), OutputError> {
        let files = [(Path::new(INTERVALS), text), (Path::new("rmf-PRD1.txt"), "")];
        OutputDirectory::new(place)?.write(&files)
    }

    fn read(place: &Path) -> String {
        fs::read_to_string(place.join(INTERVALS)).unwrap()
    }

    #[test]
    fn a_new_directory_is_made_with_its_parents_and_nothing_beside_it() {
        let root = tempfile::tempdir().unwrap();
        let place = root.path().join("a/b");
        write(&place, "one").unwrap();
        assert_eq!(names_in(&place), ["intervals.json", "rmf-PRD1.txt"]);
        assert_eq!(names_in(&root.path().join("a")), ["b"]);
    }

    #[test]
    fn an_earlier_output_and_an_empty_directory_are_replaced() {
        let root = tempfile::tempdir().unwrap();
        let place = root.path().join("out");
        fs::create_dir(&place).unwrap();
        write(&place, "one").unwrap();
        fs::write(place.join("rmf-OLD.txt"), "").unwrap();
        write(&place, "two").unwrap();
        assert_eq!((read(&place).as_str(), names_in(root.path())), ("two", vec!["out".to_owned()]));
        assert_eq!(names_in(&place), ["intervals.json", "rmf-PRD1.txt"]);
    }

    #[test]
    fn what_others_wrote_is_left_alone() {
        let root = tempfile::tempdir().unwrap();
        let place = root.path().join("out");
        fs::create_dir(&place).unwrap();
        fs::write(place.join(SUMMARY), "").unwrap();
        let refused = write(&place, "one").unwrap_err().to_string();
        assert!(refused.contains("it has no intervals.json"), "{refused}");
        fs::write(place.join(INTERVALS), "mine").unwrap();
        fs::write(place.join("notes.txt"), "").unwrap();
        let refused = write(&place, "one").unwrap_err().to_string();
        assert!(refused.contains("it holds notes.txt"), "{refused}");
        assert_eq!(read(&place), "mine");
        let refused = write(&place.join("notes.txt"), "one").unwrap_err().to_string();
        assert!(refused.contains("it is not a directory"), "{refused}");
        assert!(matches!(write(Path::new("/"), ""), Err(OutputError::Occupied { .. })));
    }

    #[test]
    fn a_failure_while_writing_leaves_what_was_there_and_nothing_else() {
        let root = tempfile::tempdir().unwrap();
        let place = root.path().join("out");
        write(&place, "one").unwrap();
        let impossible = [(Path::new(INTERVALS), "two"), (Path::new("no/such"), "")];
        let failure = OutputDirectory::new(&place).unwrap().write(&impossible).unwrap_err();
        assert!(matches!(failure, OutputError::Output { .. }), "{failure}");
        assert_eq!((read(&place).as_str(), names_in(root.path())), ("one", vec!["out".to_owned()]));
    }

    #[test]
    fn what_a_killed_run_left_is_cleared() {
        let root = tempfile::tempdir().unwrap();
        let place = root.path().join("out");
        write(&place, "one").unwrap();
        let directory = OutputDirectory::new(&place).unwrap();
        // Killed between its two renames: the earlier output stands aside, the new one is whole.
        fs::rename(&place, directory.directory.sibling("earlier")).unwrap();
        fs::create_dir(directory.directory.sibling("partial")).unwrap();
        let impossible = [(Path::new("no/such"), "")];
        assert!(directory.write(&impossible).is_err());
        assert_eq!((read(&place).as_str(), names_in(root.path())), ("one", vec!["out".to_owned()]));
        // Killed before the earlier output was removed.
        fs::create_dir(directory.directory.sibling("earlier")).unwrap();
        write(&place, "two").unwrap();
        assert_eq!((read(&place).as_str(), names_in(root.path())), ("two", vec!["out".to_owned()]));
    }

    #[test]
    #[cfg(unix)]
    fn a_symbolic_link_stays() {
        let root = tempfile::tempdir().unwrap();
        write(&root.path().join("real"), "one").unwrap();
        std::os::unix::fs::symlink("real", root.path().join("link")).unwrap();
        write(&root.path().join("link"), "two").unwrap();
        assert!(root.path().join("link").is_symlink());
        assert_eq!(read(&root.path().join("real")), "two");
    }
}

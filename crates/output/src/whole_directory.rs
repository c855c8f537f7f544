//! A directory that is written beside its place and renamed when whole.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf, absolute};

use crate::trial::can_have_files;

/// A place for a directory, which need not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WholeDirectory {
    place: PathBuf,
    parent: PathBuf,
    name: OsString,
}

impl WholeDirectory {
    /// Makes the place `path`; `None` where a directory there could not be renamed, as the root. A symbolic link stays: what
    /// it leads to is replaced. Nothing is written.
    ///
    /// # Errors
    /// A path that cannot be made absolute.
    pub fn new(path: &Path) -> io::Result<Option<Self>> {
        let place = fs::canonicalize(path).or_else(|_| absolute(path))?;
        let (Some(parent), Some(name)) = (place.parent(), place.file_name()) else { return Ok(None) };
        let (parent, name) = (parent.to_owned(), name.to_owned());
        Ok(Some(Self { place, parent, name }))
    }

    /// Returns the place.
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// Checks whether it can be created at its place: in the nearest of its parents that exists.
    ///
    /// # Errors
    /// The reason, in words.
    pub fn can_be_made(&self) -> Result<(), String> {
        let there = self.parent.ancestors().find(|parent| parent.exists());
        can_have_files(there.unwrap_or(&self.parent))
    }

    /// Returns the names of what is there, sorted; none where nothing is.
    ///
    /// # Errors
    /// What is there cannot be listed.
    pub fn names(&self) -> io::Result<Vec<OsString>> {
        let entries = match fs::read_dir(&self.place) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut names = entries.map(|entry| Ok(entry?.file_name())).collect::<io::Result<Vec<_>>>()?;
        names.sort();
        Ok(names)
    }

    /// Returns the reason why what is there must not be replaced: no directory, or something in it that is not of those that
    /// `may_be_there`.
    ///
    /// # Errors
    /// What is there cannot be listed.
    pub fn foreign(&self, may_be_there: impl Fn(&OsStr) -> bool) -> io::Result<Option<String>> {
        match self.names() {
            Ok(names) => {
                let foreign = names.iter().find(|name| !may_be_there(name));
                Ok(foreign.map(|name| format!("it holds {}", name.display())))
            }
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
                Ok(Some("it is not a directory".to_owned()))
            }
            Err(error) => Err(error),
        }
    }

    /// Replaces what is there by what `fill` writes into the new directory that it gets.
    ///
    /// A process that is killed before the end leaves at most a hidden sibling, which the next one removes.
    ///
    /// # Errors
    /// Errors of `fill`, and of making and renaming directories; what was there is then still there.
    pub fn replace(&self, fill: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
        fs::create_dir_all(&self.parent)?;
        let parent = File::open(&self.parent)?;
        // Whoever holds the lock owns the hidden siblings. Some network file systems cannot lock a directory;
        // there, two runs must not write to one place at the same moment.
        let _ = parent.lock();
        let (partial, earlier) = (self.sibling("partial"), self.sibling("earlier"));
        let written = self.recover(&partial, &earlier).and_then(|()| {
            fs::create_dir(&partial)?;
            fill(&partial)?;
            self.put(&partial, &earlier)
        });
        // The first error is the one to report.
        written.inspect_err(|_| drop(fs::remove_dir_all(&partial)))
    }

    /// Returns the hidden directory beside the place for `partial` or `earlier` contents.
    pub fn sibling(&self, what: &str) -> PathBuf {
        let mut name = OsString::from(".");
        name.push(&self.name);
        name.push(".halftrack-");
        name.push(what);
        self.parent.join(name)
    }

    /// Clears what a killed run left.
    fn recover(&self, partial: &Path, earlier: &Path) -> io::Result<()> {
        if partial.exists() {
            fs::remove_dir_all(partial)?;
        }
        if earlier.exists() && self.place.exists() {
            fs::remove_dir_all(earlier)?;
        } else if earlier.exists() {
            fs::rename(earlier, &self.place)?;
        }
        Ok(())
    }

    /// Moves `partial` to its place; what is there goes by way of `earlier`.
    fn put(&self, partial: &Path, earlier: &Path) -> io::Result<()> {
        if !self.place.exists() {
            return fs::rename(partial, &self.place);
        }
        fs::rename(&self.place, earlier)?;
        if let Err(error) = fs::rename(partial, &self.place) {
            fs::rename(earlier, &self.place)?;
            return Err(error);
        }
        fs::remove_dir_all(earlier)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_replaced_whole_or_not_at_all() {
        let root = tempfile::tempdir().unwrap();
        let directory = WholeDirectory::new(&root.path().join("a/b")).unwrap().unwrap();
        directory.can_be_made().unwrap();
        let fill = |text: &'static str| move |place: &Path| fs::write(place.join("file"), text);
        directory.replace(fill("one")).unwrap();
        let failed = directory.replace(|place| {
            fs::write(place.join("file"), "two")?;
            Err(io::Error::other("full"))
        });
        assert_eq!(failed.unwrap_err().to_string(), "full");
        assert_eq!(fs::read_to_string(directory.place().join("file")).unwrap(), "one");
        assert_eq!(fs::read_dir(root.path().join("a")).unwrap().count(), 1, "nothing is left beside it");
        directory.replace(fill("three")).unwrap();
        assert_eq!(fs::read_to_string(directory.place().join("file")).unwrap(), "three");
        assert_eq!(WholeDirectory::new(Path::new("/")).unwrap(), None);
    }
}

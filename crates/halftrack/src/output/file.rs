//! One file of output: written beside its place and renamed when whole, so that it is there complete or not at all.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf, absolute};

use halftrack_output::can_have_files;

use super::OutputError;

/// A place for a file.
#[derive(Debug)]
pub struct OutputFile {
    place: PathBuf,
    partial: PathBuf,
}

impl OutputFile {
    /// Makes the file `path`, which need not exist; one that does is replaced. Its directory must exist, and files
    /// can be created in it. Nothing is left there yet.
    ///
    /// # Errors
    /// `NoFile` when `path` cannot name a file, or none can be created there.
    pub fn new(path: &Path) -> Result<Self, OutputError> {
        let no_file = |reason: &str| OutputError::NoFile { path: path.to_owned(), reason: reason.to_owned() };
        if path.is_dir() {
            return Err(no_file("it is a directory"));
        }
        let place = fs::canonicalize(path).or_else(|_| absolute(path));
        let place = place.map_err(|source| OutputError::Output { path: path.to_owned(), source })?;
        let Some(name) = place.file_name() else { return Err(no_file("it has no name")) };
        can_have_files(place.parent().unwrap_or(Path::new("/"))).map_err(|reason| no_file(&reason))?;
        let mut partial = OsString::from(".");
        partial.push(name);
        partial.push(".halftrack-partial");
        let partial = place.with_file_name(partial);
        Ok(Self { place, partial })
    }

    /// Writes `content` as the whole content.
    ///
    /// # Errors
    /// `Output` when it cannot be written; the earlier file is then still there.
    pub fn write(&self, content: impl AsRef<[u8]>) -> Result<(), OutputError> {
        self.write_with(|out| out.write_all(content.as_ref()).map_err(|source| self.failure(source)))
    }

    /// Lets `fill` write the content; what it returns.
    ///
    /// # Errors
    /// The error of `fill`, and `Output` when the file cannot be written; the earlier file is then still there.
    pub fn write_with<R, E: From<OutputError>>(
        &self,
        fill: impl FnOnce(&mut dyn Write) -> Result<R, E>,
    ) -> Result<R, E> {
        // The first error is the one to report.
        self.put(fill).inspect_err(|_| self.give_up())
    }

    fn put<R, E: From<OutputError>>(
        &self,
        fill: impl FnOnce(&mut dyn Write) -> Result<R, E>,
    ) -> Result<R, E> {
        let mut file = self.begin()?;
        let filled = fill(&mut file)?;
        self.finish(file)?;
        Ok(filled)
    }

    /// Begins the content; [`OutputFile::finish`] puts it in place.
    ///
    /// # Errors
    /// `Output` when it cannot be written.
    pub fn begin(&self) -> Result<BufWriter<File>, OutputError> {
        let failed = |source| self.failure(source);
        Ok(BufWriter::new(File::create(&self.partial).map_err(failed)?))
    }

    /// Puts the complete contents in place.
    ///
    /// # Errors
    /// `Output` when it cannot be written; the earlier file is then still there.
    pub fn finish(&self, file: BufWriter<File>) -> Result<(), OutputError> {
        let failed = |source| self.failure(source);
        let file = file.into_inner().map_err(|error| failed(error.into_error()))?;
        file.sync_all().map_err(failed)?;
        fs::rename(&self.partial, &self.place).map_err(failed)
    }

    /// Removes contents that will never be complete.
    pub fn give_up(&self) {
        // Nothing may have been begun.
        let _ = fs::remove_file(&self.partial);
    }

    /// Says that the file cannot be written.
    pub fn failure(&self, source: io::Error) -> OutputError {
        OutputError::Output { path: self.place.clone(), source }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_made_and_replaced_and_nothing_is_left_beside_it() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("a")).unwrap();
        let place = root.path().join("a/report.html");
        for text in ["one", "two"] {
            OutputFile::new(&place).unwrap().write(text).unwrap();
            assert_eq!(fs::read_to_string(&place).unwrap(), text);
        }
        assert_eq!(fs::read_dir(root.path().join("a")).unwrap().count(), 1);
    }

    #[test]
    fn a_directory_is_refused_at_once() {
        let root = tempfile::tempdir().unwrap();
        let refused = OutputFile::new(root.path()).unwrap_err();
        assert!(matches!(refused, OutputError::NoFile { .. }));
        assert!(refused.to_string().ends_with("it is a directory"), "{refused}");
    }

    #[test]
    fn what_cannot_be_written_leaves_nothing() {
        let root = tempfile::tempdir().unwrap();
        let directory = root.path().join("a");
        fs::create_dir(&directory).unwrap();
        let file = OutputFile::new(&directory.join("report.html")).unwrap();
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 0, "nothing is left of the trial");
        // The directory goes while the content is made.
        fs::remove_dir(&directory).unwrap();
        assert!(matches!(file.write("one"), Err(OutputError::Output { .. })));
        assert!(!directory.exists());
    }

    #[test]
    fn a_place_where_no_file_can_be_is_refused_at_once() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("file"), "mine").unwrap();
        for (place, words) in
            [("no/report.html", "is missing; create it first"), ("file/report.html", "is not a directory")]
        {
            let refused = OutputFile::new(&root.path().join(place)).unwrap_err();
            assert!(matches!(refused, OutputError::NoFile { .. }));
            assert!(refused.to_string().contains(words), "{refused}");
        }
        assert!(!root.path().join("no").exists());
        assert_eq!(fs::read_to_string(root.path().join("file")).unwrap(), "mine");
    }
}

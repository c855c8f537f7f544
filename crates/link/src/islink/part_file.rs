//! A file that has another name until it is whole.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use halftrack_volume::sync_directory_of;

/// End of the name of a file that is not whole yet.
const PART: &str = ".part";

/// Returns the name of a file while it is not whole.
pub(super) fn part_of(path: &Path) -> PathBuf {
    let mut part: OsString = path.as_os_str().to_owned();
    part.push(PART);
    part.into()
}

/// Gives a file its name that is whole. It is safe on the disk, and so is its name, when it returns.
///
/// # Errors
/// An error of the operating system.
pub(super) fn complete(file: &File, path: &Path) -> io::Result<()> {
    file.sync_all()?;
    std::fs::rename(part_of(path), path)?;
    sync_directory_of(path)
}

/// Removes what an earlier start of the system has left of a file that is not whole.
///
/// # Errors
/// An error of the operating system.
pub(super) fn remove_part(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(part_of(path)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// A file that is made anew, and is gone when it is dropped before it is whole.
#[derive(Debug)]
pub(super) struct PartFile {
    path: PathBuf,
    file: File,
    is_kept: bool,
}

impl PartFile {
    /// Makes an empty file that is not whole.
    ///
    /// # Errors
    /// An error of the operating system.
    pub fn create(path: &Path) -> io::Result<Self> {
        let file = File::create(part_of(path))?;
        Ok(Self { path: path.to_owned(), file, is_kept: false })
    }

    /// Sets the length of the file, octets.
    ///
    /// # Errors
    /// An error of the operating system.
    pub fn set_len(&self, bytes: u64) -> io::Result<()> {
        self.file.set_len(bytes)
    }

    /// Writes octets at a place.
    ///
    /// # Errors
    /// An error of the operating system.
    pub fn write_at(&self, octets: &[u8], offset: u64) -> io::Result<()> {
        self.file.write_all_at(octets, offset)
    }

    /// Takes it that the file is whole: it is safe on the disk and has its name.
    ///
    /// # Errors
    /// An error of the operating system.
    pub fn keep(mut self) -> io::Result<()> {
        complete(&self.file, &self.path)?;
        self.is_kept = true;
        Ok(())
    }
}

impl Drop for PartFile {
    fn drop(&mut self) {
        if !self.is_kept {
            // Where it cannot be removed, the next start does.
            let _ = std::fs::remove_file(part_of(&self.path));
        }
    }
}

#[test]
fn a_file_has_its_name_when_it_is_whole_and_else_is_gone() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("guest.mem");
    std::fs::write(&path, "before").unwrap();
    let file = PartFile::create(&path).unwrap();
    file.write_at(b"half", 0).unwrap();
    assert!(part_of(&path).exists());
    drop(file);
    assert!(!part_of(&path).exists());
    assert_eq!(std::fs::read(&path).unwrap(), b"before");
    let file = PartFile::create(&path).unwrap();
    file.write_at(b"whole", 0).unwrap();
    file.keep().unwrap();
    assert!(!part_of(&path).exists());
    assert_eq!(std::fs::read(&path).unwrap(), b"whole");
    remove_part(&path).unwrap();
}

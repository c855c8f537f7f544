//! Data to be compressed: a tar of the documentation, headers and Python libraries of this host.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::bench_error::BenchError;

/// Octets of the whole corpus.
pub const WHOLE_BYTES: usize = 100_000_000;
/// Directories of Debian, and the part of the corpus that each has at most, percent (our choice: mostly documentation).
const DIRECTORIES: [(&str, usize); 2] = [("/usr/share/doc", 60), ("/usr/include", 20)];
/// Directories of Python's libraries begin with this. They have the rest.
const PYTHON: &str = "/usr/lib/python3";
/// Fewest octets that are worth a measurement.
const LEAST_BYTES: usize = 1 << 20;

/// Sink that ends when it has so many octets.
struct Limited {
    octets: Vec<u8>,
    limit: usize,
}

impl io::Write for Limited {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        let taken = octets.len().min(self.limit - self.octets.len());
        if taken == 0 && !octets.is_empty() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.octets.extend_from_slice(&octets[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the first octets of the tar, at most `limit`. Where the host has fewer files they are repeated.
///
/// # Errors
/// The host has next to no such files.
pub fn corpus(limit: usize) -> Result<Vec<u8>, BenchError> {
    let mut octets = Vec::with_capacity(limit);
    for (directory, percent) in DIRECTORIES {
        append_part(&mut octets, Path::new(directory), limit * percent / 100);
    }
    for directory in python_directories()? {
        let rest = limit - octets.len();
        append_part(&mut octets, &directory, rest);
    }
    if octets.len() < LEAST_BYTES {
        let directories = DIRECTORIES.map(|(directory, _)| directory).join(", ");
        let none = format!("{directories} and {PYTHON}* have next to no files to be compressed");
        return Err(BenchError::Directory(none));
    }
    let once = octets.len();
    while octets.len() < limit {
        let more = once.min(limit - octets.len());
        octets.extend_from_within(..more);
    }
    Ok(octets)
}

fn python_directories() -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir("/usr/lib")?.collect::<io::Result<Vec<_>>>()?;
    let mut found: Vec<_> = entries.iter().map(fs::DirEntry::path).collect();
    found.retain(|path| path.to_string_lossy().starts_with(PYTHON) && path.is_dir());
    found.sort();
    Ok(found)
}

/// Appends the first octets of a tar of a directory, at most `limit`.
fn append_part(octets: &mut Vec<u8>, directory: &Path, limit: usize) {
    let limit = octets.len() + limit;
    let mut archive = tar::Builder::new(Limited { octets: std::mem::take(octets), limit });
    archive.follow_symlinks(false);
    // It ends with an error when it has as many octets as it may.
    let _ = append(&mut archive, directory);
    *octets = std::mem::take(&mut archive.get_mut().octets);
    // What the archive writes at its end has no room any more, and is no data.
    archive.get_mut().limit = 0;
}

/// Appends the files below a directory in the order of their names.
///
/// # Errors
/// The archive has as many octets as it may.
fn append(archive: &mut tar::Builder<Limited>, directory: &Path) -> io::Result<()> {
    let mut paths: Vec<_> = fs::read_dir(directory)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
        if metadata.is_dir() {
            append(archive, &path)?;
        } else if metadata.is_file() {
            // A file that cannot be read is left out.
            let Ok(mut file) = fs::File::open(&path) else { continue };
            archive.append_file(path.strip_prefix("/").unwrap_or(&path), &mut file)?;
        }
    }
    Ok(())
}

//! Data to be compressed: a tar of the documentation, headers and Python libraries of this host.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::bench_error::BenchError;

/// Octets of the whole corpus.
pub const WHOLE_BYTES: usize = 100_000_000;
/// Directories of Debian with data that every system has more or less of.
const DIRECTORIES: [&str; 3] = ["/usr/share/doc", "/usr/include", "/usr/lib/python3"];
/// Directories of Python's libraries begin with this.
const PYTHON: &str = "/usr/lib/python3.";
/// Fewest octets that say anything.
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
    let sink = Limited { octets: Vec::with_capacity(limit), limit };
    let mut archive = tar::Builder::new(sink);
    archive.follow_symlinks(false);
    for directory in directories()? {
        if append(&mut archive, &directory).is_err() {
            break;
        }
    }
    let mut octets = std::mem::take(&mut archive.get_mut().octets);
    // What the archive writes at its end has no room any more, and is no data.
    archive.get_mut().limit = 0;
    if octets.len() < LEAST_BYTES {
        let directories = DIRECTORIES.join(", ");
        return Err(BenchError::Directory(format!("{directories} have next to no files to be compressed")));
    }
    let once = octets.len();
    while octets.len() < limit {
        let more = once.min(limit - octets.len());
        octets.extend_from_within(..more);
    }
    Ok(octets)
}

fn directories() -> io::Result<Vec<PathBuf>> {
    let mut found: Vec<PathBuf> = DIRECTORIES.iter().map(PathBuf::from).collect();
    for entry in fs::read_dir("/usr/lib")? {
        let path = entry?.path();
        if path.to_string_lossy().starts_with(PYTHON) {
            found.push(path);
        }
    }
    found.retain(|path| path.is_dir());
    found[..].sort();
    Ok(found)
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

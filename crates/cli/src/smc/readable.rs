//! A library that the programs of other users can load, too.

use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// Bit by which others read a file, or reach what is in a directory.
const OTHERS_READ: u32 = 0o004;
const OTHERS_REACH: u32 = 0o001;

/// Returns the library, or a copy in the directory for temporary files where others cannot read it.
///
/// A server that gives up the rights of its starter loads it as another user.
///
/// # Errors
/// The copy cannot be made, or its directory is somebody else's.
pub fn readable_by_all(library: &Path) -> Result<PathBuf, Failure> {
    if is_readable_by_all(library)? {
        return Ok(library.to_owned());
    }
    let user = rustix::process::geteuid().as_raw();
    let directory = std::env::temp_dir().join(format!("halftrack-smc-{user}"));
    match fs::DirBuilder::new().mode(0o755).create(&directory) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error.into()),
        _ => {}
    }
    let found = fs::symlink_metadata(&directory)?;
    if !found.is_dir() || found.uid() != user || found.mode() & 0o022 != 0 {
        let directory = directory.display();
        return Err(Failure::Argument(format!(
            "{directory} is not a directory of this user alone: remove it"
        )));
    }
    let octets = fs::read(library)?;
    let mut hasher = DefaultHasher::new();
    octets.hash(&mut hasher);
    let copy = directory.join(format!("libhalftrack_smc_preload-{:016x}.so", hasher.finish()));
    if fs::read(&copy).ok().as_deref() != Some(&octets) {
        let whole = tempfile::NamedTempFile::new_in(&directory)?;
        fs::write(whole.path(), &octets)?;
        fs::set_permissions(whole.path(), fs::Permissions::from_mode(0o755))?;
        whole.persist(&copy).map_err(|error| error.error)?;
    }
    Ok(copy)
}

fn is_readable_by_all(library: &Path) -> io::Result<bool> {
    if fs::metadata(library)?.mode() & OTHERS_READ == 0 {
        return Ok(false);
    }
    let reach = |directory: &Path| Ok(fs::metadata(directory)?.mode() & OTHERS_REACH != 0);
    library
        .ancestors()
        .skip(1)
        .filter(|directory| !directory.as_os_str().is_empty())
        .map(reach)
        .try_fold(true, |all, one: io::Result<bool>| Ok(all && one?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_in_a_closed_directory_is_copied() {
        let directory = tempfile::tempdir().unwrap();
        let library = directory.path().join("library");
        fs::write(&library, b"a library").unwrap();
        fs::set_permissions(&library, fs::Permissions::from_mode(0o755)).unwrap();
        fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o700)).unwrap();
        let copy = readable_by_all(&library).unwrap();
        assert_ne!(copy, library);
        assert_eq!(fs::read(&copy).unwrap(), b"a library");
        assert!(is_readable_by_all(&copy).unwrap());
        assert_eq!(readable_by_all(&copy).unwrap(), copy);
        fs::remove_file(copy).unwrap();
    }
}

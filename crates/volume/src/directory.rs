//! Directories of files: the names in them are safe when the directory is.

use std::fs::File;
use std::io;
use std::path::Path;

/// Returns the directory of a file.
pub(crate) fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Makes the names in the directory of a file safe: one that was made, renamed or removed stays so.
///
/// # Errors
/// An error of the operating system.
pub fn sync_directory_of(path: &Path) -> io::Result<()> {
    File::open(directory_of(path))?.sync_all()
}

#[test]
fn the_directory_of_a_bare_name_is_the_present_one() {
    assert_eq!(directory_of(Path::new("disk.ckd")), Path::new("."));
    assert_eq!(directory_of(Path::new("a/disk.ckd")), Path::new("a"));
    assert!(sync_directory_of(Path::new("disk.ckd")).is_ok());
    assert!(sync_directory_of(Path::new("no/such/directory/disk.ckd")).is_err());
}

//! Trial of a place before the work whose output goes there.

use std::path::Path;

/// Checks whether files can be created in `directory`: one is, and is removed again.
///
/// # Errors
/// The reason, in words.
pub fn can_have_files(directory: &Path) -> Result<(), String> {
    let shown = directory.display();
    if !directory.exists() {
        return Err(format!("directory {shown} is missing; create it first"));
    }
    if !directory.is_dir() {
        return Err(format!("{shown} is not a directory"));
    }
    let tried = tempfile::Builder::new().prefix(".halftrack-").tempfile_in(directory);
    tried.map(drop).map_err(|error| format!("no file can be created in {shown}: {error}"))
}

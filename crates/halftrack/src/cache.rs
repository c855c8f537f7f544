//! Cache of finished runs from one process to the next.

use std::env;
use std::path::PathBuf;

use halftrack_sweep::Cache;

use crate::MODEL_VERSION;

/// Returns the cache in `directory`, else in that of the user; none without a home directory. A new version of the model
/// runs everything anew.
pub fn run_cache(directory: Option<PathBuf>) -> Cache {
    match directory.or_else(default_directory) {
        Some(directory) => Cache::new(directory, MODEL_VERSION),
        None => Cache::none(),
    }
}

/// Returns `$XDG_CACHE_HOME/halftrack` (XDG Base Directory Specification: absolute, else ignored), `~/.cache/halftrack`.
fn default_directory() -> Option<PathBuf> {
    let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let caches = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    Some(caches.join("halftrack"))
}

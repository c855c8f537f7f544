//! Where finished runs are kept from one command to the next.

use std::env;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use halftrack::MODEL_VERSION;
use halftrack_sweep::Cache;

/// Where finished runs are kept.
#[derive(Debug, Args)]
pub struct CacheArguments {
    /// Keep finished runs in DIR, and reuse them [default: $XDG_CACHE_HOME/halftrack or ~/.cache/halftrack]
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Neither keep nor reuse finished runs
    #[arg(long, conflicts_with = "cache")]
    no_cache: bool,
}

impl CacheArguments {
    /// Opens the requested cache; none where there is no home directory either. A new version of the model runs
    /// everything anew.
    pub fn open(&self) -> Cache {
        let directory = self.cache.clone().or_else(default_directory).filter(|_| !self.no_cache);
        match directory {
            Some(directory) => Cache::new(directory, MODEL_VERSION),
            None => Cache::none(),
        }
    }
}

/// Returns `$XDG_CACHE_HOME/halftrack` (XDG Base Directory Specification: absolute, else ignored), else
/// `~/.cache/halftrack`.
fn default_directory() -> Option<PathBuf> {
    let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let caches = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    Some(caches.join("halftrack"))
}

/// Says on `stderr` how many of `points` runs came from `cache`, and how many could not be kept.
///
/// # Errors
/// When `stderr` cannot be written.
pub fn report_used(cache: &Cache, points: usize, stderr: &mut dyn Write) -> io::Result<()> {
    let Some(place) = cache.place() else { return Ok(()) };
    let place = place.display();
    if cache.found() > 0 {
        writeln!(stderr, "halftrack: {} of {points} runs from the cache {place}", cache.found())?;
    }
    if cache.lost() > 0 {
        writeln!(stderr, "halftrack: {} runs could not be kept in {place}", cache.lost())?;
    }
    Ok(())
}

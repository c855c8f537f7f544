//! Where finished runs are kept from one command to the next.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use halftrack::{Cache, run_cache};

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
    /// Opens the cache; none with `--no-cache` and where no home directory exists.
    pub fn open(&self) -> Cache {
        if self.no_cache { Cache::none() } else { run_cache(self.cache.clone()) }
    }
}

/// Reports on `stderr` how many of `points` runs came from `cache`, and how many could not be kept.
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

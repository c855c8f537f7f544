//! `halftrack zedc run`: a program whose zlib uses the cards.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::PlaceArgument;
use crate::failure::Failure;
use crate::preload::{Preloaded, become_with};

/// Library with zlib's functions that use the cards.
pub const LIBRARY: Preloaded = Preloaded { file: "libz.so", package: "halftrack-zlib" };

/// Words at the end of `halftrack zedc run --help`.
pub const EXAMPLES: &str = "\
The program gets libz.so of this build in place of the system's zlib (LD_PRELOAD), and CPC as the
machine whose cards it uses (HALFTRACK_ZEDC). Streams that a card cannot take are done in software.
Programs with a zlib of their own inside, and setuid programs, do not use it.

Examples:
  halftrack zedc run cpc -- git gc
  halftrack zedc run cpc -- python3 backup.py

Exit codes: those of the program; 1 it cannot be started, 2 bad input.";

/// Arguments of `halftrack zedc run`.
#[derive(Debug, Args)]
pub struct RunArguments {
    #[command(flatten)]
    place: PlaceArgument,
    /// Library, when it is not beside this command
    #[arg(long, value_name = "FILE")]
    library: Option<PathBuf>,
    /// Program and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

/// Becomes the program.
///
/// # Errors
/// It cannot be started, or the library is missing.
pub fn run(arguments: &RunArguments) -> Result<bool, Failure> {
    let place = arguments.place.place()?;
    let library = LIBRARY.find(arguments.library.as_deref())?;
    let directory = place.directory().canonicalize()?;
    Err(become_with(&library, &arguments.program, &[("HALFTRACK_ZEDC", directory.as_os_str())]))
}

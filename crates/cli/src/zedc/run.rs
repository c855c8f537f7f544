//! `halftrack zedc run`: a program whose zlib uses the cards.

use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;

use super::PlaceArgument;
use crate::failure::Failure;

/// Library with zlib's functions that use the cards.
const LIBRARY: &str = "libz.so";

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
    let library = library(arguments.library.as_deref())?;
    let directory = place.directory().canonicalize()?;
    let before = std::env::var_os("LD_PRELOAD").filter(|before| !before.is_empty());
    let preload = before.map_or_else(|| library.clone().into(), |before| joined(&library, &before));
    let [program, rest @ ..] = &arguments.program[..] else {
        return Err(Failure::Argument("no program".to_owned()));
    };
    let error =
        Command::new(program).args(rest).env("LD_PRELOAD", preload).env("HALFTRACK_ZEDC", directory).exec();
    Err(Failure::NoFile { path: program.into(), reason: error.to_string() })
}

fn joined(library: &Path, before: &OsStr) -> OsString {
    let mut all = library.as_os_str().to_owned();
    all.push(":");
    all.push(before);
    all
}

/// Finds the library: the one that is named, or the one beside this command.
///
/// # Errors
/// It is not there.
pub fn library(named: Option<&Path>) -> Result<PathBuf, Failure> {
    let command = std::env::current_exe()?;
    let beside = command.with_file_name(LIBRARY);
    let library = named.unwrap_or(&beside);
    library.canonicalize().map_err(|error| {
        let reason = format!("{error}; `cargo build --profile ship --package halftrack-zlib` makes it");
        Failure::Argument(format!("{}: {reason}", library.display()))
    })
}

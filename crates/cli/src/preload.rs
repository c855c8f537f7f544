//! Libraries that are loaded in front of those of a program.

use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use halftrack::OutputError;

use crate::failure::Failure;

/// Library of this workspace.
#[derive(Debug, Clone, Copy)]
pub struct Preloaded {
    /// Name of its file.
    pub file: &'static str,
    /// Package that makes it.
    pub package: &'static str,
}

impl Preloaded {
    /// Finds the library: the one that is named, or the one beside this command.
    ///
    /// # Errors
    /// It is not there.
    pub fn find(self, named: Option<&Path>) -> Result<PathBuf, Failure> {
        let command = std::env::current_exe()?;
        let beside = command.with_file_name(self.file);
        let library = named.unwrap_or(&beside);
        library.canonicalize().map_err(|error| {
            let reason = format!("{error}; `cargo build --profile ship --package {}` makes it", self.package);
            Failure::Argument(format!("{}: {reason}", library.display()))
        })
    }
}

/// Becomes a program with a library in front of those that are loaded already; returns why that failed.
pub fn become_with(library: &Path, program: &[OsString], variables: &[(&str, &OsStr)]) -> Failure {
    let [program, rest @ ..] = program else {
        return Failure::Argument("no program".to_owned());
    };
    let before = std::env::var_os("LD_PRELOAD").filter(|before| !before.is_empty());
    let preload = before.map_or_else(|| library.as_os_str().to_owned(), |before| joined(library, &before));
    let mut command = Command::new(program);
    command.args(rest).env("LD_PRELOAD", preload).envs(variables.iter().copied());
    OutputError::NoFile { path: program.into(), reason: command.exec().to_string() }.into()
}

fn joined(library: &Path, before: &OsStr) -> OsString {
    let mut all = library.as_os_str().to_owned();
    all.push(":");
    all.push(before);
    all
}

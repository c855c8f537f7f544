//! The decoders, and halftrack.

use std::env;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support;

/// Set to `required` where the decoders must be there.
const REQUIREMENT: &str = "HALFTRACK_TSHARK";

/// Returns true when `tool` runs; prints a message where it does not and need not.
pub fn is_there(tool: &str) -> bool {
    if Command::new(tool).arg("--version").output().is_ok_and(|output| output.status.success()) {
        return true;
    }
    let required = env::var(REQUIREMENT).is_ok_and(|value| value == "required");
    assert!(!required, "{REQUIREMENT}=required, but {tool} does not run");
    // Not `eprintln`, which the harness hides from whoever reads that the tests passed.
    let words = format!("NOT CHECKED: captures beside {tool}, which is not installed\n");
    io::stderr().write_all(words.as_bytes()).expect("standard error");
    false
}

/// Returns the directory of the repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs halftrack.
pub fn halftrack(arguments: &[&str]) -> Output {
    let command = Command::new(support::binary()).args(arguments).output();
    command.expect("halftrack runs")
}

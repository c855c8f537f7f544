//! Tools that tests use where they are installed.

use std::env;
use std::io::{self, Write};
use std::process::Command;

/// Set to `required` where the programs must be there.
const REQUIREMENT: &str = "HALFTRACK_ZLIB_PROGRAMS";

/// Returns whether `tool` can be used; prints a message where it cannot and need not.
pub fn is_there(tool: &str, can_be_used: bool) -> bool {
    if can_be_used {
        return true;
    }
    let required = env::var(REQUIREMENT).is_ok_and(|value| value == "required");
    assert!(!required, "{REQUIREMENT}=required, but {tool} is not there");
    // Not `eprintln`, which the harness hides from whoever reads that the tests passed.
    let words = format!("NOT CHECKED: the library in {tool}, which is not installed\n");
    io::stderr().write_all(words.as_bytes()).expect("standard error");
    false
}

/// Returns whether a command runs.
pub fn runs(tool: &str) -> bool {
    let runs = Command::new(tool).arg("--version").output().is_ok_and(|output| output.status.success());
    is_there(tool, runs)
}

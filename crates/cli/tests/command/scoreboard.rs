//! `halftrack published` over all documents, whose runs are made once for all tests of the process.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::LazyLock;

use crate::support::{code, halftrack, stderr};

/// Directory that keeps the runs, emptied and filled by the first test that needs it.
static KEPT: LazyLock<PathBuf> = LazyLock::new(|| {
    let kept = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("scoreboard");
    if kept.exists() {
        fs::remove_dir_all(&kept).expect("a directory that can be removed");
    }
    let filled = run_kept(&kept, &["--summary"]);
    assert_eq!(code(&filled), 0, "{}", stderr(&filled));
    kept
});

fn run_kept(kept: &Path, arguments: &[&str]) -> Output {
    let kept = kept.to_str().expect("a path in UTF-8");
    halftrack(&[&["published", "--cache", kept], arguments].concat())
}

/// Runs `halftrack published ARGUMENTS`, which ends well.
pub fn scoreboard(arguments: &[&str]) -> Output {
    let output = run_kept(&KEPT, arguments);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    output
}

//! `halftrack published` over all documents, whose runs are made once for all tests of the process.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::LazyLock;

use crate::support::{code, halftrack, stderr};

/// The directory that keeps the runs, emptied and filled by the first test that asks.
static KEPT: LazyLock<PathBuf> = LazyLock::new(|| {
    let kept = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("scoreboard");
    if kept.exists() {
        fs::remove_dir_all(&kept).expect("a directory that can be removed");
    }
    let filled = ask(&kept, &["--summary"]);
    assert_eq!(code(&filled), 0, "{}", stderr(&filled));
    kept
});

fn ask(kept: &Path, arguments: &[&str]) -> Output {
    let kept = kept.to_str().expect("a path in UTF-8");
    halftrack(&[&["published", "--cache", kept], arguments].concat())
}

/// `halftrack published ARGUMENTS`, which ends well.
pub fn scoreboard(arguments: &[&str]) -> Output {
    let output = ask(&KEPT, arguments);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    output
}

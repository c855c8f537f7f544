//! The library as its users call it.

mod cancelled;
mod content_key;
mod loading;
mod packed;
mod published;
mod sweep;
mod threads;

use std::path::{Path, PathBuf};

use halftrack::{LoadOptions, Study};

/// Returns the directory `studies/NAME` of the repository.
fn place(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies").join(name)
}

/// Loads `studies/NAME` with `set`.
fn study(name: &str, set: &[&str]) -> Study {
    let set = set.iter().map(|&text| text.to_owned()).collect();
    Study::load(place(name), &LoadOptions { set, ..LoadOptions::default() }).expect("a study that can be run")
}

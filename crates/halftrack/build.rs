//! The version of the model: a hash of the sources of every crate on which results depend.

use std::fs;
use std::path::{Path, PathBuf};

/// Crates whose code can change a result, below `crates/`.
const CRATES: [&str; 20] = [
    "base",
    "catalog",
    "config",
    "control_unit",
    "deck",
    "engine",
    "exchange",
    "fabric",
    "isfc",
    "machine",
    "plugging",
    "program",
    "record",
    "smcr_twin",
    "subsystem",
    "volume",
    "wire",
    "workload",
    "zedc",
    "zedc_twin",
];

fn main() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for name in CRATES {
        let sources = crates.join(name).join("src");
        println!("cargo::rerun-if-changed={}", sources.display());
        collect(&sources, &mut files);
    }
    files.sort();
    let mut hasher = blake3::Hasher::new();
    for file in &files {
        let text = fs::read(file).expect("a source that can be read");
        let name = file.strip_prefix(&crates).expect("a file below the crates");
        hasher.update(name.to_string_lossy().replace('\\', "/").as_bytes());
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(&text);
    }
    println!("cargo::rustc-env=HALFTRACK_MODEL={}", hasher.finalize().to_hex());
}

/// Adds the Rust sources below `directory` to `files`.
fn collect(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("the sources of a crate beside this one") {
        let path = entry.expect("a directory that can be read").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

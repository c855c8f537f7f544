//! Runs of one key have one record, and runs of unlike records unlike keys.

use std::fs;

use halftrack::{ExchangeMode, Fidelity, LoadOptions, Options, Study, Threads};

use crate::{place, study};

const NAME: &str = "fex32s-zhpf-4k";

#[test]
fn whatever_changes_the_record_changes_the_key() {
    let plain = study(NAME, &[]);
    let options = plain.options();
    let key = plain.content_key(&options);
    for (text, other) in [
        ("seed", Options { seed: options.seed + 1, ..options }),
        ("fidelity", Options { fidelity: Fidelity::Frame, ..options }),
    ] {
        assert_ne!(plain.content_key(&other), key, "{text}");
    }
    for set in ["workload.run.interval_s=0.7", "plant.cable.*.km=1"] {
        assert_ne!(study(NAME, &[set]).content_key(&options), key, "{set}");
    }
}

#[test]
fn whatever_leaves_the_record_leaves_the_key() {
    let plain = study(NAME, &[]);
    let options = plain.options();
    let key = plain.content_key(&options);
    let threads = Options { threads: Threads::Exactly(2), ..options };
    let live = Options { exchange: ExchangeMode::Live, ..options };
    assert_eq!([threads, live].map(|other| plain.content_key(&other)), [key; 2]);
    let directory = tempfile::tempdir().expect("a directory");
    let copy = directory.path().join(NAME);
    fs::create_dir(&copy).expect("a directory");
    for entry in fs::read_dir(place(NAME)).expect("a study") {
        let entry = entry.expect("a file");
        let text = fs::read_to_string(entry.path()).expect("text");
        let comment =
            if entry.path().extension().is_some_and(|end| end == "toml") { "# A remark.\n" } else { "" };
        fs::write(copy.join(entry.file_name()), format!("{comment}{text}")).expect("a copy");
    }
    let commented = Study::load(&copy, &LoadOptions::default()).expect("a study that can be run");
    assert_eq!(commented.content_key(&options), key);
}

/// The version of the model has the sources of every crate that the machine is made of.
#[test]
fn the_version_of_the_model_has_all_crates_of_the_machine() {
    let crates = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let text = |path: &str| std::fs::read_to_string(crates.join(path)).expect("a file of the repository");
    let (manifest, hashed) = (text("machine/Cargo.toml"), text("halftrack/build.rs"));
    let (_, dependencies) = manifest.split_once("[dependencies]\n").expect("a table");
    let own = dependencies.lines().take_while(|line| !line.is_empty());
    for line in own.filter_map(|line| line.strip_prefix("halftrack-")) {
        let name = line.split('.').next().unwrap_or_default().replace('-', "_");
        assert!(hashed.contains(&format!("\"{name}\"")), "{name} changes results and not their version");
    }
}

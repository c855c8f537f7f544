//! `halftrack check` and `--set`.

use serde_json::Value;

use crate::support::{Study, code, reports, stderr, stdout};

const NAME: &str = "fex32s-zhpf-4k";

fn key(study: &Study, arguments: &[&str]) -> String {
    let output = study.halftrack("check", &[&["--json"], arguments].concat());
    assert_eq!((code(&output), stderr(&output)), (0, ""));
    let checked: Value = serde_json::from_str(stdout(&output)).expect("JSON");
    checked["content_key"].as_str().expect("a key").to_owned()
}

#[test]
fn a_study_has_one_key_however_it_is_run() {
    let study = Study::short(NAME);
    let plain = key(&study, &[]);
    assert_eq!(key(&study, &["--threads", "2", "--exchange", "live"]), plain);
    for arguments in [&["--seed", "2"] as &[&str], &["--fidelity", "frame"], &["--set", "plant.cable.*.km=1"]]
    {
        assert_ne!(key(&study, arguments), plain, "{arguments:?}");
    }
    let text = study.halftrack("check", &[]);
    assert!(stdout(&text).contains(&plain), "{}", stdout(&text));
}

#[test]
fn a_study_that_cannot_be_run_is_refused() {
    let study = Study::short(NAME);
    let output = study.halftrack("check", &["--set", "plant.cable.*.km=1,2"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("HTK959E --set:1:1"), "{}", stderr(&output));
    study.edit("plant.toml", |text| text.replacen("km", "kilometres", 1));
    let output = study.halftrack("check", &[]);
    assert_eq!((code(&output), stdout(&output)), (2, ""));
}

/// A key that is set is a key that is written.
#[test]
fn a_run_takes_keys_as_a_sweep_does() {
    let (set, written) = (Study::short(NAME), Study::short(NAME));
    written.edit("workload.toml", |text| text.replacen("seed = 1", "seed = 5", 1));
    assert_eq!(reports(&set, &["--set", "workload.run.seed=5"]), reports(&written, &[]));
    assert_ne!(reports(&set, &[]), reports(&written, &[]));
}

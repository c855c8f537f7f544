//! `--faults`: a script of faults over a study.

use std::fs;

use serde_json::Value;

use crate::support::{Study, code, stderr, stdout};

const SCRIPT: &str = "seed = 12\nduration_s = 0.02\n\n[[event]]\nat_s = 0.006\nlasts_s = 0.01\n\
                      kind = \"channel-lost\"\nchpid = \"40\"\nlate_us = 10\n";

/// Writes `script` beside the study. Returns where.
fn written(study: &Study, script: &str) -> String {
    let path = study.beside("faults.toml");
    fs::write(&path, script).expect("a file");
    path.to_str().expect("a path in UTF-8").to_owned()
}

#[test]
fn a_script_is_a_part_of_the_run_and_of_its_key() {
    let study = Study::short("z16-oltp");
    let script = written(&study, SCRIPT);
    let key = |arguments: &[&str]| {
        let output = study.halftrack("check", &[&["--json"], arguments].concat());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let checked: Value = serde_json::from_str(stdout(&output)).expect("JSON");
        checked["content_key"].as_str().expect("a key").to_owned()
    };
    assert_ne!(key(&["--faults", &script]), key(&[]));
    let with = study.halftrack("run", &["--faults", &script, "--json"]);
    assert_eq!(code(&with), 0, "{}", stderr(&with));
    assert!(stderr(&with).contains("0.006 s to 0.016 s: channel path CSS0.40 is lost"), "{}", stderr(&with));
    let without = study.halftrack("run", &["--json"]);
    assert_ne!(stdout(&with), stdout(&without));
    let failed = |text: &str| {
        let run: Value = serde_json::from_str(text).expect("JSON");
        let streams = run["summary"]["streams"].as_array().expect("streams").clone();
        streams.iter().map(|stream| stream["failed"].as_u64().expect("a count")).sum::<u64>()
    };
    assert_eq!(failed(stdout(&with)), 0, "the other paths carry all");
}

#[test]
fn what_is_wrong_with_a_script_is_shown_with_its_place() {
    let study = Study::short("z16-oltp");
    let late = SCRIPT.replace("0.02", "0.2").replace("0.006", "0.1");
    let reset = "\n[[event]]\nat_s = 0.006\nlasts_s = 0.001\nkind = \"link-reset\"\nchpid = \"40\"\n";
    let script = written(&study, &format!("{late}{reset}"));
    let output = study.halftrack("run", &["--faults", &script]);
    assert_eq!((code(&output), stdout(&output)), (2, ""));
    for part in ["HTK996E", "faults.toml:5:8", "HTK925E", "faults.toml:14:8", "take one of frames-dropped"] {
        assert!(stderr(&output).contains(part), "{part}: {}", stderr(&output));
    }
    let missing = study.halftrack("run", &["--faults", "/nowhere/faults.toml"]);
    assert_eq!(code(&missing), 2);
    assert!(stderr(&missing).contains("HTK890E"), "{}", stderr(&missing));
}

#[test]
fn a_display_shows_the_path_that_is_lost() {
    let study = Study::short("z16-oltp");
    let script = written(&study, SCRIPT);
    let path_online = |at_s: &str| {
        let output = study.halftrack("display", &["D M=DEV(1000)", "--at", at_s, "--faults", &script]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let line = stdout(&output).lines().find(|line| line.starts_with("PATH OPERATIONAL"));
        line.expect("a line").split_whitespace().skip(2).map(str::to_owned).collect::<String>()
    };
    assert_eq!(path_online("0.01"), "NYYYYYYY");
    assert_eq!(path_online("0.018"), "YYYYYYYY");
}

//! `halftrack run --data real`: the same times, data that arrive as they were sent, and damage that is found.

use std::fs;

use serde_json::Value;

use crate::support::{Study, code, number, reports, stderr, stdout};

/// Returns `intervals.json` and `summary.txt` of one run.
fn output(study: &Study, arguments: &[&str]) -> (String, String) {
    let out = study.beside("out");
    let place = ["--out", out.to_str().expect("path")];
    let output = study.halftrack("run", &[&place, arguments].concat());
    assert_eq!((code(&output), stderr(&output)), (0, ""), "{arguments:?}");
    let read = |name: &str| fs::read_to_string(out.join(name)).expect("text");
    (read("intervals.json"), read("summary.txt"))
}

#[test]
fn times_are_the_same_to_the_picosecond_and_data_are_compared() {
    let study = Study::short("z16-oltp");
    let (lengths, silent) = output(&study, &[]);
    assert!(!silent.contains("data:"), "{silent}");
    let (real, summary) = output(&study, &["--data", "real"]);
    let without_data = |text: &str| {
        let mut intervals: Value = serde_json::from_str(text).expect("JSON");
        intervals["run"].as_object_mut().expect("a run").remove("data");
        intervals
    };
    assert!(without_data(&real) == without_data(&lengths), "intervals.json differs in more than the data");
    let line = summary.lines().last().expect("a line for the data");
    assert!(line.starts_with("data: ") && line.ends_with("; all as they must be"), "{line}");
    study.edit("workload.toml", |text| text.replace("[run]", "[run]\ndata = \"real\""));
    assert!(output(&study, &[]) == (real, summary), "the workload can ask for it too");
    assert!(output(&study, &["--data", "lengths"]) == (lengths, silent), "and the command line may not");
}

#[test]
fn injected_corruption_is_reported_exactly() {
    let study = Study::short("fex32s-zhpf-4k");
    let found = reports(&study, &["--data", "real", "--inject-corruption", "3"]);
    assert_eq!(number(&found, "/summary/data/corrupted"), 3.0);
    assert_eq!(found["summary"]["data"]["corrupt"].as_array().map(Vec::len), Some(3));
    let text = study.halftrack("run", &["--data", "real", "--inject-corruption", "1"]);
    assert_eq!(code(&text), 0);
    assert!(stdout(&text).contains("; 1 WRONG\n  an octet of 1 I/Os was changed on the way\n  device "));
}

#[test]
fn lengths_cannot_be_corrupted() {
    let study = Study::short("fex32s-zhpf-4k");
    let refused = study.halftrack("run", &["--inject-corruption", "1"]);
    assert_eq!(code(&refused), 2);
    assert!(stderr(&refused).contains("add --data real"), "{}", stderr(&refused));
}

#[test]
fn corruption_that_never_came_to_pass_does_not_hold() {
    let study = Study::short("fex32s-zhpf-4k");
    let missed = study.halftrack("run", &["--data", "real", "--inject-corruption", "4000000"]);
    assert_eq!(code(&missed), 1);
    assert!(stderr(&missed).contains("of 4000000 requested"), "{}", stderr(&missed));
}

//! A study whose stream follows a recorded trace.

use std::fs;

use serde_json::Value;

use crate::support::{Study, code, stderr, stdout};

const TRACE: &str = "io.csv";

/// Makes the study, measured from its first I/O to its last and no further.
fn once() -> Study {
    let study = Study::copy("recorded-trace");
    study.edit("workload.toml", |text| {
        text.replace("warmup_s = 0.1", "warmup_s = 0").replace("repeat = true\n", "")
    });
    study
}

fn intervals(study: &Study) -> Value {
    let out = study.beside("out");
    let output = study.halftrack("run", &["--out", out.to_str().expect("path")]);
    assert_eq!((code(&output), stderr(&output)), (0, ""));
    let text = fs::read_to_string(out.join("intervals.json")).expect("text");
    serde_json::from_str(&text).expect("JSON")
}

/// Reads of the trace, and those whose track is among the last `tracks` different ones.
fn reads_and_hits(study: &Study, tracks: usize) -> (u64, u64) {
    let text = fs::read_to_string(study.path().join(TRACE)).expect("the trace");
    let (mut recent, mut reads, mut hits) = (Vec::<String>::new(), 0, 0);
    for row in text.lines().skip(2) {
        let columns: Vec<&str> = row.split(',').collect();
        let track = format!("{} {}", columns[1], columns[2]);
        let at = recent.iter().position(|one| *one == track);
        if columns[3] == "read" {
            reads += 1;
            hits += u64::from(at.is_some());
        }
        at.map(|at| recent.remove(at));
        recent.insert(0, track);
        recent.truncate(tracks);
    }
    (reads, hits)
}

/// The cache of the box finds what a list of the tracks last used finds.
#[test]
fn the_cache_is_a_real_lru_over_the_trace() {
    let study = once();
    for tracks in [0, 3, 12, 100] {
        let (reads, hits) = reads_and_hits(&study, tracks);
        if tracks > 0 {
            study.rewrite("plant.toml", |text| {
                let (before, after) = text.split_once("cache_tracks = ").expect("a size");
                let rest = after.split_once('\n').expect("a line").1;
                format!("{before}cache_tracks = {tracks}\n{rest}")
            });
            let run = intervals(&study);
            let cache = &run["run"]["intervals"][0]["caches"][0];
            assert_eq!(
                (cache["reads"].as_u64(), cache["read_hits"].as_u64()),
                (Some(reads), Some(hits)),
                "{tracks}"
            );
        }
    }
    let (reads, few) = reads_and_hits(&study, 3);
    let (_, many) = reads_and_hits(&study, 100);
    assert!(few < many && many < reads, "the trace tells sizes apart: {few} and {many} of {reads}");
}

#[test]
fn every_row_is_run_and_those_that_repeat_go_on() {
    let run = intervals(&once());
    let rows = fs::read_to_string(once().path().join(TRACE)).expect("the trace").lines().count() as u64 - 2;
    assert_eq!(run["run"]["streams"][0]["completed"].as_u64(), Some(rows));
    let again = intervals(&Study::copy("recorded-trace"));
    let completed = again["run"]["streams"][0]["completed"].as_u64().expect("a count");
    assert!(completed > 20 * rows, "{completed}");
}

#[test]
fn what_is_wrong_with_a_trace_is_said_with_its_line_and_column() {
    let study = once();
    study.edit(TRACE, |text| text.replacen(",1001,", ",1801,", 1));
    let output = study.halftrack("run", &[]);
    assert_eq!(code(&output), 2);
    let said = stderr(&output);
    assert!(said.contains("HTK947E") && said.contains("io.csv:4:5"), "{said}");
    assert!(said.contains("device 1801 is none of stream RECORDED"), "{said}");
}

#[test]
fn a_trace_has_no_octets_to_compare() {
    let output = once().halftrack("run", &["--data", "real"]);
    assert_eq!(code(&output), 2);
    assert!(
        stderr(&output).contains("stream RECORDED follows a trace, which has no octets"),
        "{}",
        stderr(&output)
    );
}

/// Two traces beside each other, swept over, and one of them changed between two sweeps: nothing kept is believed.
#[test]
fn a_sweep_goes_over_traces_and_is_not_fooled_by_what_was_kept() {
    let study = once();
    let kept = study.beside("kept");
    let activities = || {
        let set = "workload.stream.RECORDED.trace=io.csv,other.csv";
        let cache = kept.to_str().expect("path");
        let output =
            study.halftrack("sweep", &["--set", set, "--y", "activity_per_s", "--cache", cache, "--json"]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let points: Value = serde_json::from_str(stdout(&output)).expect("JSON");
        let value = |at: usize| points["points"][at]["values"]["activity_per_s"].as_f64().expect("a rate");
        ((value(0), value(1)), stderr(&output).to_owned())
    };
    let other = |rows: usize| {
        let rows: String = (0..rows).map(|at| format!("{at},1000,0,read,4096\n")).collect();
        fs::write(study.path().join("other.csv"), format!("at_us,device,track,op,bytes\n{rows}"))
            .expect("a file");
    };
    let rows = fs::read_to_string(study.path().join(TRACE)).expect("the trace").lines().count() as f64 - 2.0;
    other(100);
    assert_eq!(activities(), ((rows, 100.0), String::new()));
    let ((again, same), said) = activities();
    assert_eq!((again, same), (rows, 100.0));
    assert!(said.starts_with("halftrack: 2 of 2 runs from the cache "), "{said}");
    other(200);
    let ((again, more), said) = activities();
    assert_eq!((again, more), (rows, 200.0));
    assert!(!said.starts_with("halftrack: 2 of 2"), "{said}");
}

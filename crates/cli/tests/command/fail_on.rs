//! `--fail-on`: scripts learn by exit code 3 what a run showed, after everything was printed.

use std::fs;

use crate::support::{Study, code, names_in, stderr, stdout};

/// Makes one stream at `rate_per_s` on a channel that can do 302,000 of its reads a second.
fn open(rate_per_s: u32) -> Study {
    let study = Study::short("fex32s-zhpf-4k");
    study.edit("workload.toml", |text| {
        let lines = text.lines().map(|line| match line.contains("closed") {
            true => format!("open = {{ rate_per_s = {rate_per_s} }}"),
            false => line.to_owned(),
        });
        lines.collect::<Vec<_>>().join("\n") + "\n"
    });
    study
}

#[test]
fn each_condition_has_its_exit_code_only_where_it_is_asked_for() {
    let study = open(400_000);
    for (conditions, words) in [
        (&["--fail-on", "overload"] as &[&str], &["--fail-on overload: OVERLOADED: READ4K "] as &[&str]),
        (&["--fail-on", "guideline"], &["--fail-on guideline: channel 0.40 "]),
        (&["--fail-on", "overload,law,guideline"], &["--fail-on overload: ", "--fail-on guideline: "]),
        (&["--fail-on", "law", "--fail-on", "overload"], &["--fail-on overload: "]),
    ] {
        let output = study.halftrack("run", conditions);
        assert_eq!(code(&output), 3, "{conditions:?}: {}", stderr(&output));
        assert!(stdout(&output).contains("\nbottleneck: "), "all was printed");
        for words in words {
            assert!(stderr(&output).contains(&format!("halftrack: {words}")), "{words}: {}", stderr(&output));
        }
    }
    for conditions in [&[] as &[&str], &["--fail-on", "law"]] {
        assert_eq!(code(&study.halftrack("run", conditions)), 0, "{conditions:?}");
    }
}

#[test]
fn a_sweep_fails_on_the_points_to_which_a_condition_applies() {
    let study = open(50_000);
    let sweep = |rates: &str, conditions: &[&str]| {
        let rates = format!("workload.stream.READ4K.open.rate_per_s={rates}");
        study.halftrack("sweep", &[&["--set", &rates, "--no-cache"], conditions].concat())
    };
    for (condition, at, words) in [
        ("overload", "at workload.stream.READ4K.open.rate_per_s=400000:", "OVERLOADED: READ4K "),
        ("guideline", "at workload.stream.READ4K.open.rate_per_s=200000:", "channel 0.40 "),
    ] {
        let output = sweep("50000,200000,400000", &["--fail-on", condition]);
        assert_eq!(code(&output), 3, "{condition}: {}", stderr(&output));
        assert_eq!(stdout(&output).lines().count(), 4, "the table was printed: {}", stdout(&output));
        let said = stderr(&output);
        let (_, after) = said.split_once(&format!("halftrack: {at}\n")).expect("the point");
        assert!(after.starts_with(&format!("halftrack: --fail-on {condition}: {words}")), "{said}");
        assert!(!said.contains("halftrack: at workload.stream.READ4K.open.rate_per_s=50000:"), "{said}");
    }
    assert_eq!(code(&sweep("50000", &["--fail-on", "overload,guideline,law"])), 0);
    assert_eq!(code(&sweep("400000", &[])), 0);
}

#[test]
fn a_run_to_which_none_applies_is_fine() {
    let output = open(50_000).halftrack("run", &["--fail-on", "overload,guideline,law"]);
    assert_eq!((code(&output), stderr(&output)), (0, ""));
}

#[test]
fn an_unknown_condition_is_bad_input() {
    let output = open(50_000).halftrack("run", &["--fail-on", "rain"]);
    assert_eq!((code(&output), stdout(&output)), (2, ""));
    assert!(stderr(&output).contains("[possible values: overload, guideline, law]"), "{}", stderr(&output));
}

/// A law is violated in a run that was kept, whose file is changed for it.
#[test]
fn a_violated_law_is_a_failure_or_a_condition() {
    let study = Study::short("fex32s-zhpf-4k");
    let cache = study.beside("cache");
    let sweep = |more: &[&str]| {
        let common =
            ["--set", "workload.stream.READ4K.closed.jobs=1", "--cache", cache.to_str().expect("UTF-8")];
        study.halftrack("sweep", &[&common[..], more].concat())
    };
    let all = ["--fail-on", "law,overload,guideline"];
    assert_eq!(code(&sweep(&all)), 0, "one job breaks nothing");
    for name in names_in(&cache) {
        let kept = fs::read_to_string(cache.join(&name)).expect("a run");
        let (_, body) = kept.split_once('\n').expect("a hash and a run");
        let body = body.replacen("\"violations\": []", "\"violations\": [\"a credit leaked\"]", 1);
        let text = format!("{}\n{body}", blake3::hash(body.as_bytes()).to_hex());
        fs::write(cache.join(&name), text).expect("written");
    }
    for (more, expected) in [(&[] as &[&str], 1), (&["--fail-on", "overload"], 1), (&all, 3)] {
        let output = sweep(more);
        assert_eq!(code(&output), expected, "{}", stderr(&output));
        assert!(stderr(&output).contains("a credit leaked"), "{}", stderr(&output));
        assert!(stdout(&output).contains("rate_per_s"), "the table was printed");
    }
}

//! `--precision` and `--warmup auto`: the messages of the run, and its exit code in each case.

use serde_json::Value;

use crate::support::{Study, code, number, reports, stderr, stdout};

#[test]
fn a_precision_within_reach_is_reached_and_said() {
    let study = Study::short("fex32s-zhpf-4k");
    let output = study.halftrack("run", &["--precision", "2%", "--confidence", "90%"]);
    assert_eq!((code(&output), stderr(&output)), (0, ""));
    let said = "\nprecision: 2 % at 90 % confidence reached after 0.0";
    assert!(stdout(&output).contains(said), "{}", stdout(&output));
    let object = reports(&study, &["--precision", "2%"]);
    let rate = |member: &str| number(&object, &format!("/summary/streams/0/rate_per_s/{member}"));
    assert!(rate("half_width") <= 0.02 * rate("mean"));
    assert_eq!(rate("confidence"), 0.95);
    assert_eq!(object.pointer("/summary/precision/missed"), Some(&Value::Array(Vec::new())));
}

#[test]
fn a_precision_out_of_reach_is_no_error_but_said_twice() {
    let study = Study::short("z16-oltp");
    let output = study.halftrack("run", &["--precision", "0.001%", "--at-most", "1"]);
    assert_eq!(code(&output), 0);
    let said = "precision: 0.001 % at 95 % confidence NOT REACHED after 0.010 s, the most allowed: ";
    assert!(stderr(&output).starts_with(&format!("halftrack: {said}")), "{}", stderr(&output));
    assert!(stdout(&output).contains(said));
}

#[test]
fn warm_up_is_looked_for_by_the_workload_or_the_command_line() {
    let study = Study::short("fex32s-zhpf-4k");
    let asked = study.halftrack("run", &["--warmup", "auto"]);
    assert_eq!((code(&asked), stderr(&asked)), (0, ""));
    assert!(stdout(&asked).contains("\nwarm-up: 0.0"), "{}", stdout(&asked));
    study.edit("workload.toml", |text| text.replace("warmup_s = 0.005", "warmup_s = \"auto\""));
    let said = study.halftrack("run", &[]);
    assert_eq!(stdout(&said), stdout(&asked));
    let given = reports(&study, &["--warmup", "0.002"]);
    assert_eq!(number(&given, "/summary/warmup/discarded_ps"), 2e9);
    assert_eq!(given.pointer("/summary/warmup/detected"), Some(&Value::Null));
}

#[test]
fn what_is_no_precision_is_bad_input() {
    let study = Study::short("fex32s-zhpf-4k");
    for (arguments, expected) in [
        (&["--precision", "1000"] as &[&str], "expected 0.001% to 50%, such as 1% or 0.01"),
        (&["--precision", "1%", "--confidence", "1"], "expected 0.5 to 0.999, such as 0.95 or 95%"),
        (&["--confidence", "0.9"], "--precision <SHARE>"),
        (&["--precision", "1%", "--at-most", "0"], "0 is not in 1..=1000000"),
        (&["--warmup", "long"], "expected \"auto\" or seconds from 0 to 86400, such as 0.1"),
    ] {
        let output = study.halftrack("run", arguments);
        assert_eq!(code(&output), 2, "{arguments:?}");
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
        assert_eq!(stdout(&output), "");
    }
}

#[test]
fn a_run_that_may_last_for_ever_is_refused() {
    let study = Study::short("fex32s-zhpf-4k");
    study.edit("workload.toml", |text| text.replace("interval_s = 0.01", "interval_s = 86400"));
    let output = study.halftrack("run", &["--precision", "1%"]);
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    assert!(stderr(&output).contains("of at most 2592000 s"), "{}", stderr(&output));
}

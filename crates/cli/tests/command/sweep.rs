//! `halftrack sweep`: tables, files, bad points, and sweeps that were stopped.

use std::fs;
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

use crate::support::{self, Study, code, names_in, stderr, stdout};

const JOBS: &str = "workload.stream.READ4K.closed.jobs";

fn study() -> Study {
    Study::short("fex32s-zhpf-4k")
}

/// Runs the command with its cache beside the study.
fn sweep(study: &Study, arguments: &[&str]) -> Output {
    let cache = study.beside("cache");
    let cache = ["--cache", cache.to_str().expect("a path in UTF-8")];
    study.halftrack("sweep", &[cache.as_slice(), arguments].concat())
}

fn json(output: &Output) -> Value {
    serde_json::from_str(stdout(output)).expect("JSON")
}

#[test]
fn a_table_has_a_line_for_every_combination() {
    let study = study();
    let set = format!("{JOBS}=1,4");
    let output =
        sweep(&study, &["--set", &set, "--set", "plant.cable.*.km=0,10", "--set", "workload.run.seed=7"]);
    assert_eq!((code(&output), stderr(&output)), (0, ""));
    let lines: Vec<&str> = stdout(&output).lines().collect();
    assert_eq!(lines[..2], ["workload.run.seed = 7", ""]);
    assert!(
        lines[2]
            .starts_with(&format!("{JOBS}  plant.cable.*.km  rate_per_s  response_ms  mb_per_s  bottleneck"))
    );
    assert_eq!(lines.len(), 7, "{lines:#?}");
    assert!(lines[3].ends_with("channel CSS0.40 processor"), "{lines:#?}");
    let points = json(&sweep(&study, &["--set", &set, "--json"]));
    let rate = |point: usize| points["points"][point]["values"]["rate_per_s"].as_f64().expect("a rate");
    assert!(rate(1) > 3.0 * rate(0), "{points:#}");
    assert_eq!(points["points"][1]["set"][JOBS], "4");
}

#[test]
fn files_are_the_same_whatever_the_threads_and_the_cache() {
    let study = study();
    let set = format!("{JOBS}=1..8*2");
    let common =
        ["--set", &set, "--set", "plant.cable.*.km=0,10", "--y", "rate_per_s,channel_processor_percent:0.40"];
    let written = |name_of: &str, more: &[&str]| {
        let out = study.beside(name_of);
        let out = out.to_str().expect("a path in UTF-8");
        let output = sweep(&study, &[common.as_slice(), &["--out", out], more].concat());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let read = |name: String| (fs::read(study.beside(name_of).join(&name)).expect("a file"), name);
        (names_in(&study.beside(name_of)).into_iter().map(read).collect::<Vec<_>>(), output)
    };
    let (one, _) = written("one", &["--threads", "1"]);
    let names: Vec<&str> = one.iter().map(|(_, name)| name.as_str()).collect();
    assert_eq!(names, ["channel_processor_percent-0.40.svg", "points.csv", "points.json", "rate_per_s.svg"]);
    let (again, output) = written("one", &["--threads", "2"]);
    assert!(stderr(&output).starts_with("halftrack: 8 of 8 runs from the cache "), "{}", stderr(&output));
    fs::remove_dir_all(study.beside("cache")).expect("the cache");
    let (anew, output) = written("two", &["--threads", "2"]);
    assert_eq!(stderr(&output), "");
    assert!(one == again && one == anew);
}

#[test]
fn sets_in_step_are_one_curve_and_published_values_are_marked() {
    let study = study();
    let steps = format!("{JOBS}=1,2,4; plant.cable.*.km=0,10,20");
    let picture = |name: &str, more: &[&str]| {
        let out = study.beside(name);
        let common = ["--set", &steps, "--y", "response_ms", "--out", out.to_str().expect("a path in UTF-8")];
        let output = sweep(&study, &[common.as_slice(), more].concat());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert_eq!(stdout(&output).lines().count(), 4);
        let name = names_in(&out).into_iter().find(|name| name.ends_with(".svg")).expect("a picture");
        (fs::read_to_string(out.join(&name)).expect("a picture"), name)
    };
    let dressed = ["--x", "rate_per_s", "--x-label", "I/Os a second", "--title", "Of one channel"];
    let (svg, name) =
        picture("curve", &[&dressed[..], &["--mark", "9000=0.2", "--guideline", "1=slow"]].concat());
    assert_eq!(name, "response_ms.svg");
    for words in ["Of one channel", "I/Os a second", "response_ms (ms)", "simulated", "published", "slow"] {
        assert!(svg.contains(&format!("\n{words}\n")), "{words}");
    }
    assert!(
        !picture("plain", &["--x", "rate_per_s"]).0.contains("simulated"),
        "a single curve needs no name"
    );
    let (svg, name) = picture("parts", &["--parts", "--y", "pend_ms"]);
    assert_eq!(name, "parts.svg");
    assert!(svg.contains("\n4, 20\n") && svg.contains("\npend_ms\n"), "{svg}");
}

#[test]
fn bars_stand_at_names_and_an_earlier_sweep_stands_beside() {
    let study = study();
    let out = |name: &str| study.beside(name).to_str().expect("a path in UTF-8").to_owned();
    let (near, far) = (out("near"), out("far"));
    let blocks = "workload.stream.READ4K.program.records=1,4";
    let output = sweep(&study, &["--set", blocks, "--y", "mb_per_s", "--out", &near]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let beside = format!("near={near}");
    let common = ["--set", blocks, "--set", "plant.cable.*.km=10", "--out", &far, "--beside", &beside];
    let drawn = |more: &[&str]| {
        let output = sweep(&study, &[&common[..], more].concat());
        (code(&output), stderr(&output).to_owned())
    };
    let dressed = ["--y", "mb_per_s", "--bars", "--x-names", "4 KiB,16 KiB", "--mark", "16 KiB=1000"];
    assert_eq!(drawn(&[&dressed[..], &["--names", "far,close"]].concat()).0, 0);
    let svg = fs::read_to_string(study.beside("far").join("mb_per_s.svg")).expect("a picture");
    for words in ["far", "close", "4 KiB", "16 KiB", "published"] {
        assert!(svg.contains(&format!("\n{words}\n")), "{words}");
    }
    let (_, said) = drawn(&[&dressed[..], &["--names", "far"]].concat());
    assert!(said.contains("--names: 1 given, 2 needed: simulated; near"), "{said}");
    let (_, said) = drawn(&["--y", "mb_per_s", "--bars", "--mark", "8=1"]);
    assert!(said.contains("--mark: `8` is not on the x axis, which has 1; 4"), "{said}");
    let (_, said) = drawn(&["--y", "pend_ms"]);
    assert!(said.contains("it has no quantity pend_ms: add it to the --y of that sweep"), "{said}");
    let (refused, said) = drawn(&["--y", "mb_per_s", "--beside", "x=nowhere"]);
    assert_eq!(refused, 2);
    assert!(said.contains("--beside nowhere/points.json"), "{said}");
}

#[test]
fn pictures_that_cannot_be_are_refused_before_anything_runs() {
    let study = study();
    let refused = |arguments: &[&str]| {
        let output = sweep(&study, &[&["--set", "plant.cable.*.km=0,10"], arguments].concat());
        assert_eq!((code(&output), stdout(&output)), (2, ""), "{arguments:?}");
        stderr(&output).to_owned()
    };
    assert!(refused(&["--mark", "0=1"]).contains("are for one picture: name one quantity with --y"));
    assert!(refused(&["--y", "pend_ms", "--mark", "0"]).contains("write X=Y, such as 18000=0.3"));
    assert!(refused(&["--parts", "--y", "pend_ms,rate_per_s"]).contains("quantities of one unit"));
    assert!(refused(&["--parts"]).contains("--y"));
    assert!(refused(&["--x", "speed"]).contains("neither a quantity nor a key of this sweep"));
    assert!(refused(&["--set", "workload.run.seed=1;plant.card.0.type=a,b"]).contains("HTK958E"));
}

#[test]
fn a_bad_point_is_told_and_the_others_are_there() {
    let study = study();
    let output = sweep(&study, &["--set", &format!("{JOBS}=1,none,0,2")]);
    assert_eq!(code(&output), 1);
    let said = stderr(&output);
    assert!(said.contains(&format!("halftrack: cannot run {JOBS}=none:\nHTK893E")), "{said}");
    assert!(said.contains(&format!("workload.toml [{JOBS}=0]:")), "{said}");
    let failed: Vec<bool> = stdout(&output).lines().skip(1).map(|line| line.ends_with("failed")).collect();
    assert_eq!(failed, [false, true, true, false]);
}

#[test]
fn a_wrong_key_is_reported_once_with_the_one_that_was_meant() {
    let study = study();
    for (key, meant) in [
        ("workload.stream.READ4J.closed.jobs", "did you mean `READ4K`?"),
        ("workload.stream.READ4K.closed.job", "did you mean `jobs`?"),
    ] {
        let output = sweep(&study, &["--set", &format!("{key}=1,2,3,4,5")]);
        assert_eq!(code(&output), 2);
        let said = stderr(&output);
        assert_eq!((said.matches("cannot run").count(), said.matches(meant).count()), (1, 1), "{said}");
    }
}

#[test]
fn what_is_only_not_supported_is_run_and_told() {
    let study = study();
    for _ in ["simulated", "from the cache"] {
        let output = sweep(&study, &["--set", "plant.cable.*.km=0.1,120", "--y", "rate_per_s"]);
        assert_eq!(code(&output), 0);
        assert_eq!(stderr(&output).matches("HTK931W").count(), 1, "{}", stderr(&output));
        assert!(stderr(&output).contains("[plant.cable.*.km=120]"), "{}", stderr(&output));
    }
}

#[test]
fn nothing_that_can_start_is_bad_input() {
    let study = study();
    let refused = |arguments: &[&str]| {
        let output = sweep(&study, arguments);
        assert_eq!((code(&output), stdout(&output)), (2, ""), "{arguments:?}");
        stderr(&output).to_owned()
    };
    assert!(refused(&["--set", "workload.stream.X.closed.jobs=1,2"]).contains("fix: there is READ4K"));
    assert!(refused(&["--set", "jobs=1"]).contains("HTK950E --set:1:1 `jobs` is no file of a study"));
    assert!(refused(&["--set", &format!("{JOBS}=")]).contains("a value is empty"));
    assert!(
        refused(&["--set", &format!("{JOBS}=1"), "--y", "speed"]).contains("no quantity is called \"speed\"")
    );
    assert!(refused(&["--set", &format!("{JOBS}=1"), "--x", "plant.x"]).contains("nor a key of this sweep"));
    assert!(refused(&[]).contains("--set <KEY=VALUES>"));
    fs::remove_file(study.path().join("plant.toml")).expect("the plant");
    assert!(refused(&["--set", &format!("{JOBS}=1")]).contains("the study has no plant.toml"));
}

#[test]
fn a_quantity_that_no_run_has_is_told() {
    let study = study();
    let output = sweep(&study, &["--set", &format!("{JOBS}=1"), "--y", "rate_per_s:READ8K"]);
    assert_eq!(code(&output), 1);
    assert!(stderr(&output).contains("the run has no stream \"READ8K\""), "{}", stderr(&output));
}

#[test]
fn only_the_output_of_an_earlier_sweep_is_replaced() {
    let study = study();
    let out = study.beside("out");
    let out_text = out.to_str().expect("a path in UTF-8");
    assert_eq!(code(&study.halftrack("run", &["--out", out_text])), 0);
    let output = sweep(&study, &["--set", &format!("{JOBS}=1"), "--out", out_text]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("is not an output directory"), "{}", stderr(&output));
    assert!(names_in(&out).contains(&"intervals.json".to_owned()));
}

#[test]
fn a_sweep_that_was_killed_goes_on_where_it_was() {
    let study = Study::copy("fex32s-zhpf-4k");
    let cache = study.beside("cache");
    let entries = || {
        let names = if cache.exists() { names_in(&cache) } else { Vec::new() };
        names.iter().filter(|name| name.ends_with(".json")).count()
    };
    let set = format!("{JOBS}=1..12");
    let arguments = ["--set", &set, "--set", "workload.run.interval_s=0.3", "--threads", "1", "--cache"];
    let mut child = Command::new(support::binary())
        .arg("sweep")
        .arg(study.path())
        .args(arguments)
        .arg(&cache)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the command starts");
    while entries() < 2 && child.try_wait().expect("a child").is_none() {
        sleep(Duration::from_millis(5));
    }
    child.kill().expect("a child");
    child.wait().expect("a child");
    let kept = entries();
    assert!(kept >= 2, "{kept}");
    let output = sweep(&study, &arguments[..arguments.len() - 1]);
    assert_eq!(code(&output), 0);
    assert!(
        stderr(&output).starts_with(&format!("halftrack: {kept} of 12 runs from the cache ")),
        "{}",
        stderr(&output)
    );
    assert_eq!(stdout(&output).lines().count(), 15);
}

/// Runs the command with `interpreter` in the place of Python.
fn on_ray(study: &Study, interpreter: &str, arguments: &[&str]) -> Output {
    let cache = study.beside("cache");
    Command::new(support::binary())
        .arg("sweep")
        .arg(study.path())
        .args(["--set", &format!("{JOBS}=1,4"), "--cache"])
        .arg(&cache)
        .args(arguments)
        .env("HALFTRACK_PACKAGE_PYTHON", interpreter)
        .output()
        .expect("the command")
}

#[test]
fn without_python_or_its_package_a_sweep_on_ray_is_refused_with_the_mend() {
    let study = study();
    let nowhere = on_ray(&study, "/nowhere/python3", &["--ray"]);
    assert_eq!((code(&nowhere), stdout(&nowhere)), (2, ""));
    let words = stderr(&nowhere);
    assert!(
        words.contains("`/nowhere/python3` cannot be started") && words.contains("HALFTRACK_PACKAGE_PYTHON")
    );
    assert_eq!(words.lines().count(), 1, "{words}");
    // An interpreter that leaves as Python does where the package cannot be imported.
    let script = study.beside("python");
    fs::write(&script, "#!/bin/sh\nexit 91\n").expect("a script");
    fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("a script");
    let without = on_ray(&study, script.to_str().expect("a path in UTF-8"), &["--ray", "10.0.0.1:6379"]);
    assert_eq!((code(&without), stdout(&without)), (2, ""));
    assert!(stderr(&without).contains("-m pip install"), "{}", stderr(&without));
}

/// Whatever the interpreter leaves in the cache, the output is that of a local sweep: here it leaves nothing.
#[test]
fn a_sweep_on_ray_has_the_output_of_a_local_one() {
    let study = study();
    let script = study.beside("python");
    let text = "#!/bin/sh\ntest -s \"$3\" && test \"$5 $6\" = '--address auto' || exit 2\n";
    fs::write(&script, text).expect("a script");
    fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("a script");
    let script = script.to_str().expect("a path in UTF-8");
    let local = sweep(&study, &["--set", &format!("{JOBS}=1,4"), "--json"]);
    let remote = on_ray(&study, script, &["--ray", "auto", "--json"]);
    assert_eq!((code(&remote), stdout(&remote)), (0, stdout(&local)), "{}", stderr(&remote));
    let failed = on_ray(&study, script, &["--ray", "--json"]);
    assert_eq!((code(&failed), stdout(&failed)), (2, ""));
}

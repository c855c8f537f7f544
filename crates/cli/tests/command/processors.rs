//! Models of the z16 as reports and interval files show them.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{Study, code, halftrack, number, reports, stderr, stdout};

/// Makes the study of two systems on another model, with further keys of `[cpc]`.
fn on(model: &str, keys: &str) -> Study {
    let study = Study::short("z16-oltp");
    let cpc = format!("model = \"{model}\"\n{keys}\n");
    study.edit("plant.toml", |text| text.replacen("model = \"z16-max39\"\n", &cpc, 1));
    study
}

/// Returns its IOP rows.
fn rows(study: &Study) -> Vec<Value> {
    let object = reports(study, &[]);
    let rows = object.pointer("/systems/PROD1/io_queuing_activity/iops").and_then(Value::as_array);
    rows.expect("IOP rows").clone()
}

#[test]
fn every_model_has_the_iop_rows_of_its_saps_and_all_of_them_start() {
    for (model, keys, wanted) in [
        ("z16-max39", "activation = 2", 10),
        ("z16-max82", "", 20),
        ("z16-max125", "", 30),
        ("z16-max168", "", 40),
        ("z16-max200", "", 48),
        ("z16-max200", "additional_saps = 8", 64),
    ] {
        let rows = rows(&on(model, keys));
        assert_eq!(rows.len(), wanted, "{model} {keys}");
        assert!(rows.iter().all(|row| number(row, "/start_per_s") > 0.0), "{model} {keys}");
    }
}

/// Returns head and intervals of the interval file.
fn intervals(study: &Study) -> (Value, Value) {
    let out = study.beside("out");
    let output = study.halftrack("run", &["--out", out.to_str().expect("path")]);
    assert_eq!((code(&output), stderr(&output)), (0, ""));
    let text = fs::read_to_string(out.join("intervals.json")).expect("interval file");
    let run = serde_json::from_str::<Value>(&text).expect("JSON")["run"].take();
    (run["header"].clone(), run["intervals"].clone())
}

#[test]
fn an_interval_file_says_where_the_saps_are_and_nothing_else_depends_on_it() {
    let (first, one) = intervals(&on("z16-max82", "activation = 1"));
    let (second, other) = intervals(&on("z16-max82", "activation = 2"));
    assert_eq!((number(&first, "/drawers"), number(&second, "/drawers")), (2.0, 2.0));
    for drawer in [0, 1] {
        for head in [&first, &second] {
            let cores = head["sap_cores"].as_array().expect("places");
            assert_eq!(cores.iter().filter(|core| core["drawer"] == drawer).count(), 5);
        }
    }
    assert_ne!(first["sap_cores"], second["sap_cores"]);
    assert_eq!(one, other);
}

#[test]
fn a_study_that_does_not_fit_its_machine_is_refused_with_rule_and_number() {
    let output = on("z16-max39", "additional_saps = 9").halftrack("run", &[]);
    assert_eq!((code(&output), stdout(&output)), (2, ""));
    let said = stderr(&output);
    for words in [
        "HTK960E",
        "plant.toml:5:19 z16-max39 takes 8 additional SAPs, not 9",
        "built-in catalog/cpc/z16-max39.toml",
        "fix: request at most 8",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    let warned = on("z16-max39", "");
    warned.edit("plant.toml", |text| {
        text.replacen("model = \"z16-max39\"", "model = \"z16-max82\"", 1).replacen("cps = 8", "cps = 44", 1)
    });
    let output = warned.halftrack("run", &[]);
    assert_eq!(code(&output), 0, "a partition larger than a drawer runs");
    assert!(stderr(&output).contains("HTK963W"), "{}", stderr(&output));
}

/// Returns the interval of a machine of 128 channels and `lpars` partitions at `rate` I/Os of 4 KiB a second, run for
/// 10 ms.
fn whole_machine(model: &str, lpars: u32, rate: u32, directory: &Path) -> Value {
    let study = directory.join(model);
    let path = study.to_str().expect("a path in UTF-8");
    let sizes = ["--channels", "128", "--bases", "4096", "--aliases", "4096"];
    let (lpars, rate) = (lpars.to_string(), rate.to_string());
    let load = ["--model", model, "--lpars", &lpars, "--rate", &rate, path];
    let output = halftrack(&[&["study", "new"] as &[&str], &sizes, &load].concat());
    assert_eq!((code(&output), stderr(&output)), (0, ""));
    let workload = fs::read_to_string(study.join("workload.toml")).expect("workload");
    let short = workload.lines().map(|line| match line.split(" = ").next() {
        Some("warmup_s") => "warmup_s = 0.002\n".to_owned(),
        Some("interval_s") => "interval_s = 0.01\n".to_owned(),
        _ => format!("{line}\n"),
    });
    fs::write(study.join("workload.toml"), short.collect::<String>()).expect("workload");
    let out = directory.join(format!("{model}-out"));
    let output = halftrack(&["run", path, "--out", out.to_str().expect("path")]);
    assert_eq!((code(&output), stderr(&output)), (0, ""));
    let text = fs::read_to_string(out.join("intervals.json")).expect("interval file");
    serde_json::from_str::<Value>(&text).expect("JSON")["run"]["intervals"][0].take()
}

/// The links behind the SAPs are never the first to be full: at the published rates at 70 % the SAPs are the busiest
/// station, and what lies between channels and memory is not even half as busy.
#[test]
fn interconnects_are_never_the_first_bottleneck_at_70_percent() {
    let directory = tempfile::tempdir().expect("temporary directory");
    for (model, lpars, rate) in [
        ("Max39", 4, 1_660_000),
        ("Max82", 8, 2_260_000),
        ("Max125", 12, 3_000_000),
        ("Max168", 16, 3_500_000),
        ("Max200", 20, 3_940_000),
    ] {
        let interval = whole_machine(model, lpars, rate, directory.path());
        let length = number(&interval, "/length_ps");
        let busy = |station: &Value| number(station, "/busy_ps") / number(station, "/servers") / length;
        let stations = interval["stations"].as_array().expect("stations");
        let of_kind = |kinds: &[&str]| -> Vec<f64> {
            let name = |one: &Value| one["name"].as_str().unwrap_or_default().to_owned();
            stations
                .iter()
                .filter(|one| kinds.iter().any(|kind| name(one).starts_with(kind)))
                .map(busy)
                .collect()
        };
        let saps = of_kind(&["IOPs"]);
        assert!(saps.len() == 1 && (saps[0] / 0.7 - 1.0).abs() < 0.05, "{model}: {saps:?}");
        let ways = of_kind(&["domain ", "fanout "]).into_iter().fold(0.0, f64::max);
        assert!(ways > 0.01 && ways < saps[0] / 2.0, "{model}: {ways}");
        let largest = stations.iter().map(busy).fold(0.0, f64::max);
        assert!((largest - saps[0]).abs() < 1e-9, "{model}: {largest}");
    }
}

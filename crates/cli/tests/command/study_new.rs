//! `halftrack study`: studies written, run and refused.

use std::env;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{FILES, Study, code, halftrack, names_in, number, reports, repository, stderr, stdout};

/// The committed studies of whole machines: model, channels, bases, aliases, LPARs, SAP threads.
const WHOLE: [(&str, u32, u32, u32, usize, usize); 5] = [
    ("z16-max39", 80, 12_288, 4096, 4, 10),
    ("z16-max82", 160, 21_504, 7168, 8, 20),
    ("z16-max125", 240, 30_720, 10_240, 12, 30),
    ("z16-max168", 320, 43_008, 14_336, 16, 40),
    ("z16-max200", 384, 49_152, 16_384, 20, 48),
];
/// Set so that the committed studies are written anew.
const UPDATE: &str = "HALFTRACK_UPDATE_STUDIES";

/// Returns the arguments in the header of a committed study.
fn arguments(study: &str) -> Vec<String> {
    let plant = repository().join("studies").join(study).join("plant.toml");
    let text = fs::read_to_string(plant).expect("a committed study");
    let header = text.lines().map_while(|line| line.strip_prefix("# "));
    let header = header.collect::<Vec<_>>().join(" ");
    let (_, rest) = header.split_once("`halftrack study new ").expect("who wrote it");
    rest.split('`').next().expect("arguments").split(' ').map(str::to_owned).collect()
}

#[test]
fn the_committed_studies_are_written_again_to_the_byte() {
    for (name, channels, bases, aliases, lpars, _) in WHOLE {
        let committed = repository().join("studies").join(name);
        let arguments = arguments(name);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        for (option, value) in [("--channels", channels), ("--bases", bases), ("--aliases", aliases)] {
            let at = arguments.iter().position(|one| *one == option).expect("an option");
            assert_eq!(arguments[at + 1], value.to_string(), "{name} {option}");
        }
        let written = Study::new(&arguments);
        for file in FILES {
            let text = fs::read_to_string(written.path().join(file)).expect("a file");
            if env::var_os(UPDATE).is_some() {
                fs::write(committed.join(file), &text).expect("a committed study");
            }
            let before = fs::read_to_string(committed.join(file)).expect("a committed study");
            assert!(
                text == before,
                "{name}/{file} is not what `study new` writes; {UPDATE}=1 writes it anew"
            );
        }
        assert_eq!(names_in(&committed), FILES);
        let lpar = fs::read_to_string(committed.join("plant.toml")).expect("a plant");
        assert_eq!(lpar.matches("[[lpar]]").count(), lpars, "{name}");
    }
}

/// Makes a copy of a committed study that runs 4 ms.
fn short(name: &str) -> Study {
    let study = Study::copy(name);
    study.edit("workload.toml", |text| {
        text.replace("interval_s = 0.1\n", "interval_s = 0.004\n")
            .replace("warmup_s = 0.01", "warmup_s = 0.004")
    });
    study
}

/// Every thread of every model is busy 99 % of the time and more, with as many rows as the model has IOP threads.
#[test]
fn the_committed_studies_saturate_their_saps() {
    for (name, .., threads) in WHOLE {
        let study = short(name);
        let object = reports(&study, &[]);
        let rows = object.pointer("/systems/LP01/io_queuing_activity/iops").and_then(Value::as_array);
        let rows = rows.unwrap_or_else(|| panic!("no IOPs in {name}"));
        assert_eq!(rows.len(), threads, "{name}");
        for row in rows {
            assert!(number(row, "/busy_percent") >= 99.0, "{name}: {row}");
        }
    }
}

#[test]
fn the_largest_machine_fits_into_two_gibibytes() {
    let output = short("z16-max200").halftrack("bench", &["--json"]);
    assert_eq!((code(&output), stderr(&output)), (0, ""));
    let object: Value = serde_json::from_str(stdout(&output)).expect("JSON");
    assert!(number(&object, "/peak_rss_bytes") < 2.0 * f64::from(1 << 30), "{object}");
}

#[test]
fn a_study_of_uneven_sizes_runs() {
    let sizes = ["--channels", "37", "--bases", "5000", "--aliases", "0", "--lpars", "3"];
    let study =
        Study::new(&[&["--model", "Max39", "--rate", "200000", "--block", "8192"], &sizes[..]].concat());
    assert_eq!(names_in(&study.path()), FILES);
    let object = reports(&study, &[]);
    let rate: f64 = (0..3).map(|at| number(&object, &format!("/summary/streams/{at}/rate_per_s/mean"))).sum();
    assert!((190_000.0..210_000.0).contains(&rate), "{rate}");
}

#[test]
fn a_study_is_told_as_json() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let study = directory.path().join("made");
    let study = study.to_str().expect("a path");
    let sizes = ["--model", "max200", "--channels", "300", "--bases", "49152", "--aliases", "16384"];
    let output = halftrack(&[&["study", "new", "--json"], &sizes[..], &[study]].concat());
    assert_eq!((code(&output), stderr(&output)), (0, ""));
    let object: Value = serde_json::from_str(stdout(&output)).expect("JSON");
    assert_eq!(object["study"], study);
    assert_eq!(object["cpc"], "z16-max200");
    for (key, value) in
        [("lpars", 20), ("channel_subsystems", 2), ("cards", 150), ("logical_control_units", 256)]
    {
        assert_eq!(object[key], value, "{object:#}");
    }
}

#[test]
fn models_are_listed() {
    let output = halftrack(&["study", "models"]);
    assert_eq!((code(&output), stderr(&output)), (0, ""));
    let row = stdout(&output).lines().find(|row| row.starts_with("Max200 ")).expect("the largest z16");
    let cells: Vec<_> = row.split_whitespace().collect();
    assert_eq!(cells[..8], ["Max200", "z16-max200", "3931", "4", "200", "24", "8", "48"]);
    let output = halftrack(&["study", "models", "--json"]);
    let rows: Value = serde_json::from_str(stdout(&output)).expect("JSON");
    let z900 = rows.as_array().expect("rows").iter().find(|row| row["id"] == "z900").expect("a z900");
    assert!(z900["cps"].is_null() && z900["machine_type"] == 2064, "{z900}");
}

#[test]
fn a_model_of_an_overlay_can_be_had() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let overlay = directory.path().join("mine/cpc");
    fs::create_dir_all(&overlay).expect("overlay");
    let text = fs::read_to_string(repository().join("catalog/cpc/z16-max39.toml")).expect("the smallest z16");
    fs::write(overlay.join("mine.toml"), text.replace("\"Max39\"", "\"Own1\"")).expect("overlay");
    let catalog = directory.path().join("mine");
    let study = directory.path().join("made");
    let [catalog, study] = [&catalog, &study].map(|path| path.to_str().expect("a path"));
    let sizes =
        ["--model", "Own1", "--channels", "4", "--bases", "64", "--aliases", "64", "--catalog", catalog];
    let output = halftrack(&[&["study", "new"], &sizes[..], &[study]].concat());
    assert_eq!((code(&output), stderr(&output)), (0, ""));
    let output = halftrack(&["run", study, "--catalog", catalog]);
    assert_eq!((code(&output), stderr(&output)), (0, ""));
    let output = halftrack(&["run", study]);
    assert_eq!(code(&output), 2, "without its catalog the model is unknown");
}

/// Runs `study new` with `sizes`, which it must refuse; nothing is left beside what was there.
fn refused(sizes: &str, there: &[&str]) -> String {
    let directory = tempfile::tempdir().expect("temporary directory");
    for name in there {
        fs::create_dir(directory.path().join(name)).expect("a directory");
    }
    let study = directory.path().join("made");
    let study = study.to_str().expect("a path");
    let sizes: Vec<&str> = sizes.split(' ').collect();
    let output = halftrack(&[&["study", "new"], &sizes[..], &[study]].concat());
    assert_eq!((code(&output), stdout(&output)), (2, ""), "{sizes:?}");
    assert_eq!(names_in(directory.path()), there, "{sizes:?}");
    stderr(&output).replace(study, "made")
}

#[test]
fn what_does_not_fit_is_refused_with_rule_number_and_mending_and_nothing_is_written() {
    let rest = "--bases 4096 --aliases 0";
    for (sizes, number, words, fix) in [
        (
            format!("--model Max200 --channels 1537 {rest}"),
            "HTK983E",
            "more than 256 CHPIDs in each of the 6 channel subsystems of a 3931",
            "request 1536 channels at most",
        ),
        (
            format!("--model Max200 --channels 384 {rest} --css 1 --lpars 4"),
            "HTK983E",
            "384 channels are more than 256 CHPIDs in each of 1 channel subsystems",
            "request 2 channel subsystems",
        ),
        (
            format!("--model Max200 --channels 64 {rest} --lpars 86"),
            "HTK984E",
            "a 3931 has 85 logical partitions, not 86",
            "request 85 partitions at most",
        ),
        (
            "--model Max200 --channels 64 --bases 65281 --aliases 0".to_owned(),
            "HTK985E",
            "65281 bases are more than the 65280 devices of subchannel set 0",
            "request 65280 at most",
        ),
        (
            format!("--model Max39 --channels 386 {rest}"),
            "HTK986E",
            "193 cards need 13 fanouts, and z16-max39 has slots for 12",
            "a larger model",
        ),
    ] {
        let said = refused(&sizes, &[]);
        assert!(said.contains(number) && said.contains(words) && said.contains(fix), "{sizes}:\n{said}");
        assert!(said.ends_with("halftrack: made is not written\n"), "{said}");
    }
}

#[test]
fn a_directory_that_is_there_is_left_alone() {
    let said = refused("--model Max39 --channels 8 --bases 256 --aliases 0", &["made"]);
    assert!(said.starts_with("HTK987E made:1:1 `made` exists"), "{said}");
    assert!(said.contains("fix: name a new directory"), "{said}");
}

#[test]
fn a_place_that_cannot_be_written_leaves_nothing() {
    let directory = tempfile::tempdir().expect("temporary directory");
    fs::write(directory.path().join("file"), "").expect("a file");
    let study = directory.path().join("file/made");
    let sizes = ["--model", "Max39", "--channels", "8", "--bases", "256", "--aliases", "0"];
    let output = halftrack(&[&["study", "new"], &sizes[..], &[study.to_str().expect("a path")]].concat());
    assert_ne!(code(&output), 0);
    assert_eq!(names_in(directory.path()), ["file"]);
    assert!(!Path::new(&study).exists());
}

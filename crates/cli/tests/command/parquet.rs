//! `halftrack sweep --parquet`: a data set of points and values, read back.

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt64Type};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::Value;

use crate::support::{self, Study, code, names_in, stderr, stdout};

const JOBS: &str = "workload.stream.READ4K.closed.jobs";

fn sweep(study: &Study, arguments: &[&str]) -> std::process::Output {
    let cache = study.beside("cache");
    let cache = ["--cache", cache.to_str().expect("a path in UTF-8")];
    study.halftrack("sweep", &[cache.as_slice(), arguments].concat())
}

fn part(directory: &Path, table: &str) -> std::path::PathBuf {
    let partition = names_in(directory).pop().expect("a partition");
    assert!(partition.starts_with("study="), "{partition}");
    directory.join(partition).join(table).join("part-0.parquet")
}

fn read(directory: &Path, table: &str) -> RecordBatch {
    let file = File::open(part(directory, table)).expect("a file");
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("Parquet").build();
    reader.expect("a reader").next().expect("rows").expect("a batch")
}

#[test]
fn points_are_those_of_the_table_with_the_keys_of_the_cache() {
    let study = Study::short("fex32s-zhpf-4k");
    let out = study.beside("out");
    let set = format!("{JOBS}=1,4,none");
    let common = ["--set", &set, "--set", "plant.cable.*.km=0,10", "--y", "response_ms", "--json"];
    let output =
        sweep(&study, &[&common[..], &["--parquet", out.to_str().expect("a path in UTF-8")]].concat());
    assert_eq!(code(&output), 1, "without jobs nothing runs: {}", stderr(&output));
    let json: Value = serde_json::from_str(stdout(&output)).expect("JSON");
    let points = read(&out, "points");
    assert_eq!(points.num_rows(), 6);
    let rates = points.column_by_name("rate_per_s").expect("rates").as_primitive::<Float64Type>();
    let jobs = points.column_by_name(JOBS).expect("jobs").as_primitive::<UInt64Type>();
    let keys = points.column_by_name("content_key").expect("keys").as_string::<i64>();
    let mut cached = names_in(&study.beside("cache"));
    let mut known: Vec<String> = keys.iter().flatten().map(|key| format!("{key}.json")).collect();
    for (index, point) in json["points"].as_array().expect("points").iter().enumerate() {
        let value = rates.iter().nth(index).flatten();
        assert_eq!(value, point["values"]["rate_per_s"].as_f64(), "{point:#}");
        let expected = point["set"][JOBS].as_str().expect("a value").parse().ok();
        assert_eq!(jobs.iter().nth(index).flatten(), expected);
    }
    cached.sort();
    known.sort();
    assert_eq!((known.len(), known), (4, cached));
    assert_eq!(read(&out, "values").num_rows(), 6 * 3);
}

#[test]
fn the_same_sweep_is_the_same_octets_whatever_the_threads() {
    let study = Study::short("fex32s-zhpf-4k");
    let set = format!("{JOBS}=1,4");
    let written = |name: &str, threads: &str| {
        let out = study.beside(name);
        let place = out.to_str().expect("a path in UTF-8");
        let output = sweep(&study, &["--set", &set, "--parquet", place, "--threads", threads]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        ["points", "values"].map(|table| fs::read(part(&out, table)).expect("octets"))
    };
    let first = written("one", "1");
    assert!(first == written("two", "2") && first == written("one", "2"));
}

#[test]
fn a_place_that_is_none_is_refused_before_anything_runs() {
    let study = Study::short("fex32s-zhpf-4k");
    let file = study.beside("file");
    fs::write(&file, "mine").expect("a file");
    let place = file.to_str().expect("a path in UTF-8");
    let output = sweep(&study, &["--set", "plant.cable.*.km=0,10", "--parquet", place]);
    assert_eq!((code(&output), stdout(&output)), (2, ""));
    let said = stderr(&output);
    assert!(
        said.contains(&format!("no Parquet data set can be in {place}: it is not a directory")),
        "{said}"
    );
    assert!(!study.beside("cache").exists());
    assert_eq!(fs::read_to_string(&file).expect("the file"), "mine");
}

/// Files that may not grow stand for a full disk.
#[test]
fn a_full_disk_leaves_the_earlier_sweep_and_the_table_is_printed() {
    let study = Study::short("fex32s-zhpf-4k");
    let out = study.beside("out");
    let place = out.to_str().expect("a path in UTF-8");
    let set = ["--set", "plant.cable.*.km=0,10", "--parquet", place];
    assert_eq!(code(&sweep(&study, &set)), 0);
    let earlier = fs::read(part(&out, "points")).expect("octets");
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; ulimit -f 1; exec \"$@\"", "sh"]).arg(support::binary()).arg("sweep");
    shell.arg(study.path()).args(["--no-cache", "--set", "plant.cable.*.km=0..50:1", "--parquet", place]);
    let output = shell.output().expect("a shell");
    let said = stderr(&output);
    assert_eq!(code(&output), 1, "{said}");
    assert!(said.trim_end().ends_with("what was there is unchanged"), "{said}");
    assert!(stdout(&output).lines().count() > 50, "{}", stdout(&output));
    assert_eq!(fs::read(part(&out, "points")).expect("octets"), earlier);
    assert_eq!(names_in(&out).len(), 1, "nothing is left beside it");
}

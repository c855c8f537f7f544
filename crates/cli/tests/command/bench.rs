//! `halftrack bench`: its keys and their sense. No speed is ever judged.

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::support::{self, FILES, Study, code, halftrack, stderr, stdout};

/// Output of `halftrack bench engine`.
const ENGINE_KEYS: [&str; 9] = [
    "tandem_hops_per_s",
    "hand_loop_hops_per_s",
    "hand_loop_ahead_hops_per_s",
    "ratio",
    "ratio_ahead",
    "hops",
    "rounds",
    "threads",
    "calibration_ns",
];

/// Output of `halftrack bench STUDY`.
const KEYS: [&str; 12] = [
    "ios",
    "events",
    "simulated_s",
    "setup_s",
    "wall_s",
    "ios_per_wall_s",
    "real_time_factor",
    "cpu_s",
    "first_thread_cpu_s",
    "peak_rss_bytes",
    "threads",
    "calibration_ns",
];

/// Output of `halftrack bench STUDY --processes`.
const PROCESS_KEYS: [&str; 7] = [
    "ios",
    "simulated_s",
    "channels_ns_per_io",
    "images_ns_per_io",
    "storage_ns_per_io",
    "saps_with",
    "calibration_ns",
];

#[test]
fn json_has_the_keys_and_they_agree() {
    let output = Study::short("fex32s-zhpf-4k").halftrack("bench", &["--json", "--threads", "2!"]);
    assert_eq!((code(&output), stderr(&output)), (0, ""));
    let object: Value = serde_json::from_str(stdout(&output)).expect("JSON");
    let members = object.as_object().expect("an object");
    let number = |key: &str| members[key].as_f64().unwrap_or_else(|| panic!("{key} is no number"));
    assert_eq!(members.len(), KEYS.len());
    assert!(KEYS.iter().all(|key| number(key) > 0.0), "{object}");
    assert!((number("simulated_s") - 0.025).abs() < 1e-9, "warm-up and two intervals");
    assert_eq!(number("threads"), 2.0);
    let rate = number("ios") / number("wall_s");
    assert!((number("ios_per_wall_s") / rate - 1.0).abs() < 1e-9);
    let factor = number("simulated_s") / number("wall_s");
    assert!((number("real_time_factor") / factor - 1.0).abs() < 1e-9);
    // Where the second thread gets no processor the first does its work too, so that no more than this holds of any machine.
    assert!(number("first_thread_cpu_s") <= number("cpu_s"), "{object}");
}

/// Each of the three parts of an I/O, without those of the warm-up.
#[test]
fn processes_are_timed_alone() {
    let output = Study::short("fex32s-zhpf-4k").halftrack("bench", &["--processes", "--json"]);
    assert_eq!((code(&output), stderr(&output)), (0, ""));
    let object: Value = serde_json::from_str(stdout(&output)).expect("JSON");
    let members = object.as_object().expect("an object");
    let number = |key: &str| members[key].as_f64().unwrap_or_else(|| panic!("{key} is no number"));
    assert_eq!(members.len(), PROCESS_KEYS.len());
    let are_numbers = PROCESS_KEYS.iter().all(|key| *key == "saps_with" || number(key).is_finite());
    assert!(are_numbers && object["saps_with"] == "channels", "{object}");
    assert!(number("channels_ns_per_io") > 0.0 && number("storage_ns_per_io") > 0.0, "{object}");
    assert!((number("simulated_s") - 0.02).abs() < 1e-9, "two intervals without the warm-up");
    let whole = Study::short("fex32s-zhpf-4k").halftrack("bench", &["--json"]);
    let whole: Value = serde_json::from_str(stdout(&whole)).expect("JSON");
    assert!(number("ios") < whole["ios"].as_f64().expect("a number"), "those of the warm-up are left out");
    let table = Study::short("fex32s-zhpf-4k").halftrack("bench", &["--processes"]);
    let keys: Vec<_> = stdout(&table).lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(keys, PROCESS_KEYS);
}

#[test]
fn the_table_has_a_line_for_every_key() {
    let output = Study::short("fex32s-zhpf-4k").halftrack("bench", &[]);
    assert_eq!(code(&output), 0);
    let keys: Vec<_> = stdout(&output).lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(keys, KEYS);
}

#[test]
fn the_engine_beside_the_hand_loop_has_the_keys_and_they_agree() {
    let output = halftrack(&["bench", "engine", "--json", "--hops", "200000", "--threads", "1"]);
    assert_eq!((code(&output), stderr(&output)), (0, ""));
    let object: Value = serde_json::from_str(stdout(&output)).expect("JSON");
    let members = object.as_object().expect("an object");
    let number = |key: &str| members[key].as_f64().unwrap_or_else(|| panic!("{key} is no number"));
    assert_eq!(members.len(), ENGINE_KEYS.len());
    assert!(ENGINE_KEYS.iter().all(|key| number(key) > 0.0), "{object}");
    assert!((number("hops") / 200_000.0 - 1.0).abs() < 0.05, "about as many hops as asked for");
    let ratio = number("tandem_hops_per_s") / number("hand_loop_hops_per_s");
    assert!((number("ratio") / ratio - 1.0).abs() < 1e-9);
    let ratio = number("tandem_hops_per_s") / number("hand_loop_ahead_hops_per_s");
    assert!((number("ratio_ahead") / ratio - 1.0).abs() < 1e-9);
}

#[test]
fn the_table_of_the_engine_has_a_line_for_every_key() {
    let output = halftrack(&["bench", "engine", "--hops", "20000"]);
    assert_eq!(code(&output), 0);
    let keys: Vec<_> = stdout(&output).lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(keys, ENGINE_KEYS);
}

#[test]
fn help_on_the_engine_has_examples_and_exit_codes() {
    let help = halftrack(&["bench", "engine", "--help"]);
    assert_eq!(code(&help), 0);
    for part in ["Examples:", "halftrack bench engine --json", "Exit codes:", "--hops <N>", "64 customers"] {
        assert!(stdout(&help).contains(part), "{part} is missing in:\n{}", stdout(&help));
    }
}

#[test]
fn what_the_engine_cannot_do_is_refused() {
    for wrong in
        [&["--threads", "2"] as &[&str], &["--hops", "0"], &["--hops", "many"], &["study"], &["--seed", "1"]]
    {
        let refused = halftrack(&[&["bench", "engine"], wrong].concat());
        assert_eq!((code(&refused), stdout(&refused)), (2, ""), "{wrong:?}");
        assert!(stderr(&refused).contains("error:"), "{}", stderr(&refused));
    }
    let nothing = halftrack(&["bench"]);
    assert_eq!(code(&nothing), 2);
    assert!(stderr(&nothing).contains("<STUDY>"), "{}", stderr(&nothing));
}

/// The word `engine` is the engine; a directory of that name is reached by a path.
#[test]
fn a_study_in_a_directory_named_engine_is_reached_as_a_path() {
    let study = Study::short("fex32s-zhpf-4k");
    let directory = study.beside("engine");
    fs::create_dir(&directory).expect("directory");
    for file in FILES {
        fs::copy(study.path().join(file), directory.join(file)).expect("file of the study");
    }
    let mut command = Command::new(support::binary());
    command
        .args(["bench", "./engine", "--json"])
        .current_dir(directory.parent().expect("a directory around it"));
    let output = command.output().expect("the command starts");
    assert_eq!((code(&output), stderr(&output)), (0, ""));
    let object: Value = serde_json::from_str(stdout(&output)).expect("JSON");
    assert!(object["ios"].as_u64() > Some(0), "{object}");
}

/// 384 channels, 20 partitions and 65,536 devices and aliases take less memory than 2 GiB.
#[test]
fn the_whole_machine_fits_into_memory() {
    let around = Study::short("fex32s-zhpf-4k");
    let study = around.beside("whole");
    let path = study.to_str().expect("a path of words");
    let sizes = ["--channels", "384", "--bases", "49152", "--aliases", "16384"];
    let made = halftrack(&[&["study", "new", "--model", "Max200"] as &[&str], &sizes, &[path]].concat());
    assert_eq!(code(&made), 0, "{}", stderr(&made));
    let workload = study.join("workload.toml");
    let text = fs::read_to_string(&workload).expect("a workload");
    let key = |line: &str| line.split('=').next().unwrap_or_default().trim().to_owned();
    let shorter = |line: &str| match key(line).as_str() {
        "warmup_s" => "warmup_s = 0.001".to_owned(),
        "interval_s" => "interval_s = 0.001".to_owned(),
        _ => line.to_owned(),
    };
    fs::write(&workload, text.lines().map(shorter).collect::<Vec<_>>().join("\n")).expect("a workload");
    let output = halftrack(&["bench", path, "--json"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let object: Value = serde_json::from_str(stdout(&output)).expect("JSON");
    assert!(object["ios"].as_f64().is_some_and(|ios| ios > 5_000.0), "{object}");
    assert!(object["peak_rss_bytes"].as_f64().is_some_and(|bytes| bytes < 2.0 * 1024.0 * 1024.0 * 1024.0));
}

//! `halftrack bench volume`: its keys and their sense. No speed is ever judged.

use serde_json::Value;

use crate::support::{code, halftrack, stderr, stdout};

/// Keys of its output.
const KEYS: [&str; 14] = [
    "same_record_per_s",
    "same_record_transport_per_s",
    "random_1gib_per_s",
    "random_1gib_transport_per_s",
    "full_track_gb_per_s",
    "memcpy_gb_per_s",
    "sync_write_4k_per_s",
    "bare_sync_write_4k_per_s",
    "write_amplification",
    "programs",
    "writes",
    "rounds",
    "volume_bytes",
    "calibration_ns",
];

/// Runs a small volume and little work, in a directory of the test's own.
fn bench_small(directory: &std::path::Path, more: &[&str]) -> std::process::Output {
    let directory = directory.to_str().expect("a path in Unicode");
    let small =
        ["bench", "volume", "--size-mib", "3", "--programs", "10000", "--writes", "22", "--directory"];
    halftrack(&[&small as &[&str], &[directory], more].concat())
}

#[test]
fn json_has_the_keys_and_nothing_stays_behind() {
    let directory = tempfile::tempdir().expect("a directory");
    let output = bench_small(directory.path(), &["--json"]);
    assert_eq!((code(&output), stderr(&output)), (0, ""));
    let object: Value = serde_json::from_str(stdout(&output)).expect("JSON");
    let members = object.as_object().expect("an object");
    let number = |key: &str| members[key].as_f64().unwrap_or_else(|| panic!("{key} is no number"));
    assert_eq!(members.len(), KEYS.len());
    assert!(KEYS.iter().all(|key| number(key) > 0.0), "{object}");
    assert_eq!((number("programs"), number("writes"), number("rounds")), (9_999.0, 22.0, 11.0));
    // Whole cylinders of 15 tracks of twelve records.
    assert_eq!(number("volume_bytes"), f64::from(5 * 15 * 12 * 4096));
    assert!(number("write_amplification") >= 1.0, "{object}");
    let left = directory.path().read_dir().expect("the directory").count();
    assert_eq!(left, 0, "files left behind");
}

#[test]
fn the_table_has_a_line_for_every_key() {
    let directory = tempfile::tempdir().expect("a directory");
    let output = bench_small(directory.path(), &[]);
    assert_eq!(code(&output), 0);
    let keys: Vec<_> = stdout(&output).lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(keys, KEYS);
}

#[test]
fn a_directory_that_is_not_there_or_has_no_room_is_bad_input() {
    let nowhere = halftrack(&["bench", "volume", "--directory", "/nonexistent/directory"]);
    assert_eq!((code(&nowhere), stdout(&nowhere)), (2, ""));
    assert!(stderr(&nowhere).contains("/nonexistent/directory"), "{}", stderr(&nowhere));
    let none = halftrack(&["bench", "volume", "--size-mib", "0"]);
    assert_eq!((code(&none), stdout(&none)), (2, ""));
}

#[test]
fn help_has_examples_and_exit_codes() {
    let help = halftrack(&["bench", "volume", "--help"]);
    assert_eq!(code(&help), 0);
    for part in
        ["Examples:", "halftrack bench volume --json", "Exit codes:", "--size-mib <MIB>", "Read Track"]
    {
        assert!(stdout(&help).contains(part), "{part} is missing in:\n{}", stdout(&help));
    }
}

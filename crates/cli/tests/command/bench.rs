//! `halftrack bench`: its keys and their sense.

use serde_json::Value;

use crate::support::{Study, code, stderr, stdout};

const KEYS: [&str; 9] = [
    "ios",
    "events",
    "simulated_s",
    "wall_s",
    "ios_per_wall_s",
    "real_time_factor",
    "peak_rss_bytes",
    "threads",
    "calibration_ns",
];

#[test]
fn json_has_the_keys_and_they_agree() {
    let output = Study::short("fex32s-zhpf-4k").halftrack("bench", &["--json", "--threads", "2"]);
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
}

#[test]
fn the_table_has_a_line_for_every_key() {
    let output = Study::short("fex32s-zhpf-4k").halftrack("bench", &[]);
    assert_eq!(code(&output), 0);
    let keys: Vec<_> = stdout(&output).lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(keys, KEYS);
}

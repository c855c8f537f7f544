//! `halftrack bench sync`: its keys and their sense. No speed is ever judged.

use serde_json::Value;

use crate::support::{code, halftrack, stderr, stdout};

/// Keys of its output that are figures.
const FIGURES: [&str; 13] = [
    "sync_4k_read_p50_us",
    "sync_4k_read_p99_us",
    "fibre_4k_read_p50_us",
    "fibre_4k_read_p99_us",
    "tcp_4k_read_p50_us",
    "tcp_4k_read_p99_us",
    "cpu_us_per_io",
    "tcp_cpu_us_per_io",
    "attempts",
    "successes",
    "processors",
    "bytes_verified",
    "calibration_ns",
];

#[test]
fn json_has_the_keys_and_every_attempt_succeeded_or_has_a_reason() {
    let output = halftrack(&["bench", "sync", "--quick", "--json"]);
    assert_eq!((code(&output), stderr(&output)), (0, ""));
    let object: Value = serde_json::from_str(stdout(&output)).expect("JSON");
    let members = object.as_object().expect("an object");
    let number = |key: &str| members[key].as_f64().unwrap_or_else(|| panic!("{key} is no number"));
    assert_eq!(members.len(), FIGURES.len() + 1);
    // On a machine busy with other work every attempt may be late.
    assert!(FIGURES.iter().all(|key| number(key) > 0.0 || *key == "successes"), "{object}");
    let fall_backs = object["fall_backs"].as_object().expect("an object");
    let fallen: f64 = fall_backs.values().filter_map(Value::as_f64).sum();
    assert_eq!(number("attempts"), number("successes") + fallen, "{object}");
    assert!(number("bytes_verified") >= 4096.0 * number("attempts"), "{object}");
}

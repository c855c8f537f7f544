//! `halftrack bench link`: its keys and their sense. No speed is ever judged.

use serde_json::Value;

use crate::support::{code, halftrack, stderr, stdout};

/// Keys of its output.
const KEYS: [&str; 12] = [
    "zhpf_4k_read_per_s",
    "zhpf_128k_read_mb_per_s",
    "ficon_4k_read_per_s",
    "p99_qd1_us",
    "fcp_4k_read_per_s",
    "fcp_128k_read_mb_per_s",
    "fcp_p99_qd1_us",
    "cpu_us_per_io",
    "bare_loop_4k_per_s",
    "in_process_4k_per_s",
    "bytes_verified",
    "calibration_ns",
];

#[test]
fn json_has_the_keys_and_every_read_was_verified() {
    let output = halftrack(&["bench", "link", "--quick", "--json"]);
    assert_eq!((code(&output), stderr(&output)), (0, ""));
    let object: Value = serde_json::from_str(stdout(&output)).expect("JSON");
    let members = object.as_object().expect("an object");
    let number = |key: &str| members[key].as_f64().unwrap_or_else(|| panic!("{key} is no number"));
    assert_eq!(members.len(), KEYS.len());
    assert!(KEYS.iter().all(|key| number(key) > 0.0), "{object}");
    // Half a second each of three kinds of reads at least, every octet of them compared.
    assert!(number("bytes_verified") > 0.5 * 4096.0 * number("ficon_4k_read_per_s"), "{object}");
}

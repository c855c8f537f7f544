//! `halftrack bench islink`: its keys and their sense. No speed is ever judged.

use serde_json::Value;

use crate::support::{code, halftrack, stderr, stdout};

#[test]
fn json_has_the_keys_and_every_octet_was_compared() {
    let output = halftrack(&["bench", "islink", "--quick", "--json"]);
    assert_eq!((code(&output), stderr(&output)), (0, ""));
    let object: Value = serde_json::from_str(stdout(&output)).expect("JSON");
    let keys = [
        "islink_mb_per_s",
        "tcp_mb_per_s",
        "bare_loop_mb_per_s",
        "bytes_verified",
        "devices",
        "calibration_ns",
    ];
    assert_eq!(object.as_object().map(serde_json::Map::len), Some(keys.len()));
    assert!(keys.iter().all(|key| object[key].as_f64() > Some(0.0)), "{object}");
    assert!(object["bytes_verified"].as_u64() >= Some(256 << 20), "{object}");
}

//! `halftrack bench smc`: its keys and their sense. No speed is ever judged.

use serde_json::Value;

use crate::smc::library;
use crate::support::{code, halftrack, stderr, stdout};

#[test]
fn json_has_the_keys_and_every_octet_was_compared() {
    let library = library();
    let output = halftrack(&["bench", "smc", "--quick", "--json", "--library", &library.to_string_lossy()]);
    assert_eq!((code(&output), stderr(&output)), (0, ""));
    let object: Value = serde_json::from_str(stdout(&output)).expect("JSON");
    let keys = [
        "smc_1k_rtt_us",
        "tcp_1k_rtt_us",
        "smc_stream_gb_per_s",
        "tcp_stream_gb_per_s",
        "smc_cpu_s_per_gb",
        "tcp_cpu_s_per_gb",
        "bytes_verified",
        "calibration_ns",
    ];
    assert_eq!(object.as_object().map(serde_json::Map::len), Some(keys.len()));
    assert!(keys.iter().all(|key| object[key].as_f64() > Some(0.0)), "{object}");
}

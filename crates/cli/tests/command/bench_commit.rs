//! `halftrack bench commit`: its keys and their sense. No speed is ever judged.

use serde_json::Value;

use crate::support::{code, halftrack, stderr, stdout};

#[test]
fn json_has_the_keys_by_depth() {
    let output = halftrack(&["bench", "commit", "--quick", "--json"]);
    assert_eq!((code(&output), stderr(&output)), (0, ""));
    let object: Value = serde_json::from_str(stdout(&output)).expect("JSON");
    assert_eq!(object.as_object().map(serde_json::Map::len), Some(3));
    let depths = object["depths"].as_array().expect("an array");
    for (one, depth) in depths.iter().zip([1, 8, 32]) {
        assert_eq!(
            (one["depth"].as_u64(), one.as_object().map(serde_json::Map::len)),
            (Some(depth), Some(4))
        );
        for key in ["write_4k_per_s", "bare_write_4k_per_s", "ratio"] {
            assert!(one[key].as_f64().is_some_and(|figure| figure > 0.0), "{key}: {object}");
        }
    }
    assert_eq!((depths.len(), object["rounds"].as_u64()), (3, Some(1)));
}

#[test]
fn a_directory_that_is_not_there_is_bad_input() {
    let output = halftrack(&["bench", "commit", "--quick", "--directory", "/nowhere/at/all"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("no directory for the volume"), "{}", stderr(&output));
}

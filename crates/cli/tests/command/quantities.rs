//! The list of quantities.

use serde_json::Value;

use crate::support::{code, halftrack, stderr, stdout};

fn listed(arguments: &[&str]) -> String {
    let output = halftrack(&[&["quantities"], arguments].concat());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    stdout(&output).to_owned()
}

#[test]
fn each_has_unit_subject_definition_and_place_in_the_report() {
    let all = listed(&[]);
    assert!(all.starts_with("QUANTITY "), "{all}");
    let line = all.lines().find(|line| line.starts_with("channel_bus_percent ")).expect("the bus");
    let words: Vec<_> = line.split_whitespace().collect();
    assert_eq!(words[..3], ["channel_bus_percent", "%", "channel"]);
    assert!(line.ends_with("(CHANNEL PATH ACTIVITY: UTILIZATION(%) BUS)"), "{line}");
}

#[test]
fn a_pattern_matches_name_definition_unit_and_heading() {
    let names = |pattern: &str| -> Vec<String> {
        let text = listed(&[pattern]);
        let names = text.lines().skip(1).filter_map(|line| line.split(' ').next());
        names.map(str::to_owned).collect()
    };
    assert_eq!(names("disc time"), ["disc_ms"]);
    assert_eq!(names("CREDIT_"), ["credit_wait_percent"]);
    assert!(names("Gbit/s").contains(&"link_gbps".to_owned()));
    let refused = halftrack(&["quantities", "furlongs"]);
    assert_eq!((code(&refused), stdout(&refused)), (2, ""));
    assert!(stderr(&refused).contains("no quantity has \"furlongs\" in it"), "{}", stderr(&refused));
}

#[test]
fn json_has_one_object_for_each() {
    let all: Vec<Value> = serde_json::from_str(&listed(&["--json"])).expect("JSON");
    assert_eq!(all.len(), listed(&[]).lines().count() - 1);
    let of = |name: &str| all.iter().find(|one| one["name"] == name).expect("a quantity");
    let wait = of("credit_wait_percent");
    assert_eq!((wait["unit"].as_str(), wait["needs_subject"].as_bool()), (Some("%"), Some(true)));
    assert_eq!(of("bottleneck_percent")["subject"], Value::Null);
    assert_eq!(of("pend_ms")["heading"], "AVG PEND TIME");
}

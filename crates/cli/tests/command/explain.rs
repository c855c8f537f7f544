//! `halftrack explain`, and the page of the book that it writes.

use std::{env, fs};

use serde_json::Value;

use crate::support::{code, halftrack, repository, stderr, stdout};

/// End of the head of docs/messages.md.
const HEAD_END: &str = "explain -->\n\n";
/// Set to write the page anew.
const UPDATE: &str = "HALFTRACK_UPDATE_MESSAGES";

#[test]
fn a_message_is_explained_by_code_number_and_ibm_number() {
    let output = halftrack(&["explain", "HTK929E"]);
    assert_eq!(code(&output), 0);
    for part in ["HTK929E", "Rule:", "Cause:", "Example:", "Fix:", "type = \"fex32s\""] {
        assert!(stdout(&output).contains(part), "{part} is missing in {}", stdout(&output));
    }
    for other in ["929", "htk929e", "929E", "HTK929"] {
        assert_eq!(stdout(&halftrack(&["explain", other])), stdout(&output), "{other}");
    }
    assert!(stdout(&halftrack(&["explain", "ICP226I"])).starts_with("HTK226E"));
    // Two meanings of one number, by severity.
    assert_eq!(stdout(&halftrack(&["explain", "801"])).matches("Rule:").count(), 2);
    assert_eq!(stdout(&halftrack(&["explain", "HTK801A"])).matches("Rule:").count(), 1);
}

#[test]
fn messages_are_explained_as_json() {
    let read = |arguments: &[&str]| -> Vec<Value> {
        serde_json::from_str(stdout(&halftrack(arguments))).expect("an array")
    };
    let one = read(&["explain", "HTK226E", "--json"]);
    assert_eq!((one.len(), &one[0]["ibm"], &one[0]["codes"][0]), (1, &"ICP226I".into(), &"HTK226E".into()));
    assert!(["rule", "cause", "example", "fix"].iter().all(|key| one[0][key].is_string()), "{}", one[0]);
    assert!(read(&["explain", "--json"]).len() > 250);
}

#[test]
fn an_unknown_code_is_answered_with_the_nearest() {
    for (asked, near) in
        [(concat!("HTK929", "W"), "HTK929E"), ("HTK2226E", "HTK226E"), ("nonsense", "lists all")]
    {
        let output = halftrack(&["explain", asked]);
        assert_eq!(code(&output), 2, "{asked}");
        assert!(stderr(&output).contains(near), "{asked}: {}", stderr(&output));
    }
}

#[test]
fn the_page_of_messages_is_that_of_the_register() {
    let path = repository().join("docs/messages.md");
    let text = fs::read_to_string(&path).expect("docs/messages.md");
    let (head, shown) = text.split_once(HEAD_END).expect("the end of the head");
    let now = halftrack(&["explain", "--markdown"]);
    if env::var_os(UPDATE).is_some() {
        fs::write(&path, format!("{head}{HEAD_END}{}", stdout(&now))).expect("docs/messages.md");
        return;
    }
    assert!(shown == stdout(&now), "docs/messages.md is old; write it anew with {UPDATE}=1");
}

//! Link incidents of working links, recorded by both ends and shown by `halftrack link incidents`.

use std::fs;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

use crate::serve::{CONTROL_UNIT, Serving, Site};
use crate::support::{self, code, halftrack, stderr, stdout};

/// Most channels that are killed until one was logged in when it was.
const KILLED_MAX: u64 = 12;

/// Kills channels until the control unit has recorded a lost link. Nothing depends on how fast the machine is.
fn lose_a_link(site: &Site, channel: &str) {
    for attempt in 1..=KILLED_MAX {
        let mut command = Command::new(support::binary());
        command.args(["drive", channel, "--ios", "1000000000"]).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the command starts");
        sleep(Duration::from_millis(300 * attempt));
        child.kill().expect("it is there");
        child.wait().expect("it ends");
        for _ in 0..20 {
            sleep(Duration::from_millis(50));
            if !fs::read_to_string(site.path("box.jsonl")).unwrap_or_default().is_empty() {
                return;
            }
        }
    }
    panic!("no channel was logged in");
}

/// A channel is killed: the control unit records the loss of signal, and reports it to the next channel, which records it
/// too. Channels that end in order leave no incident.
#[test]
fn incidents_of_both_ends_are_shown() {
    let site = Site::new(CONTROL_UNIT);
    let (by_box, by_host) = (site.text("box.jsonl"), site.text("host.jsonl"));
    let serving = Serving::start(&site, &["--incidents", &by_box]);
    let channel = site.channel(&serving.address());
    let none = halftrack(&["drive", &channel, "--format", "--ios", "10", "--incidents", &by_host]);
    assert_eq!(code(&none), 0, "{}{}", stdout(&none), stderr(&none));
    let shown = halftrack(&["link", "incidents", &by_box, &by_host]);
    assert_eq!((code(&shown), stdout(&shown)), (0, "no link incidents\n"));
    lose_a_link(&site, &channel);
    let next = halftrack(&["drive", &channel, "--ios", "10", "--wait", "30", "--incidents", &by_host]);
    assert_eq!(code(&next), 0, "{}{}", stdout(&next), stderr(&next));
    let shown = halftrack(&["link", "incidents", &by_box, &by_host, "--json"]);
    let records: Value = serde_json::from_str(stdout(&shown)).expect("JSON");
    let records = records.as_array().expect("records");
    let of = |recorder: &str| {
        let record = records.iter().find(|record| record["recorder"] == recorder);
        record.unwrap_or_else(|| panic!("{recorder} has none: {records:?}"))
    };
    for key in ["incident", "code", "severity", "incident_port", "address", "connected_port", "transaction"] {
        assert_eq!(of("BOXA")[key], of("PROD1")[key], "{key}");
    }
    assert_eq!((of("BOXA")["port"].as_str(), of("PROD1")["port"].as_str()), (Some("0030"), Some("40")));
    assert_eq!(of("BOXA")["incident"], "loss of signal");
    let text = halftrack(&["link", "incidents", &by_host]);
    for part in ["03 loss of signal", "not operational", "50:05:07:63:00:00:00:30", "PROD1"] {
        assert!(stdout(&text).contains(part), "{part} is missing in:\n{}", stdout(&text));
    }
    assert!(serving.end().2.contains("port 0030: link incident: loss of signal"));
}

#[test]
fn a_file_with_something_else_is_bad_input() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let path = directory.path().join("host.jsonl");
    fs::write(&path, "\n{\"unix_s\": 1}\n").expect("the file");
    let refused = halftrack(&["link", "incidents", path.to_str().expect("UTF-8")]);
    assert_eq!((code(&refused), stdout(&refused)), (2, ""));
    for part in ["host.jsonl:2:", "HTK894E", "no record of a link incident", "has no link incidents to show"]
    {
        assert!(stderr(&refused).contains(part), "{part} is missing in:\n{}", stderr(&refused));
    }
    let missing = halftrack(&["link", "incidents", "/nonexistent/file"]);
    assert_eq!(code(&missing), 2, "{}", stderr(&missing));
}

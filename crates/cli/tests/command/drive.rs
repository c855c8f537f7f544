//! `halftrack drive` as users meet it: the result of every I/O, a capture, and the messages about bad input.

use std::fs::{self, File};
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::time::Duration;

use halftrack_wire::FcFrame;
use halftrack_wire::capture::CaptureReader;
use serde_json::Value;

use crate::serve::{CONTROL_UNIT, Serving, Site};
use crate::support::{self, code, halftrack, stderr, stdout};

#[test]
fn every_io_is_accounted_for_and_every_frame_captured() {
    let site = Site::new(CONTROL_UNIT);
    let serving = Serving::start(&site, &["--quiet"]);
    let (channel, capture) = (site.channel(&serving.address()), site.text("prod1.pcapng"));
    let first = halftrack(&["drive", &channel, "--format", "--ios", "50"]);
    assert_eq!(code(&first), 0, "{}{}", stdout(&first), stderr(&first));
    assert!(stdout(&first).contains("I/Os: 50 requested, 50 completed, 0 failed, 0 not begun\n"));
    let output = halftrack(&["drive", &channel, "--ios", "40", "--json", "--capture", &capture]);
    assert_eq!((code(&output), stderr(&output)), (0, ""));
    let outcome: Value = serde_json::from_str(stdout(&output)).expect("JSON");
    let stream = &outcome["streams"][0];
    let count = |key: &str| stream[key].as_u64().unwrap_or_else(|| panic!("{key} is no number"));
    assert_eq!(
        (count("reads") + count("writes"), count("transport_mode"), count("command_mode")),
        (40, 40, 0)
    );
    assert_eq!(stream["by_path"]["40"].as_u64(), Some(40));
    assert_eq!(count("bytes_verified") + count("bytes_learnt"), 4096 * count("reads"));
    assert!(stream["response_us"]["p99"].as_f64() >= stream["response_us"]["p50"].as_f64());
    let mut reader = CaptureReader::new(File::open(&capture).expect("the capture")).expect("pcapng");
    let mut ways = std::collections::BTreeMap::<String, u64>::new();
    while let Some(frame) = reader.next_frame().expect("a frame") {
        assert!(FcFrame::parse(&frame.frame).is_ok());
        *ways.entry(reader.interface_name(frame.interface).to_owned()).or_default() += 1;
    }
    assert_eq!(ways.keys().collect::<Vec<_>>(), ["PROD1 40 in", "PROD1 40 out"]);
    // A read takes a frame to the control unit, a write at least three.
    assert!(ways["PROD1 40 out"] >= count("reads") + 3 * count("writes"), "{ways:?}");
    assert_eq!(serving.end().0, 0);
}

#[test]
fn a_stream_that_does_not_fit_the_volume_is_shown_in_its_file() {
    let site = Site::new(CONTROL_UNIT);
    let serving = Serving::start(&site, &["--quiet"]);
    let channel = site.channel(&serving.address());
    let text = fs::read_to_string(&channel).expect("the file").replace("1-2", "1-4");
    fs::write(&channel, text).expect("the file");
    let output = halftrack(&["drive", &channel]);
    assert_eq!(code(&output), 2);
    let said = stderr(&output);
    assert!(said.contains("channel.toml:12:13 stream oltp: unit 00 has 4 cylinders"), "{said}");
    serving.end();
}

#[test]
fn without_a_control_unit_the_reason_is_told() {
    let site = Site::new(CONTROL_UNIT);
    let output = halftrack(&["drive", &site.channel("127.0.0.1:1")]);
    assert_eq!(code(&output), 1);
    let said = stderr(&output);
    assert!(said.contains("no channel path came online: path 40: no connection: "), "{said}");
}

/// Refused connections are no end for a driver that may wait; and neither end calls the orderly end a failure.
#[test]
fn a_control_unit_that_comes_later_is_waited_for() {
    let free = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    let site = Site::new(&CONTROL_UNIT.replace("127.0.0.1:0", &free.to_string()));
    let channel = site.channel(&free.to_string());
    let mut command = Command::new(support::binary());
    command
        .args(["drive", &channel, "--format", "--wait", "60"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let driving = command.spawn().expect("the command starts");
    // Longer than a driver waits that is refused.
    std::thread::sleep(Duration::from_secs(3));
    let serving = Serving::start(&site, &[]);
    let driven = driving.wait_with_output().expect("it ends");
    assert_eq!(code(&driven), 0, "{}{}", stdout(&driven), stderr(&driven));
    let (code, _, told) = serving.end();
    assert!(code == 0 && told.contains("logged out") && !told.contains("the connection failed"), "{told}");
}

#[test]
fn bad_files_are_shown_and_nothing_runs() {
    let site = Site::new(CONTROL_UNIT);
    let missing = halftrack(&["drive", &site.text("nowhere.toml")]);
    assert_eq!(code(&missing), 2);
    assert!(stderr(&missing).contains("cannot be read"), "{}", stderr(&missing));
    let wrong = halftrack(&["drive", &site.text("control-unit.toml")]);
    assert_eq!(code(&wrong), 2);
    assert!(stderr(&wrong).contains("the key `port` of the file is unknown"), "{}", stderr(&wrong));
}

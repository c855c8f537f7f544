//! Synchronous I/O between `halftrack serve` and `halftrack drive`: the data that it moves, the I/Os that it does not, by
//! reason, and a control unit that is stopped and killed. How many succeed depends on the machine and is not judged.

use std::fs;
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Signal, kill_process};
use serde_json::Value;

use crate::serve::{CONTROL_UNIT, Serving, Site};
use crate::support::{self, code, halftrack, stderr, stdout};

/// I/Os of a run.
const IOS: u64 = 400;

/// Returns a control unit with an adapter of these keys.
fn control_unit(keys: &str) -> String {
    format!("{CONTROL_UNIT}[[zhyperlink]]\nid = \"0100\"\nsocket = \"boxa.zhl\"\n{keys}\n")
}

/// Writes the file of a channel with a path to `address`, a link, and a stream of these keys.
fn channel(site: &Site, address: &str, stream: &str) -> String {
    // Long enough for a control unit that has to wait for a processor.
    let text = format!(
        "name = \"PROD1\"\nnode = \"50:05:07:64:00:00:00:01\"\n\
         [[path]]\nchpid = \"40\"\nconnect = \"{address}\"\nwwpn = \"50:05:07:64:00:00:00:40\"\n\
         [[zhyperlink]]\nsocket = \"boxa.zhl\"\ntimeout_us = 10000\n\
         [run]\nios = {IOS}\ncontents = \"pattern\"\n\
         [[stream]]\nname = \"db2\"\ndevices = [\"00\"]\ncylinders = \"1-2\"\n{stream}\n"
    );
    fs::write(site.path("channel.toml"), text).expect("the file");
    site.text("channel.toml")
}

/// Returns the keys of a stream with one job.
fn stream(synchronous: &str, read_share: f64, program: &str) -> String {
    format!(
        "synchronous = \"{synchronous}\"\nread_share = {read_share}\nprogram = {{ {program} }}\nclosed = {{ jobs = 1 }}"
    )
}

/// Runs a channel to its good end; returns its results and its warnings.
fn drive(channel: &str, options: &[&str]) -> (Value, String) {
    let output = halftrack(&[&["drive", channel, "--json"], options].concat());
    assert_eq!(code(&output), 0, "{}{}", stdout(&output), stderr(&output));
    let outcome: Value = serde_json::from_str(stdout(&output)).expect("JSON");
    assert_eq!(outcome["ledger"]["balanced"], Value::Bool(true), "{outcome}");
    (outcome, stderr(&output).to_owned())
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or(0)
}

fn sum(counts: &Value) -> u64 {
    counts.as_object().map_or(0, |counts| counts.values().map(number).sum())
}

/// Checks that every I/O of the stream moved its data once, over the link or over the path. Each that was tried over the link
/// succeeded or has a reason.
fn check_account(stream: &Value) {
    let synchronous = &stream["synchronous"];
    assert_eq!(number(&stream["reads"]) + number(&stream["writes"]), IOS, "{stream}");
    assert_eq!(number(&synchronous["ios"]) + sum(&stream["by_path"]), IOS, "{stream}");
    let mut successes = 0;
    for (direction, ios) in [("read", "reads"), ("write", "writes")] {
        let one = &synchronous[direction];
        let (attempts, reasons) = (number(&one["attempts"]), sum(&one["by_reason"]));
        assert_eq!(attempts, number(&one["successes"]) + reasons, "{one}");
        assert_eq!(attempts + sum(&one["never_tried"]), number(&stream[ios]), "{one}");
        let shares = ["link_busy", "cache_misses", "timeouts", "other"].map(|share| number(&one[share]));
        assert_eq!(shares.iter().sum::<u64>(), reasons, "{one}");
        successes += number(&one["successes"]);
    }
    assert_eq!(successes, number(&synchronous["ios"]), "{synchronous}");
    assert_eq!(number(&stream["mismatches"]), 0, "{stream}");
}

/// The driver compares every record that it reads; the volume is read by another command afterwards.
#[test]
fn a_volume_is_the_same_whichever_way_its_data_went() {
    let [linked, plain] = ["all", "none"].map(|synchronous| {
        let site = Site::new(&control_unit("write = true"));
        let serving = Serving::start(&site, &["--quiet"]);
        let file = channel(&site, &serving.address(), &stream(synchronous, 0.5, "block = \"4K\""));
        let (outcome, _) = drive(&file, &["--format"]);
        let (code, summary, _) = serving.end();
        assert_eq!(code, 0);
        let (volume, tracks) = (site.text("work01.ckd"), site.text("tracks"));
        let read = halftrack(&["volume", "read", &volume, "--tracks", "1/0-2/14", "-o", &tracks]);
        assert_eq!(support::code(&read), 0, "{}", stderr(&read));
        (outcome, summary, fs::read(tracks).expect("the tracks"))
    });
    assert!(linked.2 == plain.2, "the volumes differ");
    let (over_link, over_path) = (&linked.0["streams"][0], &plain.0["streams"][0]);
    check_account(over_link);
    assert_eq!(linked.0["zhyperlinks"][0]["operational"], Value::Bool(true), "{}", linked.0);
    let adapter = &linked.1["zhyperlinks"][0];
    for (direction, count) in [("read", "reads"), ("write", "writes")] {
        let successes = number(&over_link["synchronous"][direction]["successes"]);
        // The control unit may have executed one whose time was over, too.
        assert!(successes > 0 && number(&adapter[count]) >= successes, "{direction}: {over_link} {adapter}");
    }
    assert!(over_path["synchronous"].is_null() && number(&over_path["by_path"]["40"]) == IOS, "{over_path}");
}

#[test]
fn what_is_never_tried_and_what_is_switched_off_goes_over_the_path() {
    let site = Site::new(&control_unit("read = false"));
    let serving = Serving::start(&site, &["--quiet"]);
    let address = serving.address();
    // (directions, read share, record, direction with a reason, which kind, reason, warned)
    let cases = [
        ("all", 1.0, "record_bytes = 5120", "read", "never_tried", "over 4096 bytes", true),
        ("all", 1.0, "record_bytes = 4088", "read", "never_tried", "length no multiple of 16", true),
        ("read", 0.0, "block = \"4K\"", "write", "never_tried", "not enabled", false),
        ("all", 1.0, "block = \"4K\"", "read", "by_reason", "function disabled", false),
        ("all", 0.0, "block = \"4K\"", "write", "by_reason", "function disabled", false),
    ];
    for (synchronous, read_share, program, direction, kind, reason, warned) in cases {
        let file = channel(&site, &address, &stream(synchronous, read_share, program));
        let (outcome, warnings) = drive(&file, &["--format"]);
        let stream = &outcome["streams"][0];
        check_account(stream);
        assert_eq!(
            (number(&stream["by_path"]["40"]), warnings.contains("HTK829W")),
            (IOS, warned),
            "{warnings}"
        );
        let counts = &stream["synchronous"][direction][kind];
        // A request whose time was over was rejected by nobody.
        let timeouts = number(&stream["synchronous"][direction]["timeouts"]);
        assert_eq!(number(&counts[reason]) + timeouts, IOS, "{reason}: {stream}");
        assert!(number(&counts[reason]) > 0, "{reason}: {stream}");
    }
    serving.end();
}

#[test]
fn a_track_that_is_not_in_memory_is_a_miss_and_is_read_over_the_path() {
    let site = Site::new(&control_unit(""));
    let volume = site.text("work01.ckd");
    let create = ["volume", "create", &volume, "--type", "3390", "--cylinders", "4"];
    let made = halftrack(&[&create[..], &["--compress", "zlib", "--replace"]].concat());
    assert_eq!(code(&made), 0, "{}", stderr(&made));
    let keys = stream("read", 1.0, "block = \"4K\"");
    let serving = Serving::start(&site, &["--quiet"]);
    drive(&channel(&site, &serving.address(), &keys), &["--format"]);
    serving.end();
    // What was written is in memory; another process has nothing yet.
    let serving = Serving::start(&site, &["--quiet"]);
    let (outcome, _) = drive(&channel(&site, &serving.address(), &keys), &[]);
    let stream = &outcome["streams"][0];
    check_account(stream);
    let reads = &stream["synchronous"]["read"];
    assert!(number(&reads["cache_misses"]) > 0 && number(&reads["successes"]) > 0, "{reads}");
    assert_eq!(number(&stream["bytes_verified"]), 4096 * IOS);
    serving.end();
}

/// Begins a run of eight seconds and waits until it does I/O.
fn driving(site: &Site, channel: &str) -> Child {
    let text = fs::read_to_string(channel).expect("the file");
    fs::write(channel, text.replace(&format!("ios = {IOS}"), "duration_s = 8")).expect("the file");
    let child = Command::new(support::binary())
        .args(["drive", channel, "--json", "--wait", "60", "--history", &site.text("run.jsonl")])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let begun = Instant::now();
    let has_history = || fs::metadata(site.path("run.jsonl")).is_ok_and(|file| file.len() > 3_000);
    while !has_history() && begun.elapsed() < Duration::from_secs(60) {
        sleep(Duration::from_millis(20));
    }
    child
}

/// No I/O is lost, none ends twice, and every record read is the one that was written last.
#[test]
fn a_control_unit_that_is_stopped_and_killed_loses_no_io() {
    let free =
        TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").to_string();
    let text = control_unit("write = true").replace("127.0.0.1:0", &free).replace("writeback", "sync");
    let site = Site::new(&text);
    let serving = Serving::start(&site, &["--quiet"]);
    let keys = "synchronous = \"all\"\nread_share = 0.8\nprogram = { block = \"4K\" }\nclosed = { jobs = 4 }";
    drive(&channel(&site, &free, keys), &["--format"]);
    let child = driving(&site, &channel(&site, &free, keys));
    kill_process(serving.id(), Signal::STOP).expect("it is there");
    sleep(Duration::from_millis(200));
    kill_process(serving.id(), Signal::CONT).expect("it is there");
    sleep(Duration::from_millis(500));
    serving.kill();
    let serving = Serving::start(&site, &["--quiet"]);
    let driven = child.wait_with_output().expect("it ends");
    assert_eq!(code(&driven), 0, "{}{}", stdout(&driven), stderr(&driven));
    let outcome: Value = serde_json::from_str(stdout(&driven)).expect("JSON");
    let synchronous = &outcome["streams"][0]["synchronous"];
    let timeouts = ["read", "write"].map(|direction| number(&synchronous[direction]["timeouts"]));
    assert!(timeouts.iter().sum::<u64>() > 0 && number(&synchronous["ios"]) > 0, "{synchronous}");
    let link = &outcome["zhyperlinks"][0];
    assert!(number(&link["connections"]) >= 2 && link["operational"] == Value::Bool(true), "{outcome}");
    assert!(number(&outcome["paths"][0]["losses"]) > 0, "{outcome}");
    assert_eq!(outcome["ledger"]["balanced"], Value::Bool(true), "{outcome}");
    // Another reader, over the path alone.
    let (outcome, _) = drive(&channel(&site, &free, &stream("none", 1.0, "block = \"4K\"")), &[]);
    assert_eq!(number(&outcome["bytes_verified"]), 4096 * IOS, "{outcome}");
    serving.end();
    let checked = halftrack(&["volume", "check", &site.text("work01.ckd")]);
    assert_eq!(code(&checked), 0, "{}{}", stdout(&checked), stderr(&checked));
}

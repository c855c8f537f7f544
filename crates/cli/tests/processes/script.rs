//! `--faults` of `drive`, `serve` and `director` on their own.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use rustix::process::Signal;

use crate::host::Host;
use crate::plan::{Plan, Process};

/// Patience with processes that others slow down.
const PATIENCE: Duration = Duration::from_secs(60);

/// Returns the host of a run without other faults, with a formatted volume that is served.
fn host(seed: u64, line_fault: Option<(&'static str, &'static str)>) -> Host {
    let plan = Plan { line_fault, events: Vec::new(), jobs: 8, ..Plan::short(seed) };
    let mut host = Host::new(&plan).expect("a host");
    host.start(Process::Serve, 0.0).expect("it serves");
    host.command(&["drive", &host.text("format.toml"), "--format", "--ios", "1"]).expect("tracks");
    host
}

fn halftrack(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_halftrack")).args(arguments).output().expect("it starts")
}

#[test]
fn both_paths_lose_their_light_one_after_the_other_and_no_io_fails() {
    let mut host = host(101, Some(("light-lost", "")));
    host.start(Process::Drive, 3.0).expect("it starts");
    assert_eq!(host.wait(Process::Drive, PATIENCE), Ok(Some(0)), "{}", host.errors());
    let summary = host.drive_summary().expect("a summary");
    for path in 0..2 {
        assert!(summary["paths"][path]["losses"].as_u64() >= Some(1), "{summary}");
    }
    assert_eq!(summary["right"], true, "{summary}");
}

#[test]
fn a_process_ends_itself_as_by_sigkill() {
    let host = host(102, None);
    let script = "duration_s = 9\n[[event]]\nat_s = 0.1\nlasts_s = 1\nkind = \"process-killed\"\n";
    fs::write(host.path("killed.toml"), script).expect("a file");
    fs::write(host.path("other.toml"), other_unit(&host)).expect("a file");
    let volume = ["volume", "create", &host.text("other.ckd"), "--type", "3390", "--cylinders", "1"];
    host.command(&volume).expect("a volume");
    let serving = Command::new(env!("CARGO_BIN_EXE_halftrack"))
        .args(["serve", &host.text("other.toml"), "--quiet", "--faults", &host.text("killed.toml")])
        .stdout(Stdio::null())
        .spawn();
    let mut serving = serving.expect("it starts");
    // Its script begins with the first login.
    let channel = fs::read_to_string(host.path("format.toml")).expect("a file");
    fs::write(host.path("other-channel.toml"), channel.replace(":5000", ":6000")).expect("a file");
    halftrack(&["drive", &host.text("other-channel.toml"), "--wait", "5", "--duration", "20"]);
    assert_eq!(serving.wait().expect("it ends").signal(), Some(Signal::KILL.as_raw()));
}

/// Control unit and channel of the page have ports of their own; what it does in virtual time others test.
#[test]
fn a_path_loses_its_light_by_copying_the_commands_of_the_page() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/faults.md");
    let text = fs::read_to_string(page).expect("a page of the book");
    let blocks = text.split("```sh\n").skip(1).filter_map(|rest| rest.split_once("```\n"));
    let lines =
        blocks.flat_map(|(block, _)| block.lines()).filter(|line| !line.starts_with("halftrack faults"));
    let commands: Vec<_> = lines.collect();
    let directory = tempfile::tempdir().expect("a directory");
    let built = Path::new(env!("CARGO_BIN_EXE_halftrack")).parent().expect("a directory").display();
    let path = std::env::var("PATH").unwrap_or_default();
    // The control unit stays in the background, so that output goes to a file and to no pipe that it holds open.
    let commands = format!("exec >output 2>errors; trap 'kill $box || true' EXIT; {}", commands.join("\n"));
    let mut shell = Command::new("sh");
    shell.args(["-eu", "-c", &commands]).current_dir(directory.path()).env("PATH", format!("{built}:{path}"));
    let code = shell.status().expect("a shell").code();
    let read = |name: &str| fs::read_to_string(directory.path().join(name)).expect("text");
    let (output, errors) = (read("output"), read("errors"));
    assert_eq!((code, output.matches(" 0 failed, 0 not begun").count()), (Some(0), 2), "{output}{errors}");
    assert!(output.contains("online, lost once (before: no connection: no light"), "{output}");
    assert!(errors.contains("left to other processes: light-lost of chpid 40\n"), "{errors}");
}

/// Returns the file of a second control unit on the address of the host, behind port 6000.
fn other_unit(host: &Host) -> String {
    let unit = fs::read_to_string(host.path("control-unit.toml")).expect("a file");
    unit.replace(":3225", ":6000").replace(":3226", ":6001").replace(crate::host::VOLUME, "other.ckd")
}

#[test]
fn a_part_that_nothing_has_is_refused_and_one_of_another_process_named() {
    let host = host(103, None);
    let event = |part: &str| {
        format!("duration_s = 9\n[[event]]\nat_s = 1\nlasts_s = 1\nkind = \"light-lost\"\n{part}\n")
    };
    let drive = |script: String| {
        fs::write(host.path("part.toml"), script).expect("a file");
        halftrack(&["drive", &host.text("channel.toml"), "--ios", "1", "--faults", &host.text("part.toml")])
    };
    for (part, message) in [
        ("chpid = \"4O\"", "part.toml:6:9 `chpid` is \"4O\""),
        ("port = \"30\"", "part.toml:6:8 there can be no port 30"),
    ] {
        let refused = drive(event(part));
        let text = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(refused.status.code() == Some(2) && text.contains(message), "{text}");
    }
    let elsewhere = drive(event("port = \"0030\""));
    let text = String::from_utf8_lossy(&elsewhere.stderr).into_owned();
    assert!(
        elsewhere.status.success() && text.contains("other processes: light-lost of port 0030"),
        "{text}"
    );
}

//! Control group in which `halftrack smc run` has sockets show the option of SMC-R, and what is left of it behind a program.
//!
//! Where the kernel or the rights do not permit it this test reports that and checks nothing.

use std::fs;
use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};

use crate::smc::{connections, library, patient, status};
use crate::support::binary;

/// Program that is stopped with its test, and the lines that it prints.
struct Program {
    process: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Program {
    fn line(&mut self) -> String {
        self.lines.next().expect("a line").expect("text")
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // One that has ended is no trouble.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Starts a program over SMC-R by the option.
fn start(arguments: &[&str]) -> Program {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../smc_preload/tests/smc/programs/option.py");
    let mut command = Command::new(binary());
    command.args(["smc", "run", "--sign", "option", "--library"]).arg(library()).arg("python3");
    command.env("PYTHONDONTWRITEBYTECODE", "1").env("HALFTRACK_SMC_PATIENCE_MS", "20000");
    command.arg(script).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut process = command.spawn().expect("it starts");
    let lines = BufReader::new(process.stdout.take().expect("it is piped")).lines();
    Program { process, lines }
}

/// Returns whether a program can be run by the option; prints the reason where it cannot.
fn is_permitted() -> bool {
    let mut command = Command::new(binary());
    command.args(["smc", "run", "--sign", "option", "--library"]).arg(library()).arg("true");
    let output = command.output().expect("it starts");
    if !output.status.success() {
        let reason = String::from_utf8_lossy(&output.stderr);
        let is_refused = ["cgroup2", "not permitted", "denied", "not implemented", "Read-only"];
        assert!(is_refused.iter().any(|words| reason.contains(words)), "{reason}");
        let words = format!("NOT CHECKED: the option of SMC-R: {reason}");
        std::io::stderr().write_all(words.as_bytes()).expect("standard error");
    }
    output.status.success()
}

/// Returns the directory of the control group of a process.
fn group_of(process: u32) -> PathBuf {
    let groups = fs::read_to_string(format!("/proc/{process}/cgroup")).expect("it runs");
    let own = groups.lines().find_map(|line| line.strip_prefix("0::")).expect("control groups of version 2");
    let mounts = fs::read_to_string("/proc/self/mountinfo").expect("mounts");
    let mount = mounts.lines().find(|line| line.contains(" - cgroup2 ")).expect("control groups are mounted");
    PathBuf::from(mount.split(' ').nth(4).expect("a mount point")).join(own.trim_start_matches('/'))
}

/// The group is there while the program is, and gone behind it, though it is killed.
#[test]
fn nothing_is_left_behind_a_program_that_is_killed() {
    if !is_permitted() {
        return;
    }
    let mut server = start(&["server"]);
    let port = server.line();
    let group = group_of(server.process.id());
    assert!(group.to_string_lossy().contains("halftrack-smc-") && group.is_dir(), "{}", group.display());
    let mut client = start(&["client", &port]);
    assert_eq!(client.line(), "carried option");
    let rows = connections(&status(), &format!("127.0.0.1:{port}"));
    assert!(rows.len() == 2 && rows.iter().all(|(row, _)| row["recognised_by"] == "option"), "{rows:?}");
    let group_of_client = group_of(client.process.id());
    assert!(group_of_client != group && group_of_client.is_dir());
    server.process.kill().expect("it runs");
    drop(client);
    patient(|| (!group.exists() && !group_of_client.exists()).then_some(()));
}

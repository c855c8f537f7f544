//! Foreign programs: initiators of libiscsi and QEMU, and the tools of ext4.

use std::io::{self, Write};
use std::process::{Command, Output};

/// Set to `required` where the programs must be there.
const REQUIREMENT: &str = "HALFTRACK_ISCSI";
/// Debian packages libiscsi-bin, qemu-utils with qemu-block-extra, e2fsprogs.
const PROGRAMS: [&str; 7] =
    ["iscsi-test-cu", "iscsi-ls", "qemu-img", "qemu-io", "mke2fs", "debugfs", "e2fsck"];
/// Seconds after which a program is ended.
const LIMIT_S: u32 = 120;

/// Returns a program that is ended after its time, with the directories in which the tools of ext4 lie.
fn program(name: &str) -> Command {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new("timeout");
    command.env("PATH", format!("{path}:/usr/sbin:/sbin")).env("LC_ALL", "C");
    command.args(["--kill-after=5", &LIMIT_S.to_string(), name]);
    command
}

/// Finds the programs; without them reports that nothing is checked, unless they must be there.
///
/// # Panics
/// They must be there, and one is not.
pub fn are_there() -> bool {
    // `timeout` ends with 127 where there is no such program; without arguments each ends at once, or prints its help.
    let is_missing = |name: &&str| {
        let run = program(name).arg("--help").output();
        run.map_or(true, |output| output.status.code() == Some(127))
    };
    let missing = PROGRAMS.iter().copied().find(is_missing).or_else(|| {
        // The module of the protocol is a package of its own.
        let output = program("qemu-img").args(["info", "iscsi://127.0.0.1:1/none/0"]).output().ok()?;
        let is_unknown = String::from_utf8_lossy(&output.stderr).contains("Unknown protocol");
        is_unknown.then_some("iSCSI of qemu-img")
    });
    let Some(missing) = missing else { return true };
    let required = std::env::var(REQUIREMENT).is_ok_and(|value| value == "required");
    assert!(!required, "{REQUIREMENT}=required, but {missing} does not run");
    // Not `eprintln`, which the harness hides from whoever reads that the tests passed.
    let words =
        format!("NOT CHECKED: the SCSI target before foreign initiators; {missing} is not installed\n");
    io::stderr().write_all(words.as_bytes()).expect("standard error");
    false
}

/// Runs a program to its end, or to the end of its time.
///
/// # Panics
/// It cannot be run.
pub fn run(name: &str, arguments: &[&str]) -> Output {
    program(name).args(arguments).output().unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Runs a program that must succeed; returns its output.
///
/// # Panics
/// It fails.
pub fn succeed(name: &str, arguments: &[&str]) -> String {
    let output = run(name, arguments);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name} {arguments:?}: {}\n{text}\n{errors}", output.status);
    text
}

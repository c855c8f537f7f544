//! Programs with the library in front of theirs. Each ends by itself with 0 where all that it checks is so, and checks that its
//! connections have SMC-R.

mod functions;
mod option;

use std::env;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Set to `required` where the programs must be there.
const REQUIREMENT: &str = "HALFTRACK_SMC_PROGRAMS";
/// Milliseconds after which an end that has to send stays with TCP.
const PATIENCE: &str = "HALFTRACK_SMC_PATIENCE_MS";
/// Seconds after which a program hangs.
const LIMIT: &str = "120";

/// Returns whether `tool` can be used; prints a message where it cannot and need not.
fn is_there(tool: &str) -> bool {
    let runs = Command::new(tool).arg("--version").output().is_ok_and(|output| output.status.success());
    let is_required = env::var(REQUIREMENT).is_ok_and(|value| value == "required");
    assert!(runs || !is_required, "{REQUIREMENT}=required, but {tool} is not there");
    if !runs {
        // Not `eprintln`, which the harness hides from whoever reads that the tests passed.
        let words = format!("NOT CHECKED: SMC-R in {tool}, which is not installed\n");
        io::stderr().write_all(words.as_bytes()).expect("standard error");
    }
    runs
}

/// Returns the library of this build, which lies beside its tests.
fn library() -> PathBuf {
    env::current_exe().expect("a test has a file").with_file_name("libhalftrack_smc_preload.so")
}

fn program(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/smc/programs").join(name)
}

/// Makes a command that is stopped when it hangs.
fn limited(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new("timeout");
    command.args(["--kill-after=1", LIMIT]).arg(program).env("PYTHONDONTWRITEBYTECODE", "1");
    // A busy machine must not have connections stay with TCP that are to be carried.
    command.env(PATIENCE, "20000");
    command
}

fn run(command: &mut Command) {
    let output = command.output().expect("it starts");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn python(name: &str) {
    if is_there("python3") {
        run(limited("python3").arg(program(name)).env("LD_PRELOAD", library()));
    }
}

#[test]
fn streams_are_those_that_were_sent() {
    python("streams.py");
}

#[test]
fn calls_do_what_those_of_tcp_do() {
    python("calls.py");
}

#[test]
fn waits_find_what_is_ready() {
    python("waits.py");
}

#[test]
fn processes_share_connections_and_become_others_with_them() {
    python("processes.py");
}

#[test]
fn connections_that_stay_with_tcp_lose_nothing() {
    if is_there("python3") {
        run(limited("python3")
            .arg(program("fallbacks.py"))
            .env("LD_PRELOAD", library())
            .env(PATIENCE, "200"));
    }
}

#[test]
fn hostile_peers_harm_nobody_else() {
    python("hostile.py");
}

/// With one processor nobody spins, and all that sleep are woken.
#[test]
fn one_processor_is_enough() {
    if is_there("python3") && is_there("taskset") {
        for name in ["streams.py", "waits.py"] {
            run(limited("taskset")
                .args(["-c", "0", "python3"])
                .arg(program(name))
                .env("LD_PRELOAD", library()));
        }
    }
}

#[test]
fn streams_of_the_c_library_go_over_connections() {
    if !is_there("cc") {
        return;
    }
    let directory = tempfile::tempdir().expect("a directory");
    let binary = directory.path().join("stdio");
    run(Command::new("cc")
        .args(["-O1", "-D_GNU_SOURCE", "-pthread", "-o"])
        .arg(&binary)
        .arg(program("stdio.c")));
    run(limited(&binary).env("LD_PRELOAD", library()));
}

/// Without the library at the other end everything goes over TCP, and nothing of the rendezvous reaches a program.
#[test]
fn one_end_alone_stays_with_tcp() {
    if !is_there("python3") {
        return;
    }
    for (server_has, client_has) in [(true, false), (false, true), (true, true), (false, false)] {
        let command = |role: &str, port: &str, has: bool| {
            let mut command = limited("python3");
            command.arg(program("lone.py")).args([role, port]).stdout(Stdio::piped());
            if has {
                command.env("LD_PRELOAD", library());
            }
            command.spawn().expect("python3 starts")
        };
        let mut server = command("server", "0", server_has);
        let mut lines = BufReader::new(server.stdout.take().expect("it is piped")).lines();
        let port = lines.next().expect("a port").expect("text");
        let client = command("client", &port, client_has).wait_with_output().expect("it ends");
        let carried = usize::from(server_has && client_has);
        assert_eq!(String::from_utf8_lossy(&client.stdout), format!("ends {carried}\n"));
        assert_eq!(lines.next().expect("a line").expect("text"), format!("ends {carried}"));
        assert!(server.wait().expect("it ends").success());
    }
}

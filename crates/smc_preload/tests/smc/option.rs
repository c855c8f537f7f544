//! Option of TCP by which peers show SMC-R: who shows it, in which segments, and to whom octets of the rendezvous go.
//!
//! Where the kernel or the rights do not permit its programs these tests report that and check nothing.

use std::io::{self, BufRead as _, BufReader, Lines, Write as _};
use std::process::{Child, ChildStdout, Stdio};
use std::sync::Mutex;

use halftrack_smc_host::ControlGroup;

use crate::{is_there, library, limited, program};

/// Group of the ends that have one: a process makes one at a time.
static GROUP: Mutex<()> = Mutex::new(());

/// End of a connection.
#[derive(Clone, Copy)]
enum End {
    /// With the library, in a group whose sockets show the option.
    Option,
    /// With the library alone.
    Registry,
    /// By itself.
    Plain,
}

/// Server and client, with what each does, and the lines of both and of the capture.
type Connection<'a> = ((End, &'a str), (End, &'a str), [&'a str; 3]);

/// Program that is stopped with its test, and the lines that it prints.
struct Program {
    process: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Program {
    fn start(group: &ControlGroup, end: End, arguments: &[&str]) -> Self {
        let mut command = limited("python3");
        command.arg(program("option.py")).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        if !matches!(end, End::Plain) {
            command.env("LD_PRELOAD", library());
        }
        if matches!(end, End::Option) {
            command.env("HALFTRACK_SMC_TEST_GROUP", group.directory());
        }
        let mut process = command.spawn().expect("it starts");
        let lines = BufReader::new(process.stdout.take().expect("it is piped")).lines();
        Self { process, lines }
    }

    fn line(&mut self) -> String {
        self.lines.next().expect("a line").expect("text")
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // A server ends with its input.
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}

/// Runs connections between ends; checks the lines of server, client and capture.
fn check(connections: &[Connection<'_>]) {
    let _one = GROUP.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if !is_there("python3") {
        return;
    }
    let group = match ControlGroup::new() {
        Ok(group) => group,
        Err(error) => {
            let words = format!("NOT CHECKED: the option of SMC-R: {error}\n");
            assert!(words.lines().count() == 1, "the verifier refuses a program: {words}");
            return io::stderr().write_all(words.as_bytes()).expect("standard error");
        }
    };
    for ((server, serves), (client, calls), expected) in connections {
        let mut server = Program::start(&group, *server, &[serves]);
        let port = server.line();
        let mut capture = Program::start(&group, End::Plain, &["capture", &port]);
        assert_eq!(capture.line(), "ready");
        let mut client = Program::start(&group, *client, &[calls, &port]);
        let of_ends = [server.line(), client.line()];
        drop((server, client));
        let lines: Vec<_> = of_ends.into_iter().chain([capture.line()]).collect();
        assert_eq!(lines, expected, "{serves} {calls}");
    }
    group.remove().expect("all have ended");
}

/// Both segments have the option where both ends show it and no later one has; octets of the rendezvous go to no plain peer.
#[test]
fn both_segments_have_the_option_where_both_ends_show_it() {
    let (server, client) = ("server", "client");
    check(&[
        (
            (End::Option, server),
            (End::Option, client),
            ["carried option", "carried option", "True True 0 clc"],
        ),
        ((End::Plain, server), (End::Option, client), ["tcp none", "tcp none", "True False 0 none"]),
        ((End::Option, server), (End::Plain, client), ["tcp none", "tcp none", "False False 0 none"]),
        // An end without rights is recognised by the registry.
        (
            (End::Registry, server),
            (End::Option, client),
            ["carried none", "carried none", "True False 0 clc"],
        ),
        (
            (End::Option, server),
            (End::Registry, client),
            ["carried none", "carried none", "False False 0 clc"],
        ),
    ]);
}

/// A listener that a program without the library may get over `exec` shows no option, whose proposals that would read.
#[test]
fn a_listener_that_outlasts_an_exec_shows_no_option() {
    let by_registry = ["carried none", "carried none", "True False 0 clc"];
    check(&[((End::Option, "inheritable"), (End::Option, "client"), by_registry)]);
}

/// A server may close its listener as soon as it has accepted: nobody searches it, as by the registry.
#[test]
fn a_listener_that_is_closed_at_once_loses_no_connection() {
    let both = ["carried option", "carried option", "True True 0 clc"];
    let neither = ["tcp none", "tcp none", "False False 0 none"];
    check(&[
        ((End::Option, "closing"), (End::Option, "late"), both),
        ((End::Registry, "closing"), (End::Registry, "late"), neither),
    ]);
}

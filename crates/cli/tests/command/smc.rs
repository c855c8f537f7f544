//! `halftrack smc`: programs over SMC-R by both fabrics, and what is shown of them.
//!
//! Without the programs these tests report that and check nothing, unless `HALFTRACK_SMC_PROGRAMS=required` is set, as CI does.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

use crate::support::{binary, code, halftrack, is_shipped, stderr, stdout};

/// Set to `required` where the programs must be there.
const REQUIREMENT: &str = "HALFTRACK_SMC_PROGRAMS";
/// Octets that a web server gives.
const PAGE_BYTES: usize = 96 << 20;

/// Returns the library beside the command that ships, or the one that was built with the tests.
pub fn library() -> PathBuf {
    let beside = binary().with_file_name("libhalftrack_smc_preload.so");
    let built =
        std::env::current_exe().expect("a test has a file").with_file_name("libhalftrack_smc_preload.so");
    if is_shipped() && beside.exists() { beside } else { built }
}

fn is_there(tool: &str) -> bool {
    let runs = Command::new(tool).arg("--version").output().is_ok_and(|output| output.status.success());
    let is_required = std::env::var(REQUIREMENT).is_ok_and(|value| value == "required");
    assert!(runs || !is_required, "{REQUIREMENT}=required, but {tool} is not there");
    if !runs {
        let words = format!("NOT CHECKED: SMC-R in {tool}, which is not installed\n");
        std::io::stderr().write_all(words.as_bytes()).expect("standard error");
    }
    runs
}

/// Program that is stopped with its test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // One that has ended is no trouble.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Makes a command that runs a program over a fabric.
fn over(fabric: &str, program: &str) -> Command {
    let mut command = Command::new(binary());
    // A busy machine must not have them stay with TCP.
    command.env("HALFTRACK_SMC_PATIENCE_MS", "20000");
    command.args(["smc", "run", "--fabric", fabric, "--library"]).arg(library()).arg(program);
    command
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("it is bound").port()
}

pub fn status() -> Value {
    let output = halftrack(&["smc", "stat", "--json"]);
    assert_eq!((code(&output), stderr(&output)), (0, ""));
    serde_json::from_str(stdout(&output)).expect("JSON")
}

/// Returns the connections with an address, and their link groups.
pub fn connections(status: &Value, address: &str) -> Vec<(Value, Value)> {
    let groups = status["link_groups"].as_array().expect("link groups");
    let is_meant = |row: &&Value| row["local"] == address || row["peer"] == address;
    let rows = status["connections"].as_array().expect("connections").iter().filter(is_meant);
    let with_group = |row: &Value| {
        let group = groups.iter().find(|group| group["link_group"] == row["link_group"]);
        (row.clone(), group.expect("the group of a connection is shown").clone())
    };
    rows.map(with_group).collect()
}

/// Waits until something is so, for as long as a busy machine may take.
pub fn patient<T>(mut found: impl FnMut() -> Option<T>) -> T {
    for _ in 0..600 {
        if let Some(found) = found() {
            return found;
        }
        sleep(Duration::from_millis(50));
    }
    panic!("it never is so");
}

#[test]
fn redis_answers_over_shared_memory_and_its_connections_are_shown() {
    if !is_there("redis-server") || !is_there("redis-benchmark") {
        return;
    }
    let port = free_port().to_string();
    let mut server = over("shm", "redis-server");
    server.args(["--port", &port, "--save", "", "--bind", "127.0.0.1"]).stdout(Stdio::null());
    let _server = Running(server.spawn().expect("redis-server starts"));
    let benchmark = |more: &[&str]| {
        let mut command = over("shm", "redis-benchmark");
        command.args(["-h", "127.0.0.1", "-p", &port, "-q"]).args(more);
        command.output().expect("redis-benchmark starts")
    };
    // redis-benchmark waits without end where nobody listens.
    let ping = || Command::new("redis-cli").args(["-p", &port, "ping"]).output().expect("redis-cli starts");
    patient(|| ping().stdout.starts_with(b"PONG").then_some(()));
    for connections in ["1", "50"] {
        let output = benchmark(&["-t", "set,get", "-d", "3000", "-n", "20000", "-c", connections]);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains("GET: "), "{text}{}", stderr(&output));
    }
    // A client that waits has its connection, and a client without the library is answered over TCP.
    let address = format!("127.0.0.1:{port}");
    let mut subscriber = over("shm", "redis-cli");
    subscriber.args(["-p", &port, "subscribe", "news"]).stdout(Stdio::piped());
    let subscriber = Running(subscriber.spawn().expect("redis-cli starts"));
    let rows = patient(|| Some(connections(&status(), &address)).filter(|rows| rows.len() == 2));
    for (row, group) in &rows {
        assert_eq!((&row["state"], &group["fabric"]), (&"ACTIVE".into(), &"shm".into()), "{row} {group}");
        assert_eq!((&group["active_links"], &group["failovers"]), (&1.into(), &0.into()));
        assert!(row["sent_bytes"].as_u64() > Some(0) && row["rmb_bytes"] == 262_144, "{row}");
    }
    assert_eq!(ping().stdout, b"PONG\n");
    let fallbacks = status()["fallbacks"].to_string();
    assert!(fallbacks.contains(&address) && fallbacks.contains("peer did not indicate SMC"), "{fallbacks}");
    let table = halftrack(&["smc", "stat"]);
    drop(subscriber);
    let is_shown = ["LINK GROUP", "stayed with TCP"].iter().all(|words| stdout(&table).contains(words));
    assert!(is_shown, "{}", stdout(&table));
}

/// Serves a page over a fabric, and returns it as curl has received it. `meanwhile` gets the process of curl.
fn transferred(fabric: &str, meanwhile: impl FnOnce(u32, &str)) -> (Vec<u8>, Vec<u8>) {
    let directory = tempfile::tempdir().expect("a directory");
    let octet = |at: usize| (at as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).to_be_bytes()[0];
    let page: Vec<u8> = (0..PAGE_BYTES).map(octet).collect();
    fs::write(directory.path().join("page"), &page).expect("a page");
    let port = free_port();
    let mut server = over(fabric, "python3");
    server.args(["-u", "-m", "http.server", "--bind", "127.0.0.1", "--directory"]).arg(directory.path());
    server.arg(port.to_string()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut server = Running(server.spawn().expect("python3 starts"));
    let mut line = String::new();
    let output = server.0.stdout.take().expect("it is piped");
    BufReader::new(output).read_line(&mut line).expect("it says that it serves");
    let mut client = over(fabric, "curl");
    client.args(["--silent", "--fail", "--limit-rate", "40M", &format!("http://127.0.0.1:{port}/page")]);
    let mut client = Running(client.stdout(Stdio::piped()).spawn().expect("curl starts"));
    let mut output = client.0.stdout.take().expect("it is piped");
    let reader = std::thread::spawn(move || {
        let mut got = Vec::new();
        output.read_to_end(&mut got).map(|_| got)
    });
    meanwhile(client.0.id(), &format!("127.0.0.1:{port}"));
    let got = reader.join().expect("it only reads").expect("octets");
    assert!(client.0.wait().expect("it ends").success());
    (page, got)
}

#[test]
fn curl_gets_the_same_octets_over_shared_memory() {
    if is_there("curl") && is_there("python3") {
        let (page, got) = transferred("shm", |_, address| {
            patient(|| Some(()).filter(|()| connections(&status(), address).len() == 2));
        });
        assert!(page == got, "{} octets of {}", got.len(), page.len());
    }
}

#[test]
fn links_that_are_pulled_in_the_middle_of_a_transfer_lose_nothing() {
    if !is_there("curl") || !is_there("python3") {
        return;
    }
    let (page, got) = transferred("roce-udp", |client, address| {
        let of_client = |status: &Value| {
            let rows = connections(status, address);
            rows.into_iter().find(|(row, _)| row["role"] == "client").map(|(_, group)| group)
        };
        let client = client.to_string();
        let symmetric = |status: &Value| of_client(status).filter(|group| group["state"] == "SYM");
        patient(|| symmetric(&status()));
        for (turn, port) in ["1", "2", "1"].into_iter().enumerate() {
            let output = halftrack(&["smc", "port", &client, port, "down"]);
            assert_eq!(code(&output), 0, "{}", stderr(&output));
            let lost =
                |group: &Value| group["state"] == "SINGLE" || group["failovers"].as_u64() > Some(turn as u64);
            patient(|| of_client(&status()).filter(lost));
            let output = halftrack(&["smc", "port", &client, port, "up"]);
            assert_eq!(code(&output), 0, "{}", stderr(&output));
            patient(|| symmetric(&status()));
        }
        let group = of_client(&status()).expect("it transfers still");
        assert!(group["failovers"].as_u64() >= Some(1) && group["fabric"] == "roce-udp", "{group}");
    });
    assert!(page == got, "{} octets of {}", got.len(), page.len());
}

#[test]
fn what_cannot_be_is_refused_with_the_reason() {
    let cases: [(&[&str], &str); 4] = [
        (&["smc", "port", "1", "3", "down"], "3 is not in 1..=2"),
        (&["smc", "port", "999999999", "1", "down"], "process 999999999"),
        (&["smc", "run", "--element", "1", "true"], "1 is not in 16384..=524288"),
        (&["smc", "run", "--library", "/nowhere.so", "true"], "cargo build --profile ship"),
    ];
    for (arguments, words) in cases {
        let output = halftrack(arguments);
        assert_eq!(code(&output), 2, "{arguments:?}");
        assert!(stderr(&output).contains(words), "{arguments:?}: {}", stderr(&output));
    }
    let own = std::process::id().to_string();
    let output = halftrack(&["smc", "port", &own, "1", "down"]);
    assert!(code(&output) == 2 && stderr(&output).contains("no connections"), "{}", stderr(&output));
}

//! `halftrack director` as users meet it: bad files, strangers, the end on request.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::support::{self, code, halftrack, stderr, stdout};

const DIRECTOR: &str = r#"
name = "DIRECTOR 61"
wwn = "10:00:00:00:00:00:00:61"
domain = "61"
[[port]]
link = "04"
listen = "127.0.0.1:0"
[[port]]
link = "05"
listen = "127.0.0.1:0"
"#;

fn file(directory: &Path, text: &str) -> String {
    let path = directory.join("director.toml");
    fs::write(&path, text).expect("a file");
    path.to_str().expect("a path in UTF-8").to_owned()
}

/// Director that works until it is ended, or its test is over.
pub struct Working {
    /// `None` once it is ended.
    process: Option<Child>,
    pub places: Vec<String>,
}

impl Working {
    pub fn start(file: &str, arguments: &[&str]) -> Self {
        let mut process = Command::new(support::binary())
            .args(["director", file, "--json"])
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        let mut line = String::new();
        let mut letters = process.stdout.take().expect("it was piped");
        // Octet by octet: what follows is read later.
        while !line.ends_with('\n') {
            let mut octet = [0];
            letters.read_exact(&mut octet).expect("the line that says it is ready");
            line.push(char::from(octet[0]));
        }
        process.stdout = Some(letters);
        let ready: serde_json::Value = serde_json::from_str(&line).expect("JSON");
        let ports = ready["ports"].as_array().expect("ports");
        let places = ports.iter().filter_map(|port| port["listens"].as_str()).map(str::to_owned).collect();
        Self { process: Some(process), places }
    }

    /// Ends it as Ctrl-C does; returns exit code, the rest of its output, and its reports.
    pub fn end(mut self) -> (Option<i32>, String, String) {
        let process = self.process.take().expect("it works until here");
        Command::new("kill").args(["-INT", &process.id().to_string()]).status().expect("a signal");
        let output = process.wait_with_output().expect("it ends");
        (output.status.code(), stdout(&output).to_owned(), stderr(&output).to_owned())
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        if let Some(mut process) = self.process.take() {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

#[test]
fn mistakes_of_the_file_are_shown_and_nothing_listens() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let wrong =
        DIRECTOR.replace("domain = \"61\"", "domain = \"F0\"").replace("link = \"05\"", "link = \"04\"");
    let refused = halftrack(&["director", &file(directory.path(), &wrong)]);
    assert_eq!((code(&refused), stdout(&refused)), (2, ""));
    for part in ["director.toml:4:10", "from \"01\" to \"EF\"", "director.toml:9:", "cannot be a director"] {
        assert!(stderr(&refused).contains(part), "{part} is missing in:\n{}", stderr(&refused));
    }
    let beyond = DIRECTOR.replacen("127.0.0.1:0", "0.0.0.0:0", 1);
    let refused = halftrack(&["director", &file(directory.path(), &beyond)]);
    assert_eq!(code(&refused), 2);
    assert!(stderr(&refused).contains("listen_beyond_this_host = true"), "{}", stderr(&refused));
}

#[test]
fn a_stranger_is_closed_with_a_reason_and_the_director_ends_on_request() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let director = Working::start(&file(directory.path(), DIRECTOR), &["--json-lines"]);
    let mut stranger = TcpStream::connect(&director.places[0]).expect("it listens");
    stranger
        .write_all(b"GET / HTTP/1.1\r\nHost: halftrack\r\n\r\n0123456789012345678901234567890123456789")
        .expect("sent");
    let mut rest = Vec::new();
    // Closed with octets unread, the operating system may reset the connection.
    let _ = stranger.read_to_end(&mut rest);
    assert_eq!(rest, b"");
    let (code, summary, told) = director.end();
    assert_eq!(code, Some(0), "{told}");
    let summary: serde_json::Value = serde_json::from_str(&summary).expect("JSON");
    assert_eq!(summary["ports"][1]["link"], "05");
    let closed =
        BufReader::new(told.as_bytes()).lines().map_while(Result::ok).find(|line| line.contains("no FCIP"));
    let closed: serde_json::Value = serde_json::from_str(&closed.expect("the reason")).expect("JSON");
    assert_eq!((closed["port"].as_str(), closed["event"].as_str()), (Some("04"), Some("closed")));
}

#[test]
fn an_address_that_is_taken_is_said() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let director = Working::start(&file(directory.path(), DIRECTOR), &["--quiet"]);
    let taken = DIRECTOR.replacen("127.0.0.1:0", &director.places[0], 1);
    let refused = halftrack(&["director", &file(directory.path(), &taken)]);
    assert_eq!(code(&refused), 2);
    assert!(stderr(&refused).contains("port 04 cannot listen"), "{}", stderr(&refused));
    assert_eq!(director.end().0, Some(0));
}

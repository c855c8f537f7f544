//! `halftrack zedc`: cards that are processes, killed and updated under programs whose zlib uses them.
//!
//! Programs are python3's. Without it their tests report that and check nothing, unless `HALFTRACK_PYTHON=required` is set, as
//! CI does.

use std::io::{BufRead, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{binary, code, halftrack, is_shipped, stderr, stdout};

/// Compresses a stream that takes until the file `enough` is there, and compares.
const PROGRAM: &str = r#"
import os, sys, zlib
piece = b"".join(b"record %d of data set %d\n" % (n, n % 37) for n in range(4000))
print("begun", flush=True)
deflate, inflate = zlib.compressobj(1), zlib.decompressobj()
pieces = compressed = 0
def check(stream):
    global compressed
    compressed += len(stream)
    return inflate.decompress(stream)
whole = zlib.crc32(b"")
back = zlib.crc32(b"")
while pieces < 50 or not os.path.exists("enough"):
    whole = zlib.crc32(piece, whole)
    back = zlib.crc32(check(deflate.compress(piece)), back)
    pieces += 1
back = zlib.crc32(check(deflate.flush()), back)
back = zlib.crc32(inflate.flush(), back)
assert inflate.eof and back == whole, "octets were lost"
print("equal", pieces, compressed)
"#;

/// Processor time is nobody's here: how long a test waits for something that must come.
const PATIENCE: Duration = Duration::from_secs(60);

/// Machine with cards.
pub(crate) struct Machine {
    directory: TempDir,
    cards: Vec<Child>,
}

/// Program that is killed with its test.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        // One that has ended is no trouble.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Machine {
    pub(crate) fn new(cards: usize) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let mut machine = Self { directory, cards: Vec::new() };
        (0..cards).for_each(|_| machine.plug());
        machine
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    fn text(&self) -> &str {
        self.path().to_str().expect("a name in UTF-8")
    }

    /// Starts a card, and waits until it is ready.
    fn plug(&mut self) {
        self.plug_with(&[]);
    }

    /// Starts a card with other arguments, too.
    pub(crate) fn plug_with(&mut self, arguments: &[&str]) {
        let mut card = Command::new(binary())
            .args(["zedc", "serve", self.text()])
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the command starts");
        let mut line = String::new();
        BufReader::new(card.stdout.take().expect("output")).read_line(&mut line).expect("a line");
        assert!(line.starts_with("ready: card "), "{line}");
        self.cards.push(card);
    }

    pub(crate) fn kill(&mut self, at: usize) {
        self.cards[at].kill().expect("it is killed");
        self.cards[at].wait().expect("it ended");
    }

    /// Returns the cards as `show` gives them.
    fn show(&self) -> Vec<Value> {
        let output = halftrack(&["zedc", "show", self.text(), "--json"]);
        let shown: Value = serde_json::from_str(stdout(&output)).expect("JSON");
        shown["cards"].as_array().expect("cards").clone()
    }

    /// Returns how many requests a card has ended.
    pub(crate) fn requests(&self, card: u64) -> u64 {
        let shown = self.show();
        let own = shown.iter().find(|one| one["card"] == card).expect("the card is shown");
        own["functions"]
            .as_array()
            .expect("functions")
            .iter()
            .filter_map(|one| one["requests"].as_u64())
            .sum()
    }

    /// Waits until a card has ended more requests than `before`.
    fn wait_for_requests(&self, card: u64, before: u64) {
        let until = Instant::now() + PATIENCE;
        while self.requests(card) <= before {
            assert!(Instant::now() < until, "no request comes to card {card}");
            sleep(Duration::from_millis(5));
        }
    }

    /// Returns the command by which a program's zlib uses the cards.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(binary());
        command.args(["zedc", "run", self.text(), "--library"]).arg(library()).arg("--");
        command
    }

    /// Starts the program whose zlib uses the cards.
    fn program(&self) -> Program {
        let program = self
            .command()
            .args(["python3", "-c", PROGRAM])
            .current_dir(self.path())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the command starts");
        Program(program)
    }

    /// Lets the program end; it compares.
    fn end(&self, mut program: Program) {
        std::fs::write(self.path().join("enough"), "").expect("a file");
        let mut text = String::new();
        program.0.stdout.take().expect("output").read_to_string(&mut text).expect("text");
        assert!(program.0.wait().expect("it ends").success() && text.contains("equal"), "{text}");
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        for card in &mut self.cards {
            // One that was killed before is no trouble.
            let _ = card.kill();
            let _ = card.wait();
        }
    }
}

/// Returns the library beside the command that ships, or the one that was built with the tests.
pub fn library() -> PathBuf {
    let beside = binary().with_file_name("libz.so");
    let built = std::env::current_exe().expect("a test has a file").with_file_name("libz.so");
    if is_shipped() && beside.exists() { beside } else { built }
}

/// Returns whether python3 loads the zlib of the system.
pub fn has_python() -> bool {
    let loads = "import zlib; print('libz.so' in open('/proc/self/maps').read())";
    let output = Command::new("python3").args(["-c", loads]).output();
    let is_there = output.is_ok_and(|output| output.stdout.starts_with(b"True"));
    let required = std::env::var("HALFTRACK_PYTHON").is_ok_and(|value| value == "required");
    assert!(is_there || !required, "HALFTRACK_PYTHON=required, but no python3 loads libz.so");
    if !is_there {
        eprintln!("NOT CHECKED: no python3 loads libz.so");
    }
    is_there
}

#[test]
fn a_program_goes_on_when_its_cards_are_killed_and_plugged() {
    if !has_python() {
        return;
    }
    let mut machine = Machine::new(2);
    let program = machine.program();
    machine.wait_for_requests(0, 0);
    machine.wait_for_requests(1, 0);
    machine.kill(0);
    let before = machine.requests(1);
    machine.wait_for_requests(1, before);
    machine.kill(1);
    assert!(machine.show().is_empty());
    machine.end(program);

    // The sockets of the killed are still there: cards that are plugged replace them.
    std::fs::remove_file(machine.path().join("enough")).expect("a file");
    machine.plug();
    let program = machine.program();
    machine.wait_for_requests(0, 0);
    machine.plug();
    machine.wait_for_requests(1, 0);
    machine.end(program);
}

#[test]
fn firmware_of_either_group_is_updated_while_a_program_goes_on() {
    if !has_python() {
        return;
    }
    let machine = Machine::new(2);
    let program = machine.program();
    for (group, card, other) in [("RG1", 0, 1), ("RG2", 1, 0)] {
        machine.wait_for_requests(card, 0);
        let mut update = Command::new(binary())
            .args(["zedc", "update", machine.text(), group])
            .stdout(Stdio::piped())
            .spawn()
            .expect("the command starts");
        let mut lines = BufReader::new(update.stdout.take().expect("output"));
        let mut line = String::new();
        lines.read_line(&mut line).expect("a line");
        assert_eq!(line, format!("{group}: update of card {card} begun\n"));
        let before = machine.requests(card);
        machine.wait_for_requests(other, machine.requests(other) + 5);
        assert_eq!(machine.requests(card), before, "no request comes to a card in update");
        let second = halftrack(&["zedc", "update", machine.text(), "RG1"]);
        let message = format!("the firmware of {group} is updated");
        assert!(code(&second) == 2 && stderr(&second).contains(&message), "{}", stderr(&second));
        let process = rustix::process::Pid::from_child(&update);
        rustix::process::kill_process(process, rustix::process::Signal::INT).expect("it runs");
        assert!(update.wait().expect("it ends").success());
        machine.wait_for_requests(card, before);
    }
    machine.end(program);
}

#[test]
fn a_ninth_card_and_other_bad_input_are_refused() {
    let mut machine = Machine::new(8);
    let refused = |arguments: &[&str], message: &str| {
        let output = halftrack(&[&["zedc"], arguments].concat());
        assert!(code(&output) == 2 && stderr(&output).contains(message), "{}", stderr(&output));
    };
    let directory = machine.path().to_str().expect("a name in UTF-8").to_owned();
    let directory = directory.as_str();
    refused(&["serve", directory], "at most 8 zEDC Express cards: a ninth is not installed");
    refused(&["serve", directory, "--card", "8"], "cards are 0 to 7, not 8");
    refused(&["serve", directory, "--card", "3"], "card 3 is there already");
    refused(&["serve", directory, "--functions", "16"], "16 is not in 1..=15");
    refused(&["serve", directory, "--engine", "lzma"], "no engine \"lzma\"");
    refused(&["serve", directory, "--allow", "nobody-of-this-name"], "there is no user");
    refused(&["serve", "no-such-directory"], "mkdir no-such-directory");
    refused(&["update", directory, "RG3"], "a resource group is RG1 or RG2");
    refused(&["update", directory, "RG1", "--end"], "the firmware of RG1 is not updated");
    refused(&["function", directory, "0", "16", "offline"], "16 is not in 1..=15");
    refused(&["run", directory, "--library", "no-such-library", "--", "true"], "no-such-library");
    let groups: Vec<_> = machine.show().iter().map(|card| card["group"].clone()).collect();
    assert_eq!(groups.iter().filter(|group| *group == "RG1").count(), 4, "groups take turns: {groups:?}");
    machine.kill(3);
    machine.plug();
    assert_eq!(machine.show().len(), 8);
    let offline = halftrack(&["zedc", "function", directory, "3", "7", "offline"]);
    assert_eq!(stdout(&offline), "card 3 function 7: configured\n");
    assert_eq!(code(&halftrack(&["zedc", "function", directory, "3", "7", "offline"])), 1);
}

#[test]
fn bench_has_its_keys_and_compares() {
    let library = library();
    let output =
        halftrack(&["bench", "zedc", "--quick", "--json", "--library", library.to_str().expect("UTF-8")]);
    if code(&output) == 2 && stderr(&output).contains("next to no files") {
        eprintln!("NOT CHECKED: {}", stderr(&output));
        return;
    }
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let object: Value = serde_json::from_str(stdout(&output)).expect("JSON");
    for key in [
        "card_mb_per_s",
        "dropin_mb_per_s",
        "zlib_mb_per_s",
        "ratio",
        "ratio_zlib1",
        "queue_us_p50",
        "queue_us_p99_beside_flood",
    ] {
        assert!(object[key].as_f64().is_some_and(|figure| figure > 0.0), "{key}: {object}");
    }
    let (corpus, verified) = (object["corpus_bytes"].as_u64(), object["bytes_verified"].as_u64());
    assert_eq!(verified, corpus.map(|bytes| 3 * bytes), "card, library and zlib: {object}");
    assert!(!object["engines"].as_array().expect("engines").is_empty());
}

//! LUNs served and driven over FCP: their ready line, their mistakes, and data that outlive a kill.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{self, code, halftrack, stderr, stdout};

const CONTROL_UNIT: &str = r#"
name = "BOXA"
node = "50:05:07:63:00:00:00:01"
[[port]]
id = "0030"
listen = "127.0.0.1:0"
wwpn = "50:05:07:63:00:00:00:30"
[[port]]
id = "0031"
protocol = "fcp"
listen = "127.0.0.1:0"
wwpn = "50:05:07:63:00:00:00:31"
[[logical_control_unit]]
cuadd = "00"
[[logical_control_unit.volume]]
unit_address = "00"
file = "work01.ckd"
[[lun]]
number = 0
file = "disk0.img"
block_bytes = 4096
[[lun]]
number = 7
file = "disk1.img"
thin = true
hosts = ["50:05:07:64:00:00:00:40"]
"#;

/// A box that is killed when the test is over, however it ends.
struct Serving(Child);

impl Serving {
    fn kill(mut self) {
        self.0.kill().expect("it runs");
        self.0.wait().expect("it ends");
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

struct Site(TempDir);

impl Site {
    fn new(control_unit: &str) -> Self {
        let site = Self(tempfile::tempdir().expect("temporary directory"));
        let volume = site.text("work01.ckd");
        let made = halftrack(&["volume", "create", &volume, "--type", "3390", "--cylinders", "2"]);
        assert_eq!(code(&made), 0, "{}", stderr(&made));
        for name in ["disk0.img", "disk1.img"] {
            File::create(site.path(name)).and_then(|file| file.set_len(4 << 20)).expect("a raw file");
        }
        fs::write(site.path("control-unit.toml"), control_unit).expect("the file");
        site
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_str().expect("UTF-8").to_owned()
    }

    /// Starts the box; its process, and its ready line.
    fn serve(&self) -> (Serving, Value) {
        let mut command = Command::new(support::binary());
        command.args(["serve", &self.text("control-unit.toml"), "--json", "--quiet"]);
        let mut child = command.stdout(Stdio::piped()).spawn().expect("serve begins");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("its output");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        (Serving(child), serde_json::from_str(&line).expect("JSON"))
    }

    /// Drives a LUN at `place` and returns the outcome.
    fn drive(&self, place: &str, rest: &str) -> (i32, Value, String) {
        self.drive_with(place, rest, &[])
    }

    fn drive_with(&self, place: &str, rest: &str, options: &[&str]) -> (i32, Value, String) {
        let text = format!(
            "name = \"PROD1\"\nnode = \"50:05:07:64:00:00:00:01\"\n\
             [[path]]\nchpid = \"40\"\nconnect = \"{place}\"\nwwpn = \"50:05:07:64:00:00:00:40\"\n{rest}"
        );
        fs::write(self.path("channel.toml"), text).expect("the file");
        let channel = self.text("channel.toml");
        let driven = halftrack(&[&["drive", &channel, "--json"], options].concat());
        let outcome = serde_json::from_str(stdout(&driven)).unwrap_or(Value::Null);
        (code(&driven), outcome, stderr(&driven).to_owned())
    }
}

// Each extent of both units is written, whichever unit the next I/O goes to.
const FILL: &str = "[run]\nios = 1024\n[[stream]]\nname = \"fill\"\nprotocol = \"fcp\"\nluns = [0, 7]\nblock = \"32K\"\n\
                    order = \"sequential\"\nread_share = 0\nclosed = { jobs = 4 }\n";
const READ: &str = "[run]\nios = 500\ncontents = \"pattern\"\n[[stream]]\nname = \"read\"\nprotocol = \"fcp\"\n\
                    luns = [0, 7]\nblock = \"4K\"\nclosed = { jobs = 4 }\n";

/// One box has a device and two LUNs. What was acknowledged with `sync` is there after a kill.
#[test]
fn acknowledged_blocks_outlive_a_kill() {
    let site = Site::new(CONTROL_UNIT);
    let (serving, ready) = site.serve();
    assert_eq!((&ready["volumes"], ready["luns"].as_array().map(Vec::len)), (&1.into(), Some(2)), "{ready}");
    assert_eq!(
        (&ready["ports"][0]["protocol"], &ready["ports"][1]["protocol"]),
        (&"ficon".into(), &"fcp".into())
    );
    let lun = &ready["luns"][1];
    assert_eq!(
        (&lun["number"], &lun["blocks"], &lun["thin"]),
        (&7.into(), &8192.into(), &true.into()),
        "{lun}"
    );
    let place = ready["ports"][1]["listens"].as_str().expect("an address").to_owned();
    let (code, outcome, told) = site.drive(&place, FILL);
    assert_eq!((code, &outcome["right"]), (0, &true.into()), "{outcome} {told}");
    assert_eq!(outcome["streams"][0]["fcp"], 1024, "{outcome}");
    serving.kill();
    let (serving, ready) = site.serve();
    let place = ready["ports"][1]["listens"].as_str().expect("an address").to_owned();
    let (code, outcome, told) = site.drive(&place, READ);
    assert_eq!((code, &outcome["right"]), (0, &true.into()), "{outcome} {told}");
    assert_eq!(outcome["streams"][0]["bytes_learnt"], 0, "{outcome}");
    serving.kill();
}

/// The history of two runs has each start once and each end once, and the second numbers its writes behind those of the first.
#[test]
fn histories_have_every_io_of_luns() {
    let site = Site::new(CONTROL_UNIT);
    let (_serving, ready) = site.serve();
    let place = ready["ports"][1]["listens"].as_str().expect("an address");
    let mixed =
        READ.replace("block = \"4K\"", "block = \"4K\"\nread_share = 0.5").replace("pattern", "unknown");
    let history = site.text("run.jsonl");
    let mut newest = 0;
    for run in 0..2 {
        let (code, outcome, told) = site.drive_with(place, &mixed, &["--history", &history]);
        assert_eq!((code, &outcome["right"]), (0, &true.into()), "{outcome} {told}");
        let text = fs::read_to_string(&history).expect("the history");
        let events: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let begins = events.iter().rposition(|event| event.get("contents_seed").is_some()).expect("a run");
        let of = |key: &str| {
            let mut numbers: Vec<_> =
                events[begins..].iter().filter_map(|event| event[key].as_u64()).collect();
            numbers.sort_unstable();
            numbers
        };
        let (started, ended, writes) = (of("start"), of("end"), of("write"));
        assert!(started == ended && started.len() >= 500, "{run}: {} {}", started.len(), ended.len());
        assert!(started.windows(2).all(|pair| pair[0] < pair[1]) && writes[0] > newest, "{run}");
        newest = *writes.last().expect("a write");
    }
}

fn refused(control_unit: &str) -> String {
    let site = Site::new(control_unit);
    let refused = halftrack(&["serve", &site.text("control-unit.toml")]);
    assert_eq!((code(&refused), stdout(&refused)), (2, ""));
    stderr(&refused).to_owned()
}

#[test]
fn mistakes_of_luns_are_shown_with_their_place() {
    for (from, to, parts) in [
        ("number = 7", "number = 0", &["control-unit.toml:23:10", "LUN"][..]),
        ("block_bytes = 4096", "block_bytes = 520", &["`block_bytes` is 520: expected 512 or 4096"]),
        (
            "thin = true",
            "ports = [\"0030\"]",
            &["port 0030 is of FICON", "name one of the ports of FCP: 0031"],
        ),
        ("thin = true", "ports = [\"0039\"]", &["no port 0039 in the file"]),
        ("\"50:05:07:64:00:00:00:40\"]", "\"50:05:07:64\"]", &["control-unit.toml:26:10", "world-wide name"]),
        ("file = \"disk1.img\"", "file = \"none.img\"", &["LUN 7 cannot be served"]),
        ("file = \"disk0.img\"", "file = \"work01.ckd\"", &["volume file"]),
        ("protocol = \"fcp\"\n", "", &["no port is of FCP"]),
    ] {
        let said = refused(&CONTROL_UNIT.replacen(from, to, 1));
        for part in parts {
            assert!(said.contains(part), "{part} is missing in:\n{said}");
        }
    }
    let site = Site::new(CONTROL_UNIT);
    File::options()
        .write(true)
        .open(site.path("disk0.img"))
        .and_then(|file| file.set_len(4096 + 512))
        .expect("cut");
    let refused = halftrack(&["serve", &site.text("control-unit.toml")]);
    assert!(stderr(&refused).contains("no multiple of 4096 bytes"), "{}", stderr(&refused));
}

#[test]
fn mistakes_of_streams_are_shown_with_their_place() {
    let site = Site::new(CONTROL_UNIT);
    let mixed = format!(
        "{READ}[[stream]]\nname = \"b\"\ndevices = [\"00\"]\nprogram = {{ block = \"4K\" }}\nclosed = {{ jobs = 1 }}\n"
    );
    for (rest, part) in [
        (mixed.as_str(), "some streams are of FCP and others of FICON"),
        (&READ.replace("luns = [0, 7]", "luns = [256]"), "a LUN from 0 to 255"),
        (&READ.replace("block = \"4K\"", "block = \"4095\""), "a multiple of 512"),
        (&READ.replace("block = \"4K\"", "block = \"4K\"\ncylinders = \"1-2\""), "the key `cylinders`"),
    ] {
        let (code, _, told) = site.drive("127.0.0.1:1", rest);
        assert!(code == 2 && told.contains(part), "{part} is missing in:\n{told}");
    }
}

//! `halftrack serve` as scripts use it: a ready line, a channel that comes, a signal, a summary.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use halftrack_program::TrackAddress;
use halftrack_volume::{Mode, Track, Tracks, Volume};
use halftrack_wire::FcFrame;
use halftrack_wire::capture::CaptureReader;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

use crate::support::{self, code, halftrack, names_in, stderr, stdout};

pub const CONTROL_UNIT: &str = r#"
name = "BOXA"
node = "50:05:07:63:00:00:00:01"
[[port]]
id = "0030"
listen = "127.0.0.1:0"
wwpn = "50:05:07:63:00:00:00:30"
[[logical_control_unit]]
cuadd = "00"
[[logical_control_unit.volume]]
unit_address = "00"
file = "work01.ckd"
write = "writeback"
aliases = "80-83"
"#;

/// A directory with a volume of four cylinders and a control-unit file.
pub struct Site(TempDir);

impl Site {
    pub fn new(control_unit: &str) -> Self {
        let site = Self(tempfile::tempdir().expect("temporary directory"));
        let volume = site.text("work01.ckd");
        let made = halftrack(&["volume", "create", &volume, "--type", "3390", "--cylinders", "4"]);
        assert_eq!(code(&made), 0, "{}", stderr(&made));
        fs::write(site.path("control-unit.toml"), control_unit).expect("the file");
        site
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn text(&self, name: &str) -> String {
        self.path(name).to_str().expect("UTF-8").to_owned()
    }

    /// Writes a channel file that leads to `address`.
    pub fn channel(&self, address: &str) -> String {
        let text = format!(
            "name = \"PROD1\"\nnode = \"50:05:07:64:00:00:00:01\"\n\
             [[path]]\nchpid = \"40\"\nconnect = \"{address}\"\nwwpn = \"50:05:07:64:00:00:00:40\"\n\
             [run]\nios = 100\n\
             [[stream]]\nname = \"oltp\"\ndevices = [\"00\"]\ncylinders = \"1-2\"\nread_share = 0.5\n\
             program = {{ block = \"4K\" }}\nclosed = {{ jobs = 4 }}\n"
        );
        fs::write(self.path("channel.toml"), text).expect("the file");
        self.text("channel.toml")
    }
}

/// A control unit that is ready.
pub struct Serving {
    child: Child,
    printed: BufReader<ChildStdout>,
    ready: Value,
}

impl Serving {
    pub fn start(site: &Site, options: &[&str]) -> Self {
        Self::of_file(&site.text("control-unit.toml"), options)
    }

    /// Starts the control unit of a file.
    pub fn of_file(file: &str, options: &[&str]) -> Self {
        let mut command = Command::new(support::binary());
        command.args(["serve", file, "--json"]).args(options);
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command starts");
        let mut printed = BufReader::new(child.stdout.take().expect("standard output"));
        let mut line = String::new();
        printed.read_line(&mut line).expect("a line");
        let ready = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        Self { child, printed, ready }
    }

    pub fn address(&self) -> String {
        self.ready["ports"][0]["listens"].as_str().expect("an address").to_owned()
    }

    /// Returns its process.
    pub fn id(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Kills it.
    pub fn kill(mut self) {
        self.child.kill().expect("it is there");
        self.child.wait().expect("it ends");
    }

    /// Ends it; returns the exit code, the summary, and its reports.
    pub fn end(mut self) -> (i32, Value, String) {
        kill_process(Pid::from_child(&self.child), Signal::TERM).expect("it is there");
        let mut line = String::new();
        self.printed.read_line(&mut line).expect("a line");
        let mut told = String::new();
        self.child.stderr.take().expect("standard error").read_to_string(&mut told).expect("text");
        let code = self.child.wait().expect("it ends").code().expect("by itself");
        (code, serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}: {told}")), told)
    }
}

/// Frames of a capture by direction, every CRC right.
fn captured(path: &Path) -> [u64; 2] {
    let mut reader = CaptureReader::new(File::open(path).expect("the capture")).expect("pcapng");
    let mut counts = [0; 2];
    while let Some(frame) = reader.next_frame().expect("a frame") {
        assert!(FcFrame::parse(&frame.frame).is_ok());
        match reader.interface_name(frame.interface) {
            "BOXA.0030 out" => counts[0] += 1,
            "BOXA.0030 in" => counts[1] += 1,
            other => panic!("{other}"),
        }
    }
    counts
}

#[test]
fn a_channel_comes_and_a_signal_ends_it_with_capture_and_summary() {
    let site = Site::new(CONTROL_UNIT);
    let capture = site.text("boxa.pcapng");
    let serving = Serving::start(&site, &["--capture", &capture]);
    assert_eq!((&serving.ready["volumes"], &serving.ready["devices"]), (&1.into(), &5.into()));
    let driven = halftrack(&["drive", &site.channel(&serving.address()), "--format"]);
    assert_eq!(code(&driven), 0, "{}{}", stdout(&driven), stderr(&driven));
    assert!(!site.path("boxa.pcapng").exists(), "it is not whole yet");
    let (code, summary, told) = serving.end();
    assert_eq!(code, 0, "{told}");
    let port = &summary["ports"][0];
    assert!(port["exchanges"].as_u64() > Some(100), "{summary}");
    assert_eq!((&port["connections"], &port["abandoned"]), (&1.into(), &0.into()), "{summary}");
    let [out, received] = captured(&site.path("boxa.pcapng"));
    assert_eq!((port["frames_in"].as_u64(), port["frames_out"].as_u64()), (Some(out), Some(received)));
    assert!(told.contains("host 50:05:07:64:00:00:00:40 logged in"), "{told}");
    assert!(Volume::open(&site.path("work01.ckd"), Mode::Sync).is_ok(), "the volume is free");
    let left = names_in(site.0.path());
    assert!(left.iter().all(|name| !name.contains("partial") && !name.contains("journal")), "{left:?}");
}

#[test]
fn every_mistake_is_shown_before_anything_listens() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("its address").to_string();
    let text = CONTROL_UNIT.replace("127.0.0.1:0", &address).replace("work01.ckd", "nothing.ckd");
    let site = Site::new(&text);
    let refused = halftrack(&["serve", &site.text("control-unit.toml")]);
    assert_eq!(code(&refused), 2);
    assert_eq!(stdout(&refused), "");
    let said = stderr(&refused);
    for part in ["control-unit.toml:12:8 the volume cannot be served", "port 0030 cannot listen", "2 errors"]
    {
        assert!(said.contains(part), "{part} is missing in:\n{said}");
    }
    let open = site.path("control-unit.toml");
    fs::write(&open, CONTROL_UNIT.replace("127.0.0.1:0", "0.0.0.0:0")).expect("the file");
    let refused = halftrack(&["serve", &site.text("control-unit.toml")]);
    assert_eq!(code(&refused), 2);
    assert!(stderr(&refused).contains("listen_beyond_this_host = true"), "{}", stderr(&refused));
}

/// Cylinders 1 and 2 are formatted, nothing else comes, and the process is killed when the last track is in the file:
/// no clock is read, but for giving up.
#[test]
fn what_was_gathered_reaches_the_file_while_nothing_comes_and_outlives_a_kill() {
    let site = Site::new(CONTROL_UNIT);
    let volume = site.path("work01.ckd");
    let serving = Serving::start(&site, &[]);
    let channel = site.channel(&serving.address());
    let text = fs::read_to_string(&channel).expect("the file").replace("read_share = 0.5", "read_share = 1");
    fs::write(&channel, text).expect("the file");
    let driven = halftrack(&["drive", &channel, "--format"]);
    assert_eq!(code(&driven), 0, "{}{}", stdout(&driven), stderr(&driven));
    // Behind home address and record zero of cylinder 2 head 14.
    let last_track = 512 + (2 * 15 + 14) * 56_832 + 5 + 16;
    let is_there = || {
        let image = fs::read(&volume).expect("the volume");
        image[last_track..last_track + 8].iter().any(|octet| *octet != 0xFF)
    };
    let begun = Instant::now();
    while !is_there() && begun.elapsed() < Duration::from_secs(100) {
        sleep(Duration::from_millis(50));
    }
    assert!(is_there(), "nothing came into the file");
    serving.kill();
    let Ok(Volume::Ckd(mut tracks)) = Volume::open(&volume, Mode::Sync) else { panic!("a CKD volume") };
    for track in 15..45 {
        let address = TrackAddress::new(track / 15, (track % 15) as u8).expect("a track");
        assert_eq!(tracks.track(address).expect("readable").records(), 13, "track {track}");
    }
}

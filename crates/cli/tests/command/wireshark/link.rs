//! Captures of a working link: `halftrack serve` and `halftrack drive` over loopback.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::support;
use crate::wireshark::decoder::Decoded;
use crate::wireshark::tools::halftrack;
use crate::wireshark::tshark::Tshark;

/// I/Os of the run.
pub const IOS: usize = 200;

/// The process of a control unit, ended with the test whatever becomes of it.
struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        // It has ended already where all went well.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A volume, and the files of a control unit and of a channel.
pub struct Link {
    root: TempDir,
}

/// A control unit that runs and captures.
pub struct ControlUnit {
    channel: PathBuf,
    capture: PathBuf,
    process: Served,
    /// Its standard output, open until it ends.
    said: BufReader<ChildStdout>,
}

impl Link {
    /// Makes a volume that is not formatted yet.
    pub fn make() -> Self {
        let root = tempfile::tempdir().expect("temporary directory");
        let volume = text(&root.path().join("work01.ckd"));
        let made = halftrack(&["volume", "create", &volume, "--type", "3390", "--cylinders", "5"]);
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        Self { root }
    }

    /// Starts the control unit, which captures into a file of this name.
    pub fn serve(&self, capture: &str) -> ControlUnit {
        self.serve_over(1, capture)
    }

    /// Starts it with several links, each from a channel path of its own to a port of its own.
    pub fn serve_over(&self, links: usize, capture: &str) -> ControlUnit {
        let path = |name: &str| self.root.path().join(name);
        let ports: Vec<u16> = (0..links).map(|_| free_port()).collect();
        fs::write(path("control-unit.toml"), control_unit(&ports)).expect("file");
        fs::write(path("channel.toml"), channel(&ports)).expect("file");
        ControlUnit::start(self.root.path(), capture)
    }
}

impl ControlUnit {
    /// Starts the control unit of `control-unit.toml` in a directory, which captures into a file of this name there.
    pub fn start(directory: &Path, capture: &str) -> Self {
        let path = |name: &str| directory.join(name);
        let mut command = Command::new(support::binary());
        let capture = path(capture);
        command.args(["serve", &text(&path("control-unit.toml")), "--capture", &text(&capture)]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("serve begins");
        let mut said = BufReader::new(child.stdout.take().expect("its output"));
        let process = Served(child);
        let mut line = String::new();
        while !line.starts_with("ready") {
            line.clear();
            assert!(said.read_line(&mut line).expect("its output") > 0, "serve ended before it was ready");
        }
        Self { channel: path("channel.toml"), capture, process, said }
    }

    /// Runs the channel, ends the control unit, and gives its capture.
    pub fn drive(mut self, arguments: &[&str]) -> PathBuf {
        let output = halftrack(&[&["drive", &text(&self.channel)], arguments].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let id = i32::try_from(self.process.0.id()).ok().and_then(Pid::from_raw).expect("a process");
        kill_process(id, Signal::TERM).expect("it runs");
        let mut rest = String::new();
        while self.said.read_line(&mut rest).expect("its output") > 0 {}
        assert!(self.process.0.wait().expect("it ends").success(), "{rest}");
        self.capture
    }
}

/// Returns a path as an argument.
pub fn text(path: &Path) -> String {
    path.to_str().expect("UTF-8").to_owned()
}

/// Returns a port that nobody listens on.
pub fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback");
    listener.local_addr().expect("address").port()
}

fn control_unit(ports: &[u16]) -> String {
    let entry = |(number, port): (u8, &u16)| {
        format!(
            "[[port]]\nid = \"00{number}\"\nlisten = \"127.0.0.1:{port}\"\nwwpn = \"50:05:07:63:00:00:00:{number}\"\n"
        )
    };
    let ports: String = (30..).zip(ports).map(entry).collect();
    format!(
        "name = \"BOXA\"\nnode = \"50:05:07:63:00:00:00:01\"\n{ports}[[logical_control_unit]]\ncuadd = \"00\"\n\
         [[logical_control_unit.volume]]\nunit_address = \"00\"\nfile = \"work01.ckd\"\n"
    )
}

fn channel(ports: &[u16]) -> String {
    let path = |(number, port): (u8, &u16)| {
        format!(
            "[[path]]\nchpid = \"{number}\"\nconnect = \"127.0.0.1:{port}\"\nwwpn = \"50:05:07:64:00:00:00:{number}\"\n"
        )
    };
    let paths: String = (40..).zip(ports).map(path).collect();
    let stream = |name: &str, cylinders: &str, protocol: &str| {
        format!(
            "[[stream]]\nname = \"{name}\"\ndevices = [\"00\"]\ncylinders = \"{cylinders}\"\nread_share = 0.6\n\
             program = {{ block = \"4K\", positioning = \"prefix\" }}\nprotocol = \"{protocol}\"\nclosed = {{ jobs = 2 }}\n"
        )
    };
    format!(
        "name = \"PROD1\"\nnode = \"50:05:07:64:00:00:00:01\"\ncuadd = \"00\"\n\
         {paths}[run]\nios = {IOS}\n{}{}",
        stream("old", "0-1", "command"),
        stream("new", "2-3", "transport")
    )
}

#[test]
fn tshark_finds_nothing_wrong_from_login_to_logout() {
    let link = Link::make();
    let capture = link.serve("link.pcapng").drive(&["--format"]);
    let Some(tshark) = Tshark::on(&capture) else { return };
    tshark.assert_sound();
    let names = tshark.fields("fcels", &["_ws.col.Info"]);
    for name in ["FLOGI", "ACC (FLOGI)", "PLOGI", "ACC (PLOGI)", "RNID", "PRLI", "ACC (PRLI)", "LOGO"] {
        assert!(names.iter().any(|line| line.trim() == name), "{name} is missing in {names:?}");
    }
    let paths = tshark.fields("fcsb3.linkctlfn", &["_ws.col.Info"]);
    assert_eq!(&paths[..2], ["Link Control: ELP", "Link Control: LPE"]);
    tshark.assert_reassembles();
    assert!(tshark.count("fcsb3.ctlfn == 0xa0") > 0 && tshark.count("fcp && fc.r_ctl == 6") > 0);
    assert_eq!(tshark.count("fcsb3.ctlfn == 0xa0"), tshark.count("fcsb3.iui.val == 2"));
}

#[test]
fn the_decoder_finds_every_exchange_sound_and_whole() {
    let link = Link::make();
    let capture = link.serve("link.pcapng").drive(&["--format"]);
    let Some(decoded) = Decoded::of(&capture) else { return };
    decoded.assert_sound();
    assert!(decoded.text.contains(" 0 open at the end"), "{}", decoded.text);
    let of = |flow: &str| decoded.count(&format!("  {flow}"));
    let transport = of("transport mode 1+2") + of("transport mode 2+1");
    let command =
        of("command mode 4+3") + of("command mode 3+3") + of("command mode 4+2") + of("command mode 3+2");
    assert!(transport > 0 && command > 0, "{}", decoded.text);
    assert!(transport + command >= IOS, "{}", decoded.text);
}

#[test]
fn the_exchanges_of_two_links_are_told_apart_in_one_capture() {
    let link = Link::make();
    let capture = link.serve_over(2, "links.pcapng").drive(&["--format"]);
    let Some(tshark) = Tshark::on(&capture) else { return };
    tshark.assert_sound();
    tshark.assert_distinguished(2);
    tshark.assert_reassembles();
}

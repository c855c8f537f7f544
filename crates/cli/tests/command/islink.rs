//! `halftrack islink`: two systems as processes, killed, with pulled cables and through a director, and files that arrive whole.

use std::fs;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::director::Working;
use crate::support::{binary, code, halftrack, stderr, stdout};

/// Octets of the file that is moved.
const FILE_BYTES: usize = 48 << 20;

/// A directory with the decks and files of two systems.
pub struct Site(TempDir);

impl Site {
    /// Makes the decks of both systems.
    pub fn with_decks() -> Self {
        let site = Self(tempfile::tempdir().expect("temporary directory"));
        for (name, own, other) in [("VMA", 1, 2), ("VMB", 2, 1)] {
            site.file(&format!("{name}.iocp"), &deck(name, own, other));
        }
        site
    }

    fn new() -> Self {
        let site = Self::with_decks();
        let octets: Vec<u8> =
            (0..FILE_BYTES as u64).map(|at| (at.wrapping_mul(0x9E37_79B9) >> 21) as u8).collect();
        fs::write(site.path("disk.img"), octets).expect("a file");
        site
    }

    /// Returns the place of a file.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file, and returns its place.
    pub fn file(&self, name: &str, text: &str) -> String {
        fs::write(self.path(name), text).expect("a file");
        self.path(name).to_str().expect("UTF-8").to_owned()
    }

    /// Writes the files of both systems, whose two channels are at these places: VMA sends the file and VMB a pattern.
    fn systems(&self, places: [[String; 2]; 2]) -> [String; 2] {
        let streams = [["send", "disk.img", "receive"], ["receive", "copy.img", "send"]];
        self.systems_with(
            places,
            streams.map(|[file, disk, pattern]| {
                format!(
                    "[[{file}]]\nstream = 1\nfile = \"{disk}\"\n[[{pattern}]]\nstream = 2\npattern = \"40M\"\n"
                )
            }),
        )
    }

    /// Writes the files of both systems with these streams.
    fn systems_with(&self, places: [[String; 2]; 2], streams: [String; 2]) -> [String; 2] {
        [0, 1].map(|system| {
            let name = ["VMA", "VMB"][system];
            let channel = |channel: usize| {
                let port = |system: usize| format!("50:05:07:64:00:0{system}:00:4{channel}");
                format!(
                    "[[channel]]\nchpid = \"4{channel}\"\nwwpn = \"{}\"\npartner = \"{}\"\n{}\n",
                    port(system),
                    port(1 - system),
                    places[system][channel]
                )
            };
            let text = format!(
                "deck = \"{name}.iocp\"\npartition = \"{name}\"\npatience_s = 60\n{}{}{}",
                channel(0),
                channel(1),
                streams[system]
            );
            self.file(&format!("{name}.toml"), &text)
        })
    }

    /// Writes the files of systems that are connected without a director.
    fn connected(&self) -> [String; 2] {
        self.systems(direct())
    }

    /// Writes the files of systems with these streams, which are connected without a director.
    pub fn connected_with(&self, streams: [String; 2]) -> [String; 2] {
        self.systems_with(direct(), streams)
    }

    fn has_arrived(&self) -> bool {
        fs::read(self.path("copy.img")).ok() == fs::read(self.path("disk.img")).ok()
    }
}

/// Returns places of channels that are connected without a director.
fn direct() -> [[String; 2]; 2] {
    let addresses = [0, 1].map(|_| free_address());
    ["listen", "connect"].map(|key| addresses.each_ref().map(|address| format!("{key} = \"{address}\"")))
}

fn free_address() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("an address");
    listener.local_addr().expect("an address").to_string()
}

/// Returns a deck with two channels of four devices, whose numbers are striped.
fn deck(name: &str, own: u8, other: u8) -> String {
    let mut cards = vec![
        format!("         ID MSG1='{name}',SYSTEM=(3931,1)"),
        format!("         RESOURCE PARTITION=((CSS(0),({name},{own}))),MAXDEV=((CSS(0),9000,0))"),
    ];
    for channel in 0..2 {
        cards.push(format!("         CHPID PATH=(CSS(0),4{channel}),SHARED,PCHID=1{channel}0,TYPE=FC"));
        cards.push(format!(
            "{:<71}*",
            format!("         CNTLUNIT CUNUMBR=D00{channel},PATH=((CSS(0),4{channel})),UNITADD=((00,4)),")
        ));
        cards.push(format!("               CUADD={other},UNIT=FCTC"));
    }
    for channel in 0..2 {
        for unit in 0..4 {
            let number = format!("D0{channel}{unit}");
            cards.push(format!(
                "         IODEVICE ADDRESS={number},UNITADD=0{unit},CUNUMBR=D00{channel},UNIT=FCTC"
            ));
        }
    }
    cards.join("\n") + "\n"
}

/// Starts a system.
pub fn start(file: &str, arguments: &[&str]) -> Child {
    let mut command = Command::new(binary());
    command.args(["islink", file, "--json"]).args(arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a process")
}

/// Waits for the end of a system, which is to be right.
pub fn outcome(child: Child) -> Value {
    let output = child.wait_with_output().expect("an output");
    let found: Value = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    assert_eq!((code(&output), &found["error"]), (0, &Value::Null), "{}{found}", stderr(&output));
    found
}

/// Two processes move a file one way and made-up octets the other, over two channels with four devices each.
#[test]
fn files_cross_whole_between_two_processes() {
    let site = Site::new();
    let [one, other] = site.connected();
    let (one, other) = (start(&one, &[]), start(&other, &[]));
    let [one, other] = [outcome(one), outcome(other)];
    assert!(site.has_arrived());
    assert_eq!((&one["node"], &other["node"]), (&"VMB".into(), &"VMA".into()));
    assert_eq!(other["received"][0]["bytes"], FILE_BYTES);
    assert_eq!(one["received"][0]["bytes"], 40 << 20);
    let devices = one["devices"].as_array().expect("devices");
    let is_written = devices.iter().filter(|device| device["is_written"] == true).count();
    assert_eq!((devices.len(), is_written), (8, 7), "z/VM writes on all but one of eight devices");
    let reads: u64 = devices.iter().filter_map(|device| device["read_blocks"].as_u64()).sum();
    assert!(reads > 0, "{one}");
}

/// Either system is killed in the middle and started again: the file is whole in the end, and until then it has another name.
#[test]
fn a_killed_system_goes_on_where_it_was() {
    for killed in [0, 1] {
        let site = Site::new();
        let files = site.connected();
        let mut running = files.each_ref().map(|file| Some(start(file, &[])));
        let part = site.path("copy.img.part");
        let begun = Instant::now();
        while fs::metadata(&part).map_or(0, |part| part.len()) == 0 {
            assert!(begun.elapsed() < Duration::from_secs(30), "nothing arrives");
            sleep(Duration::from_millis(2));
        }
        let mut child = running[killed].take().expect("a process");
        child.kill().expect("a process");
        child.wait().expect("a process");
        running[killed] = Some(start(&files[killed], &[]));
        running.into_iter().flatten().for_each(|child| drop(outcome(child)));
        assert!(site.has_arrived() && !part.exists());
    }
}

/// Cables are pulled by a script while the streams cross: nothing is lost, and the losses are counted. However fast the machine
/// is and however late the systems find each other, cables are pulled more often than the octets need to cross.
#[test]
fn a_pulled_cable_loses_nothing() {
    let site = Site::new();
    let streams = |table: &str, file: &str| {
        format!("[[{table}]]\nstream = 1\nfile = \"{file}\"\n[[{table}]]\nstream = 3\npattern = \"768M\"\n")
    };
    let files = site.connected_with([streams("send", "disk.img"), streams("receive", "copy.img")]);
    let events = (0..14).map(|event| {
        let (at_s, chpid) = (0.1 + 0.3 * f64::from(event), 40 + event % 2);
        format!("[[event]]\nat_s = {at_s:.1}\nlasts_s = 0.15\nkind = \"light-lost\"\nchpid = \"{chpid}\"\n")
    });
    let stall = "[[event]]\nat_s = 1.05\nlasts_s = 0.1\nkind = \"stalled\"\nchpid = \"41\"\n";
    let script = format!("duration_s = 5.0\n{}{stall}", events.collect::<String>());
    let script = site.file("cables.toml", &script);
    let children = [start(&files[0], &["--faults", &script]), start(&files[1], &[])];
    let outcomes = children.map(outcome);
    assert!(site.has_arrived());
    assert_eq!(outcomes[1]["received"][1]["bytes"], 768 << 20);
    assert!(outcomes[0]["channel_losses"].as_u64() >= Some(1), "{}", outcomes[0]);
}

/// Through a director each channel logs in to the fabric, and the two find each other by name.
#[test]
fn channels_find_each_other_through_a_director() {
    let site = Site::new();
    let ports: String = ["04", "05", "14", "15"]
        .map(|link| format!("[[port]]\nlink = \"{link}\"\nlisten = \"127.0.0.1:0\"\n"))
        .concat();
    let text = format!("name = \"DIRECTOR 61\"\nwwn = \"10:00:00:00:00:00:00:61\"\ndomain = \"61\"\n{ports}");
    let director = Working::start(&site.file("director.toml", &text), &[]);
    let place = |port: usize| format!("connect = \"{}\"", director.places[port]);
    let files = site.systems([[place(0), place(1)], [place(2), place(3)]]);
    let outcomes = files.map(|file| start(&file, &[])).map(outcome);
    assert!(site.has_arrived(), "{outcomes:?}");
}

/// Every mistake is reported at its place, and nothing is begun.
#[test]
fn bad_input_is_reported_where_it_is() {
    let site = Site::new();
    let [one, _] = site.connected();
    let good = fs::read_to_string(&one).expect("a file");
    for (from, to, expected) in [
        ("partition = \"VMA\"", "partition = \"VMX\"", "HTK754E"),
        ("deck = \"VMA.iocp\"", "deck = \"disk.img\"", "HTK754E"),
        ("chpid = \"41\"", "chpid = \"42\"", "HTK755E"),
        ("patience_s = 60", "[link]\ndevices = [\"D000-D003\", \"D020\"]", "HTK756E"),
        ("patience_s = 60", "[link]\nnode = \"VMA\"", "HTK759E"),
        ("file = \"disk.img\"", "file = \"missing.img\"", "HTK758E"),
    ] {
        let file = site.file("bad.toml", &good.replace(from, to));
        let output = halftrack(&["islink", &file]);
        assert_eq!((code(&output), stdout(&output)), (2, ""), "{to}");
        assert!(stderr(&output).contains(expected), "{to}: {}", stderr(&output));
    }
}

/// Devices of ESCON are refused with their channel, its control unit and what can be done, and nothing is begun.
#[test]
fn devices_of_escon_have_no_frames() {
    let site = Site::new();
    let [one, _] = site.connected();
    let deck = fs::read_to_string(site.path("VMA.iocp")).expect("a deck");
    // The channel of FICON with the unit type of ESCON, and one of ESCON.
    let serial = deck.replace("UNIT=FCTC", "UNIT=SCTC");
    let escon = "         ID MSG1='VMA',SYSTEM=(2064,1)
         RESOURCE PARTITION=((VMA,1))
         CHPID PATH=(40),SHARED,TYPE=CNC
         CHPID PATH=(41),SHARED,TYPE=CTC
         CNTLUNIT CUNUMBR=4000,PATH=(40),UNITADD=((00,004)),CUADD=2,   *
               UNIT=SCTC
         CNTLUNIT CUNUMBR=4100,PATH=(41),UNITADD=((00,004)),CUADD=2,   *
               UNIT=SCTC
         IODEVICE ADDRESS=(D000,004),UNITADD=00,CUNUMBR=(4000),        *
               UNIT=SCTC
         IODEVICE ADDRESS=(D010,004),UNITADD=00,CUNUMBR=(4100),        *
               UNIT=SCTC
";
    for (deck, kinds) in [(serial.as_str(), ["TYPE=FC", "TYPE=FC"]), (escon, ["TYPE=CNC", "TYPE=CTC"])] {
        site.file("escon.iocp", deck);
        let text = fs::read_to_string(&one).expect("a file").replace("VMA.iocp", "escon.iocp");
        let output = halftrack(&["islink", &site.file("escon.toml", &text)]);
        let lines = stderr(&output);
        assert_eq!((code(&output), stdout(&output)), (2, ""), "{lines}");
        assert_eq!(lines.matches("HTK768E").count(), 2, "{lines}");
        assert!(lines.contains("escon.toml:") && lines.contains("escon.iocp:"), "{lines}");
        assert!(kinds.iter().all(|kind| lines.contains(kind)) && lines.contains("UNIT=SCTC"), "{lines}");
        assert!(lines.contains("name a channel of TYPE=FC"), "{lines}");
    }
}

/// Without the other system the command ends when its patience does, and gives the state of its channels.
#[test]
fn a_system_alone_does_not_wait_for_ever() {
    let site = Site::new();
    let [_, other] = site.connected();
    let text = fs::read_to_string(&other).expect("a file").replace("patience_s = 60", "patience_s = 0.5");
    let output = halftrack(&["islink", &site.file("alone.toml", &text)]);
    assert_eq!(code(&output), 1);
    assert!(stdout(&output).contains("channel path 40: no connection"), "{}", stdout(&output));
}

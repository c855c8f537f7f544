//! `halftrack islink` with disks over the channel of the logical link: a director, a control unit and two systems as processes.

use std::collections::BTreeSet;
use std::fs;
use std::process::Child;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::director::Working;
use crate::islink::{Site, outcome, start};
use crate::serve::Serving;
use crate::support::{code, halftrack, stderr, stdout};
use crate::wireshark::tshark::Tshark;

/// Returns a card that goes on, up to column 71.
fn card(text: &str) -> String {
    format!("{text:<71}*\n")
}

/// Returns the deck of a system. Its channel 40 leads to its partner, and to control unit 9000 of disks at port 06.
fn deck(name: &str, own: u8, other: u8) -> String {
    let partner = 3 + other;
    [
        format!("         ID MSG1='{name}',SYSTEM=(3931,1)\n"),
        format!("         RESOURCE PARTITION=((CSS(0),({name},{own}))),MAXDEV=((CSS(0),9000,0))\n"),
        "         CHPID PATH=(CSS(0),40),SHARED,PCHID=100,SWITCH=61,TYPE=FC\n".to_owned(),
        "         CHPID PATH=(CSS(0),41),SHARED,PCHID=110,SWITCH=61,TYPE=FC\n".to_owned(),
        card(&format!("         CNTLUNIT CUNUMBR=D000,PATH=((CSS(0),40)),LINK=((CSS(0),0{partner})),")),
        format!("               UNITADD=((00,4)),CUADD={other},UNIT=FCTC\n"),
        "         IODEVICE ADDRESS=(D000,4),UNITADD=00,CUNUMBR=D000,UNIT=FCTC\n".to_owned(),
        card("         CNTLUNIT CUNUMBR=9000,PATH=((CSS(0),40)),LINK=((CSS(0),06)),"),
        "               UNITADD=((00,256)),CUADD=0,UNIT=2107\n".to_owned(),
        "         IODEVICE ADDRESS=(9000,2),UNITADD=00,CUNUMBR=9000,UNIT=3390B\n".to_owned(),
        "         IODEVICE ADDRESS=(9080,2),UNITADD=80,CUNUMBR=9000,UNIT=3390A\n".to_owned(),
        card("         CNTLUNIT CUNUMBR=9100,PATH=((CSS(0),41)),LINK=((CSS(0),07)),"),
        "               UNITADD=((00,256)),CUADD=0,UNIT=2107\n".to_owned(),
        "         IODEVICE ADDRESS=(9100,2),UNITADD=00,CUNUMBR=9100,UNIT=3390B\n".to_owned(),
    ]
    .concat()
}

/// Returns the keys of the disks of a run.
fn disks(keys: &str) -> String {
    format!(
        "[disks]\n{keys}[[disks.stream]]\nname = \"oltp\"\ndevices = [\"9000-9001\"]\ncylinders = \"1-2\"\n\
         program = {{ block = \"4K\" }}\nread_share = 0.7\nclosed = {{ jobs = 4 }}\n"
    )
}

/// A director, a control unit with two volumes, and the files of two systems, of which VMA has disks.
struct Machines {
    site: Site,
    director: Option<Working>,
    files: [String; 2],
}

impl Machines {
    fn new(octets: usize, keys: &str) -> Self {
        let site = Site::with_decks();
        for (name, own, other) in [("VMA", 1, 2), ("VMB", 2, 1)] {
            site.file(&format!("{name}.iocp"), &deck(name, own, other));
        }
        let octets: Vec<u8> =
            (0..octets as u64).map(|at| (at.wrapping_mul(0x9E37_79B9) >> 21) as u8).collect();
        fs::write(site.path("disk.img"), octets).expect("a file");
        for volume in ["work01.ckd", "work02.ckd"] {
            let volume = site.path(volume);
            let volume = volume.to_str().expect("UTF-8");
            let made = halftrack(&["volume", "create", volume, "--type", "3390", "--cylinders", "4"]);
            assert_eq!(code(&made), 0, "{}", stderr(&made));
        }
        let ports = ["04", "05", "06", "07"]
            .map(|link| format!("[[port]]\nlink = \"{link}\"\nlisten = \"127.0.0.1:0\"\n"));
        let head = "name = \"DIRECTOR 61\"\nwwn = \"10:00:00:00:00:00:00:61\"\ndomain = \"61\"\n";
        let director = Working::start(&site.file("director.toml", &(head.to_owned() + &ports.concat())), &[]);
        site.file(
            "box.toml",
            &format!(
                "name = \"BOXA\"\nnode = \"50:05:07:63:00:00:00:01\"\n\
                 [[port]]\nid = \"0030\"\nconnect = \"{}\"\nwwpn = \"50:05:07:63:00:00:00:30\"\n\
                 [[logical_control_unit]]\ncuadd = \"00\"\n\
                 [[logical_control_unit.volume]]\nunit_address = \"00\"\nfile = \"work01.ckd\"\n\
                 [[logical_control_unit.volume]]\nunit_address = \"01\"\nfile = \"work02.ckd\"\n",
                director.places[2]
            ),
        );
        let files = [0, 1].map(|system| {
            let name = ["VMA", "VMB"][system];
            let port = |system: usize| format!("50:05:07:64:00:0{system}:00:40");
            let stream = [
                format!("[[send]]\nstream = 1\nfile = \"disk.img\"\n{}", disks(keys)),
                "[[receive]]\nstream = 1\nfile = \"copy.img\"\n".to_owned(),
            ];
            let text = format!(
                "deck = \"{name}.iocp\"\npartition = \"{name}\"\npatience_s = 60\n[[channel]]\nchpid = \"40\"\n\
                 wwpn = \"{}\"\npartner = \"{}\"\nconnect = \"{}\"\n{}",
                port(system),
                port(1 - system),
                director.places[system],
                stream[system]
            );
            site.file(&format!("{name}.toml"), &text)
        });
        Self { site, director: Some(director), files }
    }

    fn serve(&self) -> Serving {
        Serving::of_file(self.site.path("box.toml").to_str().expect("UTF-8"), &[])
    }

    fn start(&self, arguments: &[&str]) -> [Child; 2] {
        [start(&self.files[0], arguments), start(&self.files[1], &[])]
    }

    fn has_arrived(&self) -> bool {
        fs::read(self.site.path("copy.img")).ok() == fs::read(self.site.path("disk.img")).ok()
    }

    /// Reads what is on the disks over a channel of its own, and compares it with the pattern of the driver.
    fn assert_disks(&self) {
        let director = self.director.as_ref().expect("it works");
        let text = format!(
            "name = \"PROD1\"\nnode = \"50:05:07:64:00:00:00:03\"\n[[path]]\nchpid = \"50\"\nconnect = \"{}\"\n\
             wwpn = \"50:05:07:64:00:00:00:50\"\ncontrol_unit_port = \"50:05:07:63:00:00:00:30\"\n\
             [run]\nios = 400\ncontents = \"pattern\"\n[[stream]]\nname = \"again\"\ndevices = [\"00-01\"]\n\
             cylinders = \"1-2\"\nprogram = {{ block = \"4K\" }}\nclosed = {{ jobs = 2 }}\n",
            director.places[3]
        );
        let output = halftrack(&["drive", &self.site.file("channel.toml", &text), "--json"]);
        assert_eq!(code(&output), 0, "{}{}", stdout(&output), stderr(&output));
        let found: Value = serde_json::from_str(stdout(&output)).expect("JSON");
        assert!(found["bytes_verified"].as_u64() > Some(1_000_000), "{found}");
    }
}

impl Drop for Machines {
    fn drop(&mut self) {
        if let Some(director) = self.director.take() {
            director.end();
        }
    }
}

/// A file crosses while I/O goes to disks, over one fibre: both are right, the disks hold what was written, and tshark finds
/// exchanges of one port with both others in one capture.
#[test]
fn one_channel_carries_the_link_and_disks_of_the_deck() {
    let machines = Machines::new(48 << 20, "format = true\nduration_s = 1\n");
    let serving = machines.serve();
    let capture = machines.site.path("both.pcapng");
    let outcomes = machines.start(&["--capture", capture.to_str().expect("UTF-8")]).map(outcome);
    assert!(machines.has_arrived());
    let disks = &outcomes[0]["disks"];
    assert_eq!(disks["right"], true, "{disks}");
    assert_eq!(outcomes[0]["channel_losses"], 0);
    assert!(
        disks["ledger"]["completed"].as_u64() > Some(100) && disks["bytes_verified"].as_u64() > Some(0),
        "{disks}"
    );
    machines.assert_disks();
    assert_eq!(serving.end().0, 0);
    let Some(tshark) = Tshark::on(&capture) else { return };
    let of_channel = "fc.type == 0x1b || fc.type == 0x1c || fc.type == 0x08";
    let pairs = tshark.fields(of_channel, &["fc.s_id", "fc.d_id"]);
    let from_channel: BTreeSet<_> = pairs.iter().filter(|pair| pair.starts_with("61.04.00")).collect();
    let expected = ["61.04.00\t61.05.00", "61.04.00\t61.06.00"].map(str::to_owned);
    assert_eq!(from_channel, expected.iter().collect());
    for peer in ["61.05.00", "61.06.00"] {
        let count = tshark.count(&format!("fcsb3 && fc.s_id == 61.04.00 && fc.d_id == {peer}"));
        assert!(count > 4, "{count} frames of SB to {peer}");
    }
}

/// The control unit is killed in the middle and started again: the file arrives whole without a loss of the channel, and the I/O to
/// the disks goes on where it was.
#[test]
fn a_killed_control_unit_loses_nothing_of_the_link() {
    let machines = Machines::new(48 << 20, "format = true\nduration_s = 6\n");
    let serving = machines.serve();
    let children = machines.start(&[]);
    let begun = Instant::now();
    while !machines.site.path("copy.img.part").exists() && !machines.site.path("copy.img").exists() {
        assert!(begun.elapsed() < Duration::from_secs(30), "nothing arrives");
        sleep(Duration::from_millis(2));
    }
    // The disks are formatted by now, and their I/O has begun.
    sleep(Duration::from_millis(1500));
    serving.kill();
    let serving = machines.serve();
    let outcomes = children.map(outcome);
    assert!(machines.has_arrived());
    assert_eq!((&outcomes[0]["channel_losses"], &outcomes[1]["channel_losses"]), (&0.into(), &0.into()));
    let disks = &outcomes[0]["disks"];
    assert_eq!((&disks["right"], &disks["paths"][0]["losses"]), (&true.into(), &1.into()), "{disks}");
    assert_eq!(serving.end().0, 0);
}

/// Without a control unit the file crosses all the same. The command ends when the disks have been waited for, and gives the reason.
#[test]
fn a_missing_control_unit_leaves_the_link_alone() {
    let machines = Machines::new(1 << 20, "duration_s = 1\n");
    let text =
        fs::read_to_string(&machines.files[0]).expect("a file").replace("patience_s = 60", "patience_s = 3");
    fs::write(&machines.files[0], text).expect("a file");
    let [own, other] = machines.start(&[]);
    let output = own.wait_with_output().expect("an output");
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    outcome(other);
    assert!(machines.has_arrived());
    assert_eq!((code(&output), &found["error"]), (1, &Value::Null), "{found}");
    let why = found["disks_error"].as_str().expect("a reason");
    assert!(why.contains("link address 06"), "{why}");
}

/// Disks that the deck does not have so are reported at their place, and nothing is begun.
#[test]
fn disks_that_cannot_be_reached_are_reported() {
    let machines = Machines::new(1 << 10, "");
    let good = fs::read_to_string(&machines.files[0]).expect("a file");
    for (from, to, number, words) in [
        ("\"9000-9001\"", "\"9002\"", "HTK762E", "the deck has no device 9002"),
        ("\"9000-9001\"", "\"D000\"", "HTK762E", "UNIT=FCTC is a channel-to-channel device"),
        ("\"9000-9001\"", "\"9080\"", "HTK762E", "UNIT=3390A is an alias"),
        ("\"9000-9001\"", "\"1.9000\"", "HTK762E", "the deck has no device 9000"),
        ("\"9000-9001\"", "\"9100\"", "HTK763E", "no control unit on a channel of this file"),
        ("connect = ", "listen = ", "HTK764E", "the channel listens for its partner"),
        ("deck = \"VMA.iocp\"", "deck = \"same.iocp\"", "HTK764E", "LINK 05 is the port of the partner"),
        ("[[disks.stream]]", "[[disks.streams]]", "HTK893E", "no `[[disks.stream]]`"),
        ("name = \"oltp\"", "name = \"oltp\"\nprotocol = \"fcp\"", "HTK", "the stream is of FCP"),
        ("devices = [", "devices = [\"9003\", ", "HTK762E", "the deck has no device 9003"),
    ] {
        let own = deck("VMA", 1, 2);
        machines
            .site
            .file("same.iocp", &own.replace("(CSS(0),06)", "(CSS(0),05)").replace("CUADD=0,", "CUADD=1,"));
        let file = machines.site.file("bad.toml", &good.replacen(from, to, 1));
        let output = halftrack(&["islink", &file]);
        assert_eq!((code(&output), stdout(&output)), (2, ""), "{to}: {}", stderr(&output));
        let told = stderr(&output);
        assert!(told.contains(number) && told.contains(words), "{to}: {told}");
    }
}

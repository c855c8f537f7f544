//! Captures of simulated runs.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use crate::wireshark::captured::{Captured, CapturedSequence};
use crate::wireshark::decoder::Decoded;
use crate::wireshark::tools::{halftrack, repository};
use crate::wireshark::tshark::Tshark;

/// Frames of a capture: enough for every kind of exchange of the study.
const FRAMES: &str = "4000";

/// A capture of the study with programs of both modes, reads and writes, hits and misses.
struct Run {
    root: TempDir,
}

/// Two channels, each on a link of its own to a port of a box.
const DIRECT: [(&str, &str); 3] = [
    (
        "deck.iocp",
        "         ID MSG1='DIRECT',SYSTEM=(3931,1)\n\
         \x20        RESOURCE PARTITION=((CSS(0),(PROD1,1)))\n\
         \x20        CHPID PATH=(CSS(0),40),SHARED,PCHID=100,TYPE=FC\n\
         \x20        CHPID PATH=(CSS(0),41),SHARED,PCHID=101,TYPE=FC\n\
         \x20        CNTLUNIT CUNUMBR=1000,PATH=((CSS(0),40,41)),UNIT=2107,        *\n\
         \x20              UNITADD=((00,256)),CUADD=0\n\
         \x20        IODEVICE ADDRESS=(1000,064),CUNUMBR=(1000),UNIT=3390B\n",
    ),
    (
        "plant.toml",
        "[cpc]\nmodel = \"z16-max39\"\n[[lpar]]\nname = \"PROD1\"\ncps = 8\nzhpf = \"YES\"\n\
         [[card]]\ntype = \"fex32s\"\npchids = [\"100\", \"101\"]\n\
         [[cable]]\npchid = \"100\"\nto = \"BOXA.0030\"\nkm = 0.1\n\
         [[cable]]\npchid = \"101\"\nto = \"BOXA.0031\"\nkm = 0.1\n\
         [[control_unit]]\nname = \"BOXA\"\ntype = \"ds8950\"\nmodel = \"3390-54\"\nvolser = \"DX####\"\n\
         [[control_unit.port]]\nid = \"0030\"\n[[control_unit.port]]\nid = \"0031\"\n",
    ),
    (
        "workload.toml",
        "[run]\nwarmup_s = 0.0\ninterval_s = 0.02\nintervals = 1\nseed = 1\n\
         [[stream]]\nname = \"OLD\"\nlpar = \"PROD1\"\ndevices = [\"1000-101F\"]\nprogram = { block = \"27K\" }\n\
         read_share = 0.6\nhit_ratio = 1.0\nprotocol = \"command\"\nclosed = { jobs = 8 }\n\
         [[stream]]\nname = \"NEW\"\nlpar = \"PROD1\"\ndevices = [\"1020-103F\"]\nprogram = { block = \"4K\" }\n\
         read_share = 0.6\nhit_ratio = 1.0\nclosed = { jobs = 8 }\n",
    ),
];

impl Run {
    /// Makes a run of channels without a director.
    fn direct() -> Self {
        let root = tempfile::tempdir().expect("temporary directory");
        let study = root.path().join("study");
        fs::create_dir(&study).expect("directory");
        for (file, text) in DIRECT {
            fs::write(study.join(file), text).expect("study");
        }
        Self { root }
    }

    /// Makes a run of a study of the repository, as it is.
    fn of(name: &str) -> Self {
        let root = tempfile::tempdir().expect("temporary directory");
        let study = root.path().join("study");
        fs::create_dir(&study).expect("directory");
        for file in ["deck.iocp", "plant.toml", "workload.toml"] {
            fs::copy(repository().join("studies").join(name).join(file), study.join(file)).expect("study");
        }
        Self { root }
    }

    fn new() -> Self {
        let root = tempfile::tempdir().expect("temporary directory");
        let study = root.path().join("study");
        fs::create_dir(&study).expect("directory");
        for file in ["deck.iocp", "plant.toml", "workload.toml"] {
            let text = fs::read_to_string(repository().join("studies/z16-oltp").join(file)).expect("study");
            // A fortieth of a second has all the frames that are captured.
            let text = text.replace("warmup_s = 0.1\ninterval_s = 1.0", "warmup_s = 0.0\ninterval_s = 0.025");
            fs::write(study.join(file), text).expect("study");
        }
        Self { root }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn capture(&self, name: &str, arguments: &[&str]) -> PathBuf {
        let path = self.path(name);
        let study = self.path("study");
        let (study, file) = (study.to_str().expect("UTF-8"), path.to_str().expect("UTF-8"));
        let short = ["--capture", file, "--capture-frames", FRAMES];
        let output = halftrack(&[&["run", study], &short[..], arguments].concat());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
        assert!(said.contains("capture: the first 4000 frames; --capture-frames takes more"), "{said}");
        path
    }
}

#[test]
fn the_file_is_the_same_however_the_run_is_carried_out() {
    let run = Run::new();
    let planned = fs::read(run.capture("planned.pcapng", &[])).expect("capture");
    for arguments in [["--exchange", "live"], ["--threads", "2!"]] {
        let other = fs::read(run.capture("other.pcapng", &arguments)).expect("capture");
        assert!(planned == other, "{arguments:?} changes the capture");
    }
    let names = fs::read_dir(run.root.path()).expect("directory").count();
    assert_eq!(names, 3, "nothing is left beside the study and two captures");
}

#[test]
fn tshark_finds_nothing_wrong_and_decodes_command_mode() {
    let run = Run::new();
    let path = run.capture("twin.pcapng", &[]);
    let Some(tshark) = Tshark::on(&path) else { return };
    tshark.assert_sound();
    assert_eq!(tshark.count("fc"), 4000);
    let interfaces = tshark.fields("frame.interface_name == \"CHPID 0.40 in\"", &["fc.d_id"]);
    assert!(
        !interfaces.is_empty() && interfaces.iter().all(|address| address == "11.20.00"),
        "{interfaces:?}"
    );
    // Every command IU is one of the codes of the study's programs, and its CCW number runs from 1.
    let commands = tshark.fields("fcsb3.ccwcmd", &["fcsb3.ccwcmd", "fcsb3.ccw", "fcsb3.iui.as"]);
    assert!(
        !commands.is_empty() && commands.iter().all(|line| line.ends_with('1')),
        "{:?}",
        commands.first()
    );
    // Responses and accepted status, one for each status but for a few that are under way when the capture ends.
    let functions = tshark.fields("fcsb3.ctlfn", &["fcsb3.ctlfn"]);
    let of = |code: &str| functions.iter().filter(|function| function.as_str() == code).count();
    let status = tshark.count("fcsb3.iui.val == 2");
    let accepted = of("0xa0");
    assert!(
        accepted <= status && status <= accepted + 4 && status > 50,
        "{status} status, {accepted} accepted"
    );
    assert!(of("0x10") >= status);
    // Data IUs are put together from their frames: header, 4096 octets, CRC.
    let data = tshark.fields("fcsb3.iui.val == 0", &["fcsb3.databytecnt"]);
    assert!(!data.is_empty() && data.iter().all(|count| count == "4096"), "{:?}", data.first());
    tshark.assert_reassembles();
}

#[test]
fn the_exchanges_of_two_links_are_told_apart_in_one_capture() {
    let run = Run::direct();
    let path = run.capture("direct.pcapng", &[]);
    let Some(tshark) = Tshark::on(&path) else { return };
    tshark.assert_sound();
    tshark.assert_distinguished(2);
    // Most data of an information unit in command mode, 8 KiB: four frames.
    let sequences = Captured::read(&path).sequences();
    let longest = sequences.iter().filter(|sequence| sequence.header.fc_type >= 0x1B);
    assert_eq!(longest.map(|sequence| sequence.frames.len()).max(), Some(4));
}

#[test]
fn tshark_decodes_transport_mode_as_far_as_it_goes() {
    let run = Run::new();
    let path = run.capture("twin.pcapng", &[]);
    let Some(tshark) = Tshark::on(&path) else { return };
    let commands = tshark.fields(
        "fcp && fc.r_ctl == 6",
        &[
            "scsi_sbc.opcode",
            "scsi.spc.svcaction",
            "fcp.rddata",
            "fcp.wrdata",
            "fc.fctl.transfer_seq_initiative",
        ],
    );
    assert!(commands.len() > 100);
    let variable_length = |line: &&String| line.starts_with("0x7f\t0x1ffe\t");
    let odd: Vec<&String> = commands.iter().filter(|line| !variable_length(line)).collect();
    assert!(odd.is_empty(), "{odd:?}");
    // A read passes the initiative; a write whose data follow at once keeps it.
    let reads = commands.iter().filter(|line| line.ends_with("\t1\t0\t1")).count();
    let writes = commands.iter().filter(|line| line.ends_with("\t0\t1\t0")).count();
    assert!(reads > 0 && writes > 0 && reads + writes == commands.len());
}

/// Reads and writes over FCP: own reader and tshark see the same commands, each response answers one of them.
#[test]
fn scsi_commands_and_their_responses_pair() {
    let run = Run::of("published/fcp-port");
    let path = run.capture("fcp.pcapng", &["--set", "workload.stream.A.read_share=0.5"]);
    let sequences = Captured::read(&path).sequences();
    let kinds: BTreeSet<(u8, u8)> =
        sequences.iter().map(|sequence| (sequence.header.fc_type, sequence.header.r_ctl)).collect();
    let logins = [(0x01, 0x22), (0x01, 0x23), (0x20, 0x02), (0x20, 0x03)];
    let units = [(0x08, 0x01), (0x08, 0x05), (0x08, 0x06), (0x08, 0x07)];
    assert_eq!(kinds, logins.into_iter().chain(units).collect());
    let of = |r_ctl: u8| {
        let is_unit =
            |sequence: &&CapturedSequence| (sequence.header.fc_type, sequence.header.r_ctl) == (0x08, r_ctl);
        sequences.iter().filter(is_unit).count()
    };
    let Some(tshark) = Tshark::on(&path) else { return };
    tshark.assert_sound();
    let commands =
        tshark.fields("fcp && fc.r_ctl == 6", &["fc.s_id", "fc.d_id", "fc.ox_id", "scsi_sbc.opcode"]);
    let responses = tshark.fields("fcp && fc.r_ctl == 7", &["fc.d_id", "fc.s_id", "fc.ox_id"]);
    assert_eq!((commands.len(), responses.len()), (of(0x06), of(0x07)));
    assert!(responses.len() > 100, "{} responses", responses.len());
    let [mut open, mut operations, mut initiators] = [const { BTreeSet::new() }; 3];
    for command in &commands {
        let (exchange, operation) = command.rsplit_once('\t').expect("fields");
        let [initiator, target] = [0, 1].map(|at| exchange.split('\t').nth(at).expect("an address"));
        assert!(initiator.starts_with("11.20.") && ["11.04.00", "11.05.00"].contains(&target), "{exchange}");
        initiators.insert(initiator);
        operations.insert(operation);
        open.insert(exchange);
    }
    // Every subchannel has a virtual port, and none is the physical one.
    assert!(initiators.len() > 8 && !initiators.contains("11.20.00"), "{initiators:?}");
    assert_eq!(operations, BTreeSet::from(["0x28", "0x2a"]), "READ(10) and WRITE(10)");
    let unasked: Vec<_> = responses.iter().filter(|response| !open.contains(response.as_str())).collect();
    assert!(unasked.is_empty(), "{unasked:?}");
}

#[test]
fn the_decoder_finds_every_exchange_sound() {
    let run = Run::new();
    for arguments in [&[] as &[&str], &["--data", "real"], &["--fidelity", "frame"]] {
        let path = run.capture("twin.pcapng", arguments);
        let Some(decoded) = Decoded::of(&path) else { return };
        decoded.assert_sound();
        for flow in ["transport mode 1+2", "transport mode 2+1", "command mode 4+3", "command mode 4+2"] {
            assert!(decoded.count(&format!("  {flow}")) > 0, "{flow} is missing in:\n{}", decoded.text);
        }
    }
}

#[test]
fn the_decoder_finds_one_damaged_octet() {
    let run = Run::new();
    let path = run.capture("twin.pcapng", &[]);
    let damaged = run.path("damaged.pcapng");
    // TYPE and R_CTL of the frame, octet of its payload, whether the frame's CRC hides it, and the message.
    let cases = [
        (0x1B, 0x06, 40, false, "CRC is wrong"),
        (0x1B, 0x06, 14, true, "LRC is wrong"),
        (0x1C, 0x01, 700, true, "data CRC is wrong"),
        (0x08, 0x06, 50, true, "LRC is wrong"),
        (0x08, 0x01, 700, true, "the closing check word is wrong"),
        (0x08, 0x07, 41, true, "LRC is wrong"),
    ];
    for (fc_type, r_ctl, at, hidden, words) in cases {
        let mut captured = Captured::read(&path);
        let frame = captured.first(fc_type, r_ctl);
        captured.damage(frame, at, hidden);
        captured.write(&damaged);
        let Some(decoded) = Decoded::of(&damaged) else { return };
        decoded.assert_found(words);
    }
    let mut captured = Captured::read(&path);
    let lost = captured.first(0x1C, 0x03);
    captured.frames.remove(lost);
    captured.write(&damaged);
    let Some(decoded) = Decoded::of(&damaged) else { return };
    decoded.assert_found("IU count 2 is not the next");
}

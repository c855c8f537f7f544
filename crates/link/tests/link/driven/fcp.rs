//! A channel of FCP against logical units: data, paths pulled and stalled, restarts, and the wrong protocol.

use std::fs::File;
use std::net::TcpListener;
use std::path::Path;
use std::thread::{self, JoinHandle};

use halftrack_config::{ChannelFile, read_channel, read_control_unit};
use halftrack_input::SourceFile;
use halftrack_link::connector::{Connector, SingleConnector, TcpConnector};
use halftrack_link::control_unit::{LunTable, PortOptions, UnitTable, UnitVolume};
use halftrack_link::driver::{Drive, DriveError, FcpDrive, Progress, Report, Stage, Surroundings};
use halftrack_link::plug::{OneFibre, Plug, TcpPlug};
use halftrack_link::{Clock, ControlUnit, InProcessTransport, StopHandle, StopSignal};

use crate::driven::site::{Cable, make_volumes};

const MIB: u64 = 1 << 20;

/// Makes two raw files of 8 MiB and a CKD volume.
fn make_units(directory: &Path) {
    for name in ["disk0.img", "disk1.img"] {
        File::create(directory.join(name)).unwrap().set_len(8 * MIB).unwrap();
    }
    make_volumes(directory, 1);
}

/// Returns a box with a port of FICON, `ports` of FCP, two LUNs and a device.
fn control_unit_toml(ports: usize, lun_keys: &str) -> String {
    let port = |number: usize, protocol: &str| {
        format!(
            "[[port]]\nid = \"003{number}\"\nprotocol = \"{protocol}\"\nlisten = \"127.0.0.1:322{number}\"\n\
             wwpn = \"50:05:07:63:00:00:00:3{number}\"\n"
        )
    };
    let of_fcp: String = (0..ports).map(|number| port(number, "fcp")).collect();
    format!(
        "name = \"BOXA\"\nnode = \"50:05:07:63:00:00:00:01\"\n{of_fcp}{}\
         [[lun]]\nnumber = 0\nfile = \"disk0.img\"\nblock_bytes = 4096\n{lun_keys}\
         [[lun]]\nnumber = 5\nfile = \"disk1.img\"\nwrite = \"writeback\"\nthin = true\n\
         [[logical_control_unit]]\ncuadd = \"00\"\n[[logical_control_unit.volume]]\nunit_address = \"00\"\n\
         file = \"a.ckd\"\n",
        port(ports, "ficon"),
    )
}

struct Serving {
    stop: StopHandle,
    thread: JoinHandle<Vec<String>>,
}

impl Serving {
    fn begin<P: Plug + Send + 'static>(directory: &Path, toml: String, plugs: Vec<P>) -> Self {
        let directory = directory.to_owned();
        let (signal, stop) = StopSignal::by_hand().unwrap();
        let thread = thread::spawn(move || {
            let (file, found) = read_control_unit(&SourceFile::new("control-unit.toml", toml));
            assert!(found.is_empty(), "{}", found.iter().map(ToString::to_string).collect::<String>());
            let file = file.unwrap();
            let mut units = UnitTable::default();
            for volume in UnitVolume::of_file(&file, &directory) {
                units.open_volume(&volume).unwrap();
            }
            units.set_luns(LunTable::of_file(&file, &directory, false).unwrap());
            let ports = file.ports.iter().map(|port| PortOptions::of_entry(&file, port)).zip(plugs).collect();
            let mut control_unit: ControlUnit<P> = ControlUnit::new("BOXA", units, ports, Clock::start());
            let mut told = Vec::new();
            control_unit.run(Some(&signal), &mut |notice| told.push(notice.to_string())).unwrap();
            control_unit.into_parts().0.close().unwrap();
            told
        });
        Self { stop, thread }
    }

    /// Serves over TCP through `ports` ports of FCP and one of FICON.
    fn over_tcp(directory: &Path, ports: usize) -> (Self, Vec<String>) {
        let listeners: Vec<_> = (0..=ports).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
        let places = listeners.iter().map(|listener| listener.local_addr().unwrap().to_string()).collect();
        let plugs = listeners.into_iter().map(|listener| TcpPlug::listen(listener).unwrap()).collect();
        (Self::begin::<TcpPlug>(directory, control_unit_toml(ports, ""), plugs), places)
    }

    fn end(self) -> Vec<String> {
        self.stop.stop();
        self.thread.join().unwrap()
    }
}

fn channel(places: &[String], rest: &str) -> ChannelFile {
    let mut text = "name = \"PROD1\"\nnode = \"50:05:07:64:00:00:00:01\"\n".to_owned();
    for (index, place) in places.iter().enumerate() {
        text += &format!(
            "[[path]]\nchpid = \"4{index}\"\nconnect = \"{place}\"\nwwpn = \"50:05:07:64:00:00:00:4{index}\"\n"
        );
    }
    let (file, found) = read_channel(&SourceFile::new("channel.toml", text + rest));
    assert!(found.is_empty(), "{}", found.iter().map(ToString::to_string).collect::<String>());
    file.unwrap()
}

fn drive<C: Connector>(
    file: &ChannelFile,
    connectors: Vec<C>,
    around: &mut Surroundings<'_>,
) -> Result<Report, DriveError> {
    let channel = file.fcp.clone().expect("streams of FCP");
    FcpDrive::new(file.clone(), channel, connectors, Clock::start()).run(around)
}

fn quiet<'a>(
    taps: &'a mut (dyn FnMut(usize) -> Option<Box<dyn halftrack_link::FrameTap>> + 'a),
    progress: &'a mut dyn FnMut(&Progress),
) -> Surroundings<'a> {
    Surroundings { taps, progress, stop: None }
}

fn tcp(file: &ChannelFile) -> Vec<TcpConnector> {
    file.paths.iter().map(|path| TcpConnector::new(&path.connect)).collect()
}

const STREAMS: &str = r#"
[run]
ios = 3000
[[stream]]
name = "random"
protocol = "fcp"
luns = [0, 5]
block = "4K"
blocks = "0-1023"
read_share = 0.5
closed = { jobs = 16 }
[[stream]]
name = "long"
protocol = "fcp"
luns = [5]
block = "128K"
blocks = "8192-16383"
order = "sequential"
read_share = 0.5
closed = { jobs = 2 }
"#;

/// Data written are read back, over both kinds of blocks; a second run finds what the first has written.
#[test]
fn blocks_hold_what_was_written_to_them() {
    let directory = tempfile::tempdir().unwrap();
    make_units(directory.path());
    for contents in ["unknown", "unknown"] {
        let (near, far) = InProcessTransport::pair().unwrap();
        let serving = Serving::begin(
            directory.path(),
            control_unit_toml(1, ""),
            vec![OneFibre(Some(far)), OneFibre(None)],
        );
        let rest = STREAMS.replace("ios = 3000", &format!("ios = 3000\ncontents = \"{contents}\""));
        let file = channel(&["127.0.0.1:1".to_owned()], &rest);
        let (mut taps, mut progress) = (|_| None, |_: &Progress| ());
        let report =
            drive(&file, vec![SingleConnector(Some(near))], &mut quiet(&mut taps, &mut progress)).unwrap();
        assert!(report.is_right(), "{report:?}");
        for stream in &report.streams {
            let one = &stream.statistics;
            assert!(one.reads > 0 && one.writes > 0 && one.fcp == one.ios(), "{one:?}");
            assert!(one.verified_bytes > 0, "{one:?}");
        }
        let told = serving.end();
        assert!(told.iter().any(|line| line.contains("FCP, with retry")), "{told:?}");
    }
}

/// A port that takes one command at a time refuses the others; they wait as long as it takes.
#[test]
fn a_target_that_is_full_is_asked_again_until_it_takes_the_command() {
    let directory = tempfile::tempdir().unwrap();
    make_units(directory.path());
    let (near, far) = InProcessTransport::pair().unwrap();
    let toml = control_unit_toml(1, "");
    let toml = toml.replacen("protocol = \"fcp\"\n", "protocol = \"fcp\"\nopen_exchanges = 1\n", 1);
    let serving = Serving::begin(directory.path(), toml, vec![OneFibre(Some(far)), OneFibre(None)]);
    let rest = "[run]\nios = 2000\n[[stream]]\nname = \"many\"\nprotocol = \"fcp\"\nluns = [5]\nblock = \"64K\"\n\
                read_share = 0.5\nclosed = { jobs = 64 }\n";
    let file = channel(&["127.0.0.1:1".to_owned()], rest);
    let (mut taps, mut progress) = (|_| None, |_: &Progress| ());
    let report =
        drive(&file, vec![SingleConnector(Some(near))], &mut quiet(&mut taps, &mut progress)).unwrap();
    assert!(report.is_right(), "{report:?}");
    let statistics = &report.streams[0].statistics;
    assert!(statistics.busy > 500, "{statistics:?}");
    serving.end();
}

const A_MINUTE: &str = r#"
[run]
duration_s = 60
[[stream]]
name = "random"
protocol = "fcp"
luns = [0, 5]
block = "4K"
blocks = "0-1023"
read_share = 0.5
closed = { jobs = 12 }
"#;

/// Runs over two paths until `act` has been called for, with a cable in the first, and both paths are online again.
fn run_with_cable(act: impl Fn(&Cable, u32)) -> (Report, Vec<String>) {
    let directory = tempfile::tempdir().unwrap();
    make_units(directory.path());
    let (serving, places) = Serving::over_tcp(directory.path(), 2);
    let cable = Cable::to(&places[0]);
    let file = channel(&[cable.place.clone(), places[1].clone()], A_MINUTE);
    let (mut stop, handle) = StopSignal::by_hand().unwrap();
    let mut polls = 0;
    let mut look = |progress: &Progress| {
        if polls > 0 || progress.stage == Stage::Running && progress.ios > 0 && progress.paths == 2 {
            act(&cable, polls);
            polls += 1;
            if polls > 16 && progress.paths == 2 {
                handle.stop();
            }
        }
    };
    let mut around = Surroundings { taps: &mut |_| None, progress: &mut look, stop: Some(&mut stop) };
    let report = drive(&file, tcp(&file), &mut around).unwrap();
    (report, serving.end())
}

/// Asserts that no I/O fails, none takes longer than 3 s, and the path comes back.
fn assert_lost_once(report: &Report) {
    assert!(report.is_right() && report.interrupted, "{report:?}");
    let one = &report.streams[0].statistics;
    assert!(one.by_path[0] > 0 && one.by_path[1] > 0, "{:?}", one.by_path);
    assert!(report.paths[0].losses >= 1 && report.paths[1].losses == 0, "{:?}", report.paths);
    assert!(report.paths.iter().all(|path| path.online), "{:?}", report.paths);
    assert!(one.response_ns.max() < 3_000_000_000, "{} ns", one.response_ns.max());
}

#[test]
fn a_pulled_path_costs_no_io_and_comes_back() {
    let (report, told) = run_with_cable(|cable, polls| {
        if polls == 0 {
            cable.pull();
        }
    });
    assert_lost_once(&report);
    assert!(told.iter().any(|line| line.contains("no longer logged in")), "{told:?}");
}

#[test]
fn a_path_that_stalls_is_left_within_three_seconds() {
    let (report, _) = run_with_cable(|cable, polls| match polls {
        0 => cable.stall(true),
        9 => {
            cable.pull();
            cable.stall(false);
        }
        _ => {}
    });
    assert_lost_once(&report);
}

/// A channel of FICON at a port of FCP is refused, and the other way round; both ends report why.
#[test]
fn a_channel_of_the_other_protocol_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    make_units(directory.path());
    let (serving, places) = Serving::over_tcp(directory.path(), 1);
    let ficon = "[run]\nios = 1\n[[stream]]\nname = \"a\"\ndevices = [\"00\"]\nprogram = { block = \"4K\" }\n\
                 closed = { jobs = 1 }\n";
    let file = channel(&places[..1], ficon);
    let mut around = Surroundings { taps: &mut |_| None, progress: &mut |_| (), stop: None };
    let error = Drive::new(file.clone(), tcp(&file)).run(false, &mut around).unwrap_err().to_string();
    assert!(error.contains("one of the two ports is of FICON and the other of FCP"), "{error}");
    let file = channel(&places[1..], STREAMS);
    let error = drive(&file, tcp(&file), &mut around).unwrap_err().to_string();
    assert!(error.contains("one of the two ports is of FICON and the other of FCP"), "{error}");
    let told = serving.end();
    let refused = told.iter().filter(|line| line.contains("of FICON and the other of FCP")).count();
    assert!(refused >= 2, "{told:?}");
}

/// A unit that a mask hides from a host does not exist for it.
#[test]
fn a_unit_that_is_masked_is_not_there() {
    let directory = tempfile::tempdir().unwrap();
    make_units(directory.path());
    for (host, is_seen) in [("50:05:07:64:00:00:00:40", true), ("50:05:07:64:00:00:00:99", false)] {
        let (near, far) = InProcessTransport::pair().unwrap();
        let toml = control_unit_toml(1, &format!("hosts = [\"{host}\"]\n"));
        let serving = Serving::begin(directory.path(), toml, vec![OneFibre(Some(far)), OneFibre(None)]);
        let file = channel(&["127.0.0.1:1".to_owned()], &STREAMS.replace("ios = 3000", "ios = 50"));
        let (mut taps, mut progress) = (|_| None, |_: &Progress| ());
        let result = drive(&file, vec![SingleConnector(Some(near))], &mut quiet(&mut taps, &mut progress));
        match result {
            Ok(report) => assert!(is_seen && report.is_right(), "{report:?}"),
            Err(error) => {
                assert!(!is_seen && error.to_string().contains("does not report LUN 0"), "{error}");
            }
        }
        serving.end();
    }
}

/// A run of a fixed time ends by itself.
#[test]
fn a_timed_run_ends() {
    let directory = tempfile::tempdir().unwrap();
    make_units(directory.path());
    let (serving, places) = Serving::over_tcp(directory.path(), 1);
    let file = channel(&places[..1], &A_MINUTE.replace("duration_s = 60", "duration_s = 0.5"));
    let mut around = Surroundings { taps: &mut |_| None, progress: &mut |_| (), stop: None };
    let report = drive(&file, tcp(&file), &mut around).unwrap();
    assert!(report.is_right() && !report.interrupted, "{report:?}");
    assert!((0.4..5.0).contains(&report.measured.as_s_f64()), "{report:?}");
    serving.end();
}

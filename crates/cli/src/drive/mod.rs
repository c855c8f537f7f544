//! `halftrack drive`: a channel with its I/O driver, against a control unit in another process.

mod fcp;
mod history;
mod live;
pub mod outcome;
pub mod summary;
mod surrounded;
mod synchronous;

use std::path::{Path, PathBuf};

use clap::Args;
use halftrack_base::Span;
use halftrack_config::channel_file::ChannelPathEntry;
use halftrack_config::{ChannelFile, LinkPlace, read_channel};
use halftrack_input::messages::study::DOES_NOT_FIT;
use halftrack_input::{Diagnostic, has_errors, read_file};
use halftrack_link::Clock;
use halftrack_link::access::LinkRole;
use halftrack_link::connector::{Connector, TcpConnector};
use halftrack_link::driver::{Drive, DriveError, Report};
use halftrack_link::faulty::{FaultyConnector, ProcessParts};
use halftrack_link::synchronous::HostLinks;

use crate::diagnostics;
use crate::failure::Failure;
use crate::link_access::{Accesses, LinkAccessReader, PortEntry};
use crate::link_faults::{FaultsArgument, LinkFaults};
use crate::link_incidents::IncidentsArgument;
use crate::standard_output::print;

use history::HistoryFile;
use outcome::Outcome;
use surrounded::surrounded;

/// Default number of frames of a capture.
const CAPTURE_FRAMES_DEFAULT: u64 = 1_000_000;
/// Longest run, s.
const DURATION_MAX_S: f64 = 2_592_000.0;

/// Words at the end of `halftrack drive --help`.
pub const EXAMPLES: &str = "\
CHANNEL.toml describes the channel paths, their destinations, and the streams of I/O:
  name = \"PROD1\"                       # the host, and the name of its node
  node = \"50:05:07:64:00:00:00:01\"
  cuadd = \"00\"                         # control-unit image, two hexadecimal digits
  [[path]]                             # one to eight channel paths
  chpid = \"40\"
  connect = \"127.0.0.1:3225\"
  wwpn = \"50:05:07:64:00:00:00:40\"
  [[zhyperlink]]                       # synchronous I/O to a control unit on this host
  socket = \"boxa.zhl\"                  # timeout_us = 100, metres = 0, functions = 4 by default
  [run]
  duration_s = 10                      # or ios = 100000
  [[stream]]                           # the keys of a stream of a workload, except lpar, hit_ratio
  name = \"oltp\"
  devices = [\"00-0F\"]                  # unit addresses
  cylinders = \"1-100\"                  # range on the volumes
  program = { block = \"4K\" }
  read_share = 0.7
  closed = { jobs = 32 }
  synchronous = \"read\"                 # \"write\", \"all\"; what fails there goes over the paths

Streams of FCP go to LUNs, over ports of FCP; all streams of a file are of one protocol:
  [[stream]]
  name = \"disks\"
  protocol = \"fcp\"
  virtual_port = \"LNX1\"                # NPIV: a name under [[path.virtual_port]] of every path
  luns = [0, 1]
  block = \"4K\"                         # bytes of an I/O; order = \"sequential\", blocks = \"0-99999\"
  read_share = 0.7
  closed = { jobs = 32 }

Every record read is compared with the expected data: those written before, those of an earlier
run (contents = \"pattern\" under [run]), or those of its first read. --format formats the
cylinders first, by channel programs: their data are lost.

Examples:
  halftrack drive channel.toml --format
  halftrack drive channel.toml --duration 60 --json | jq '.streams[].response_us.p99'
  halftrack drive channel.toml --ios 100 --capture run.pcapng
  halftrack drive channel.toml --faults path-lost.toml
  halftrack drive channel.toml --history run.jsonl

Exit codes: 0 every I/O ended normally and every record was right, 1 an I/O or a record did not,
or no path came online, 2 bad input.";

/// Arguments of `halftrack drive`.
#[derive(Debug, Args)]
pub struct DriveArguments {
    /// Channel, paths and streams
    #[arg(value_name = "CHANNEL.toml")]
    channel: PathBuf,
    /// Format the cylinders of all streams first; their data are lost
    #[arg(long)]
    format: bool,
    /// Measure for S seconds [default: the value in the file]
    #[arg(long, value_name = "S", value_parser = seconds)]
    duration: Option<f64>,
    /// End after N I/Os [default: the value in the file]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    ios: Option<u64>,
    /// Wait so many seconds for a path that is refused or whose port is held [default: 1.5 when refused, else 10]
    #[arg(long, value_name = "S", value_parser = seconds)]
    wait: Option<f64>,
    /// Write every frame of the links to FILE, which Wireshark reads
    #[arg(long, value_name = "FILE.pcapng")]
    capture: Option<PathBuf>,
    /// Capture at most the first N frames
    #[arg(long, value_name = "N", default_value_t = CAPTURE_FRAMES_DEFAULT, requires = "capture",
          value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    capture_frames: u64,
    /// Faults.
    #[command(flatten)]
    faults: FaultsArgument,
    /// Append every I/O of the streams to FILE as JSON, at its start and at its end; numbers of writes go on
    #[arg(long, value_name = "FILE", conflicts_with = "format")]
    history: Option<PathBuf>,
    /// Where link incidents are recorded.
    #[command(flatten)]
    incidents: IncidentsArgument,
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

fn seconds(text: &str) -> Result<f64, String> {
    let fits = |seconds: &f64| *seconds > 0.0 && *seconds <= DURATION_MAX_S;
    let found = text.parse().ok().filter(fits);
    found.ok_or_else(|| format!("expected seconds above 0, not above {DURATION_MAX_S}"))
}

/// Runs the streams of a channel file; true when every I/O ended normally and every record was right.
///
/// # Errors
/// Bad input; no path that comes online; output that cannot be written.
pub fn drive(arguments: &DriveArguments) -> Result<bool, Failure> {
    let (mut file, accesses) = read(&arguments.channel)?;
    if let Some(duration) = arguments.duration {
        file.run.duration = Some(Span::from_s_f64(duration));
    }
    if let Some(ios) = arguments.ios {
        file.run.ios = Some(ios);
        if arguments.duration.is_none() {
            file.run.duration = None;
        }
    }
    let clock = Clock::start();
    let parts = ProcessParts::Channel { chpids: file.paths.iter().map(|path| path.chpid).collect() };
    let faults = arguments.faults.read(&parts, clock)?;
    let connectors = file.paths.iter().zip(accesses);
    let connectors = connectors.map(|(path, access)| TcpConnector::new(&path.connect).with_access(access));
    let Some(faults) = faults else {
        return run_over(arguments, &file, connectors.collect(), clock, None);
    };
    let connectors = connectors.zip(faults.lines());
    let connectors = connectors.map(|(connector, line)| FaultyConnector::new(connector, line)).collect();
    run_over(arguments, &file, connectors, clock, Some(faults))
}

/// Runs the streams over links from `connectors`, by FICON or FCP.
fn run_over<C: Connector>(
    arguments: &DriveArguments,
    file: &ChannelFile,
    connectors: Vec<C>,
    clock: Clock,
    faults: Option<LinkFaults>,
) -> Result<bool, Failure> {
    match &file.fcp {
        Some(channel) => {
            let ran = fcp::run(arguments, (file, channel), connectors, clock, faults)?;
            conclude(arguments, file, ran)
        }
        None => run(arguments, file, Drive::with_clock(file.clone(), connectors, clock), faults),
    }
}

/// Runs the streams over the paths of `drive`.
fn run<C: Connector>(
    arguments: &DriveArguments,
    file: &ChannelFile,
    mut drive: Drive<C>,
    faults: Option<LinkFaults>,
) -> Result<bool, Failure> {
    if let Some(faults) = faults {
        drive.set_begun(move |_| faults.begin());
    }
    if let Some(path) = &arguments.history {
        let (history, last_write) = HistoryFile::open(path, file, drive.clock())?;
        drive.observe(Box::new(history), last_write);
    }
    let directory = arguments.channel.parent().unwrap_or(Path::new(""));
    if let Some(links) = HostLinks::of_file(file, directory, drive.clock()) {
        drive.set_synchronous(Box::new(links));
    }
    if let Some(wait) = arguments.wait {
        drive.wait_for_paths(Span::from_s_f64(wait));
    }
    let ran = surrounded(arguments, file, drive.clock(), move |listener, surroundings| {
        drive.set_incident_listener(listener);
        drive.run(arguments.format, surroundings)
    })?;
    conclude(arguments, file, ran)
}

/// Prints the outcome of a run.
fn conclude(
    arguments: &DriveArguments,
    file: &ChannelFile,
    ran: Result<Report, DriveError>,
) -> Result<bool, Failure> {
    let report = ran.map_err(|error| failure(&arguments.channel, file, error))?;
    let outcome = Outcome::new(&report);
    print(&if arguments.json { outcome.to_json() } else { summary::text(&outcome) })?;
    Ok(report.is_right())
}

/// Reads the channel file and the keys of its paths, or returns every message about them.
fn read(path: &Path) -> Result<(ChannelFile, Accesses), Failure> {
    let unusable = || Failure::Channel { file: path.to_owned() };
    let (file, mut found) = match read_file(path) {
        Ok(source) => read_channel(&source),
        Err(error) => (None, vec![*error]),
    };
    let file = file.filter(|_| !has_errors(&found));
    let accesses = file.as_ref().map(|file| read_accesses(file, path, &mut found)).unwrap_or_default();
    diagnostics::show(&found)?;
    file.filter(|_| !has_errors(&found)).map(|file| (file, accesses)).ok_or_else(unusable)
}

/// Returns the requirements of each path of the file.
fn read_accesses(file: &ChannelFile, path: &Path, found: &mut Vec<Diagnostic>) -> Accesses {
    let mut reader = LinkAccessReader::new(path, &file.source, LinkRole::Channel, file.tls.as_ref(), found);
    let mut access_of = |path: &ChannelPathEntry| {
        path.virtual_ports.iter().for_each(|port| reader.check_name(port.port_name));
        reader.access_of(&PortEntry {
            id: &format!("{:02X}", path.chpid),
            place: &LinkPlace::Connect(path.connect.clone()),
            port_name: path.port_name,
            hosts: None,
            attached: path.attached.as_ref(),
            span: &path.span,
        })
    };
    file.paths.iter().map(&mut access_of).collect()
}

fn failure(path: &Path, file: &ChannelFile, error: DriveError) -> Failure {
    let DriveError::Stream { stream, error } = error else {
        return Failure::Drive(error.to_string());
    };
    let (name, span) = match &file.fcp {
        Some(channel) => (&channel.streams[stream].stream.name, &channel.streams[stream].span),
        None => (&file.streams[stream].stream.name, &file.streams[stream].span),
    };
    let message = format!("stream {name}: {error}");
    let fix = "change the stream, or serve other volumes";
    let found = Diagnostic::error(DOES_NOT_FIT, &file.source, span.clone(), message).fix(fix);
    match diagnostics::show(&[found]) {
        Ok(()) => Failure::Channel { file: path.to_owned() },
        Err(error) => Failure::Print(error),
    }
}

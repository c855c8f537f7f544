//! `halftrack serve`: a control unit with volumes, for channels in other processes.

mod opening;
mod summary;

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use clap::builder::RangedU64ValueParser;
use halftrack_link::control_unit::{ControlUnit, Notice, NoticeKind, PortOptions, UnitTable};
use halftrack_link::faulty::{FaultyPlug, ProcessParts};
use halftrack_link::plug::Plug;
use halftrack_link::synchronous::Adapter;
use halftrack_link::{Clock, StopSignal};

use crate::failure::Failure;
use crate::link_capture::CaptureFile;
use crate::link_faults::{FaultsArgument, LinkFaults};
use crate::link_incidents::{IncidentFile, IncidentsArgument};
use crate::standard_output::print;
use crate::volume::opening::JournalArgument;

use crate::standard_error::standard_error;
use summary::{Ready, Summary};

/// Default number of frames of a capture: those of some 100,000 4K reads, 500 MB.
const CAPTURE_FRAMES_DEFAULT: u64 = 500_000;

/// Words at the end of `halftrack serve --help`.
pub const EXAMPLES: &str = "\
CONTROL-UNIT.toml describes the volumes and the ports at which channels find them:
  name = \"BOXA\"
  node = \"50:05:07:63:00:00:00:01\"
  [[port]]                             # a host adapter's port: one fibre
  id = \"0030\"
  listen = \"127.0.0.1:3225\"            # or connect = \"HOST:PORT\", a director's port
  wwpn = \"50:05:07:63:00:00:00:30\"
  hosts = [\"50:05:07:64:00:00:00:40\"]  # hosts that may log in; all by default
  [[zhyperlink]]                       # synchronous I/O, for processes of this user on this host
  id = \"0100\"
  socket = \"boxa.zhl\"                  # read = true, write = false, functions = 16 by default
  [[logical_control_unit]]
  cuadd = \"00\"
  [[logical_control_unit.volume]]
  unit_address = \"00\"
  file = \"work01.ckd\"                  # relative to the directory of this file
  write = \"sync\"                       # or \"writeback\" (may lose a second, 32 MiB), \"inhibited\"
  aliases = \"80-83\"
  [[port]]                             # a port of FCP, for LUNs
  id = \"0032\"
  protocol = \"fcp\"
  listen = \"127.0.0.1:3227\"
  wwpn = \"50:05:07:63:00:00:00:32\"
  [[lun]]
  number = 0
  file = \"disk0.img\"                 # an FBA image, a raw file or a block device
  block_bytes = 4096                   # 512 by default; thin = true gives holes of raw files back
  hosts = [\"50:05:07:64:00:00:00:42\"] # hosts that see it, ports = [\"0032\"]; all by default

Ports listen on this host only, unless the file has listen_beyond_this_host = true. Events of the
ports are reported on standard error; a line that begins with \"ready\" on standard output reports
that all ports are open. Ctrl-C or SIGTERM ends it: channels are logged out, volumes closed, the
capture put in place.

Examples:
  halftrack serve control-unit.toml
  halftrack serve control-unit.toml --capture boxa.pcapng
  halftrack serve control-unit.toml --json | tail -1 | jq '.ports[].exchanges'
  halftrack serve control-unit.toml --faults path-lost.toml

Exit codes: 0 ended on request, 1 a volume, the capture or the system failed, 2 bad input.";

/// Arguments of `halftrack serve`.
#[derive(Debug, Args)]
pub struct ServeArguments {
    /// Ports, logical control units and volumes
    #[arg(value_name = "CONTROL-UNIT.toml")]
    file: PathBuf,
    /// Write every frame of every port to FILE for Wireshark, complete when the control unit has ended
    #[arg(long, value_name = "FILE.pcapng")]
    capture: Option<PathBuf>,
    /// Capture at most the first N frames
    #[arg(long, value_name = "N", default_value_t = CAPTURE_FRAMES_DEFAULT, requires = "capture",
          value_parser = RangedU64ValueParser::<u64>::new().range(1..=100_000_000))]
    capture_frames: u64,
    /// Where link incidents are recorded.
    #[command(flatten)]
    incidents: IncidentsArgument,
    /// Print JSON instead of text: one line when ready, one with the totals at the end
    #[arg(long)]
    json: bool,
    /// Do not report the events of the ports
    #[arg(long)]
    quiet: bool,
    /// Whether journals of the volumes count.
    #[command(flatten)]
    journal: JournalArgument,
    /// Faults.
    #[command(flatten)]
    faults: FaultsArgument,
}

/// A control unit before its ports have their links.
struct Prepared<'a> {
    arguments: &'a ServeArguments,
    name: String,
    units: UnitTable,
    adapters: Vec<Adapter>,
    ready: Ready,
    clock: Clock,
}

/// Serves until it is ended; true when every volume could be closed.
///
/// # Errors
/// Bad input; volumes or files that fail.
pub fn serve(arguments: &ServeArguments) -> Result<bool, Failure> {
    let clock = Clock::start();
    let opening::Opened { file, units, ports, adapters } = opening::open(&arguments.file, arguments.journal)?;
    let ready = Ready::new(&file, &ports, &adapters, &units);
    let ids = ports.iter().map(|port| port.options.id.clone()).collect();
    let faults = arguments.faults.read(&ProcessParts::ControlUnit { ports: ids }, clock)?;
    let ports: Vec<_> = ports.into_iter().map(|port| (port.options, port.link.plug)).collect();
    let prepared = Prepared { arguments, name: file.name, units, adapters, ready, clock };
    let Some(faults) = faults else { return run(prepared, ports, None) };
    let faulty = ports.into_iter().zip(faults.lines());
    let faulty = faulty.map(|((options, plug), line)| (options, FaultyPlug::new(plug, line))).collect();
    run(prepared, faulty, Some(&faults))
}

/// Serves through these ports until it is ended.
fn run<P: Plug>(
    prepared: Prepared<'_>,
    ports: Vec<(PortOptions, P)>,
    faults: Option<&LinkFaults>,
) -> Result<bool, Failure> {
    let Prepared { arguments, name, units, adapters, ready, clock } = prepared;
    let mut control_unit = ControlUnit::new(&name, units, ports, clock);
    adapters.into_iter().for_each(|adapter| control_unit.add_adapter(adapter));
    let wished = arguments.capture.as_deref();
    let (capture_file, capture) = CaptureFile::begin(wished, arguments.capture_frames, clock)?;
    if let Some(capture) = capture {
        control_unit.set_capture(capture);
    }
    let mut incidents = IncidentFile::open(&arguments.incidents, &name, clock)?;
    let stop = StopSignal::listen()?;
    print(&if arguments.json { ready.to_json()? } else { ready.text() })?;
    control_unit.run(Some(&stop), &mut |notice| {
        if let Some(faults) = faults.filter(|_| matches!(notice.kind, NoticeKind::LoggedIn { .. })) {
            faults.begin();
        }
        if let NoticeKind::Incident(incident) = &notice.kind {
            incidents.record(notice.at, notice.port.to_owned(), incident);
        }
        report(arguments, notice);
    })?;
    let summary = Summary::new(&control_unit);
    let (units, capture) = control_unit.into_parts();
    let failed = units.close().err().unwrap_or_default();
    let mut stderr = standard_error();
    for (file, error) in &failed {
        writeln!(stderr, "halftrack: {}: {error}", file.display())?;
    }
    capture_file.finish(capture, &mut stderr)?;
    print(&if arguments.json { summary.to_json()? } else { summary.text() })?;
    Ok(failed.is_empty())
}

/// Reports a notice in one line on standard error; an error there is ignored.
fn report(arguments: &ServeArguments, notice: &Notice<'_>) {
    if !arguments.quiet {
        let _ = writeln!(standard_error(), "{:10.3} s  {notice}", notice.at.as_s_f64());
    }
}

//! `halftrack director`: a switch between channels and control units in other processes.

mod opening;
mod summary;

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use clap::builder::RangedU64ValueParser;
use halftrack_config::DirectorFile;
use halftrack_link::director::{Director, Notice};
use halftrack_link::faulty::{FaultyPlug, ProcessParts};
use halftrack_link::plug::Plug;
use halftrack_link::{Clock, StopSignal};
use serde::Serialize;

use crate::failure::Failure;
use crate::link_capture::CaptureFile;
use crate::link_faults::{FaultsArgument, LinkFaults};
use crate::standard_output::print;

use crate::standard_error::standard_error;
use summary::{Ready, Summary};

/// Default number of frames of a capture: those of some 50,000 4K reads, each seen at two ports.
const CAPTURE_FRAMES_DEFAULT: u64 = 500_000;

/// Words at the end of `halftrack director --help`.
pub const EXAMPLES: &str = "\
DIRECTOR.toml describes the ports and the zones:
  name = \"DIRECTOR 61\"
  wwn = \"10:00:00:00:00:00:00:61\"
  domain = \"61\"                        # the upper byte of link addresses, 01 to EF
  [[port]]                             # for one channel or one control unit
  link = \"04\"                          # its port address in the director
  listen = \"127.0.0.1:4104\"            # address for the channel or the control unit
  [[isl]]                              # an inter-switch link to another director; of
  link = \"E0\"                          # its ends, one listens and the other connects
  connect = \"127.0.0.1:4262\"
  km = 10.0                            # emulated distance, 5 us/km; the same at both ends
  [[zone]]                             # without zones all ports see each other
  name = \"PROD\"
  members = [\"50:05:07:64:00:00:00:40\", \"61.05\"]

Ports listen on this host only, unless the file has listen_beyond_this_host = true. Logins,
refusals, closed connections and discarded frames are reported on standard error; a line that
begins with \"ready\" on standard output reports that all ports are open. Ctrl-C or SIGTERM ends
it and prints the frames of each port.

Examples:
  halftrack director director.toml
  halftrack director director.toml --json-lines 2>&1 >/dev/null \\
      | jq -c 'select(.event == \"refused\")'
  halftrack director director.toml --capture fabric.pcapng
  halftrack director director.toml --faults director-lost.toml

Exit codes: 0 ended on request, 1 the capture or the system failed, 2 bad input.";

/// Arguments of `halftrack director`.
#[derive(Debug, Args)]
pub struct DirectorArguments {
    /// Ports, inter-switch links and zones
    #[arg(value_name = "DIRECTOR.toml")]
    file: PathBuf,
    /// Write every frame of every port to FILE for Wireshark, complete when the director has ended. A forwarded frame
    /// is in it twice: frame.interface_name is the port
    #[arg(long, value_name = "FILE.pcapng")]
    capture: Option<PathBuf>,
    /// Capture at most the first N frames
    #[arg(long, value_name = "N", default_value_t = CAPTURE_FRAMES_DEFAULT, requires = "capture",
          value_parser = RangedU64ValueParser::<u64>::new().range(1..=100_000_000))]
    capture_frames: u64,
    /// Print JSON instead of text: one line when ready, one with the totals at the end
    #[arg(long)]
    json: bool,
    /// Report the events of the ports as JSON, a line each
    #[arg(long)]
    json_lines: bool,
    /// Do not report the events of the ports
    #[arg(long, conflicts_with = "json_lines")]
    quiet: bool,
    /// Faults.
    #[command(flatten)]
    faults: FaultsArgument,
}

/// Switches frames until it is ended.
///
/// # Errors
/// Bad input; a capture or a system that fails.
pub fn director(arguments: &DirectorArguments) -> Result<bool, Failure> {
    let clock = Clock::start();
    let opening::Opened { file, ports } = opening::open(&arguments.file)?;
    let ready = Ready::new(&file, &ports);
    let areas = file.ports.iter().map(|port| (port.area, port.inter_switch.is_some())).collect();
    let parts = ProcessParts::Director { domain: file.domain, ports: areas };
    let faults = arguments.faults.read(&parts, clock)?;
    let plugs = ports.into_iter().map(|port| port.plug);
    let Some(faults) = faults else { return run(arguments, &file, (plugs.collect(), &ready), clock, None) };
    let faulty = plugs.zip(faults.lines()).map(|(plug, line)| FaultyPlug::new(plug, line)).collect();
    run(arguments, &file, (faulty, &ready), clock, Some(&faults))
}

/// Switches between these plugs until it is ended.
fn run<P: Plug>(
    arguments: &DirectorArguments,
    file: &DirectorFile,
    (plugs, ready): (Vec<P>, &Ready),
    clock: Clock,
    faults: Option<&LinkFaults>,
) -> Result<bool, Failure> {
    let director = Director::<_, _>::new(file, plugs, clock.host());
    let mut director = director.map_err(|error| Failure::Argument(format!("{}: {error}", file.name)))?;
    let wished = arguments.capture.as_deref();
    let (capture_file, capture) = CaptureFile::begin(wished, arguments.capture_frames, clock)?;
    if let Some(capture) = capture {
        director.set_capture(capture);
    }
    let stop = StopSignal::listen()?;
    print(&if arguments.json { ready.to_json()? } else { ready.text() })?;
    director.run(&clock, Some(&stop), &mut |notice| {
        if let Some(faults) = faults.filter(|_| notice.kind.word() == "logged-in") {
            faults.begin();
        }
        report(arguments, notice);
    })?;
    let summary = Summary::new(&director);
    capture_file.finish(director.into_capture(), &mut standard_error())?;
    print(&if arguments.json { summary.to_json()? } else { summary.text() })?;
    Ok(true)
}

/// Event at a port, for programs.
#[derive(Serialize)]
struct NoticeLine<'a> {
    seconds: f64,
    port: String,
    event: &'a str,
    message: String,
}

/// Reports a notice in one line on standard error; an error there is ignored.
fn report(arguments: &DirectorArguments, notice: &Notice<'_>) {
    let seconds = notice.at.as_s_f64();
    if arguments.json_lines {
        let (port, message) = (format!("{:02X}", notice.area), notice.kind.to_string());
        let line = NoticeLine { seconds, port, event: notice.kind.word(), message };
        if let Ok(line) = serde_json::to_string(&line) {
            let _ = writeln!(standard_error(), "{line}");
        }
    } else if !arguments.quiet {
        let _ = writeln!(standard_error(), "{seconds:10.3} s  {notice}");
    }
}

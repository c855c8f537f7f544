//! Streams of a channel of FCP.

use halftrack_base::Span;
use halftrack_config::ChannelFile;
use halftrack_config::channel_file::FcpChannel;
use halftrack_link::Clock;
use halftrack_link::connector::Connector;
use halftrack_link::driver::{DriveError, FcpDrive, Report};

use super::DriveArguments;
use super::history::HistoryFile;
use super::surrounded::surrounded;
use crate::failure::Failure;
use crate::link_faults::LinkFaults;

/// Runs the streams of `channel` over the paths of `file`.
///
/// # Errors
/// An argument that is of no use to a channel of FCP; output that cannot be written. Within: no path that comes online.
pub fn run<C: Connector>(
    arguments: &DriveArguments,
    (file, channel): (&ChannelFile, &FcpChannel),
    connectors: Vec<C>,
    clock: Clock,
    faults: Option<LinkFaults>,
) -> Result<Result<Report, DriveError>, Failure> {
    if arguments.format {
        let why = "--format lays out the tracks of devices, and the streams go to LUNs over FCP";
        return Err(Failure::Drive(why.to_owned()));
    }
    let mut drive = FcpDrive::new(file.clone(), channel.clone(), connectors, clock);
    if let Some(path) = &arguments.history {
        let (history, last_write) = HistoryFile::open(path, file, clock)?;
        drive.observe(Box::new(history), last_write);
    }
    if let Some(faults) = faults {
        drive.set_begun(move |_| faults.begin());
    }
    if let Some(wait) = arguments.wait {
        drive.wait_for_paths(Span::from_s_f64(wait));
    }
    surrounded(arguments, file, clock, move |listener, surroundings| {
        drive.set_incident_listener(listener);
        drive.run(surroundings)
    })
}

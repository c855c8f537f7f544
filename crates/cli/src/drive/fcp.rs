//! Streams of a channel of FCP.

use halftrack_base::Span;
use halftrack_config::ChannelFile;
use halftrack_config::channel_file::FcpChannel;
use halftrack_link::connector::Connector;
use halftrack_link::driver::{DriveError, FcpDrive, Report, Surroundings};
use halftrack_link::{Clock, StopSignal};

use super::DriveArguments;
use super::live::Live;
use crate::failure::Failure;
use crate::link_capture::CaptureFile;
use crate::link_faults::LinkFaults;
use crate::link_incidents::IncidentFile;
use crate::standard_error::standard_error;

/// Runs the streams of `channel` over the paths of `file`.
///
/// # Errors
/// What a channel of FCP does not do; output that cannot be written. Within: no path that comes online.
pub fn run<C: Connector>(
    arguments: &DriveArguments,
    (file, channel): (&ChannelFile, &FcpChannel),
    connectors: Vec<C>,
    clock: Clock,
    faults: Option<LinkFaults>,
) -> Result<Result<Report, DriveError>, Failure> {
    for (is_given, what) in [(arguments.format, "--format"), (arguments.history.is_some(), "--history")] {
        if is_given {
            return Err(Failure::Drive(format!(
                "{what} is about devices, and the streams go to LUNs over FCP"
            )));
        }
    }
    let mut drive = FcpDrive::new(file.clone(), channel.clone(), connectors, clock);
    if let Some(faults) = faults {
        drive.set_begun(move |_| faults.begin());
    }
    if let Some(wait) = arguments.wait {
        drive.wait_for_paths(Span::from_s_f64(wait));
    }
    let wished = arguments.capture.as_deref();
    let (capture_file, capture) = CaptureFile::begin(wished, arguments.capture_frames, drive.clock())?;
    let mut incidents = IncidentFile::open(&arguments.incidents, &file.name, drive.clock())?;
    drive.set_incident_listener(Box::new(move |at, chpid, incident| {
        incidents.record(at, format!("{chpid:02X}"), incident);
    }));
    let live = Live::new();
    let mut stop = StopSignal::listen()?;
    let ran = drive.run(&mut Surroundings {
        taps: &mut |path| {
            let name = format!("{} {:02X}", file.name, file.paths[path].chpid);
            capture.as_ref().and_then(|capture| capture.tap(&name, false).ok())
        },
        progress: &mut |progress| live.show(progress),
        stop: Some(&mut stop),
    });
    live.clear();
    // The taps end with the links.
    drop(drive);
    capture_file.finish(capture, &mut standard_error())?;
    Ok(ran)
}

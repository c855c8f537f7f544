//! Surroundings of every drive: its capture, its incidents, its progress, and the signal that ends it.

use halftrack_config::ChannelFile;
use halftrack_link::driver::{IncidentListener, Surroundings};
use halftrack_link::{Clock, StopSignal};

use super::DriveArguments;
use super::live::Live;
use crate::failure::Failure;
use crate::link_capture::CaptureFile;
use crate::link_incidents::IncidentFile;
use crate::standard_error::standard_error;

/// Has `run` drive the streams of `file`, with the listener to its incidents and its surroundings. The links, to which the taps
/// of the capture belong, are to end in it.
///
/// # Errors
/// Output that cannot be written; a stop signal that cannot be listened to.
pub fn surrounded<T>(
    arguments: &DriveArguments,
    file: &ChannelFile,
    clock: Clock,
    run: impl FnOnce(Box<IncidentListener>, &mut Surroundings<'_>) -> T,
) -> Result<T, Failure> {
    let wished = arguments.capture.as_deref();
    let (capture_file, capture) = CaptureFile::begin(wished, arguments.capture_frames, clock)?;
    let mut incidents = IncidentFile::open(&arguments.incidents, &file.name, clock)?;
    let listener = Box::new(move |at, chpid: u8, incident: &_| {
        incidents.record(at, format!("{chpid:02X}"), incident);
    });
    let live = Live::new();
    let mut stop = StopSignal::listen()?;
    let ran = run(
        listener,
        &mut Surroundings {
            taps: &mut |path| {
                let name = format!("{} {:02X}", file.name, file.paths[path].chpid);
                capture.as_ref().and_then(|capture| capture.tap(&name, false).ok())
            },
            progress: &mut |progress| live.show(progress),
            stop: Some(&mut stop),
        },
    );
    live.clear();
    capture_file.finish(capture, &mut standard_error())?;
    Ok(ran)
}

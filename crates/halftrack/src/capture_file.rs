//! Frames of a simulated run as a pcapng file.

use std::io::{self, Write};

use halftrack_machine::{Capture, CapturedFrame};
use halftrack_wire::{CaptureError, CaptureWriter, InterfaceId};

/// Words on frames that were encrypted on the fibre.
pub const CLEAR_TEXT: &str =
    "frames of encrypted paths are in clear text here, as they are behind the adapters' engines";

/// Writes the frames of `capture` to `out`: one interface for each direction of a channel, time stamps in virtual time.
///
/// # Errors
/// The error of `out`.
pub fn write_capture(capture: &Capture, out: &mut dyn Write) -> io::Result<()> {
    write_frames(capture, out).map_err(into_io)
}

fn write_frames(capture: &Capture, out: &mut dyn Write) -> Result<(), CaptureError> {
    let mut writer = CaptureWriter::new(out, u64::MAX)?;
    let mut used = vec![false; capture.channels().len()];
    capture.frames().for_each(|frame| used[frame.channel] = true);
    let mut interfaces: Vec<Option<[InterfaceId; 2]>> = vec![None; used.len()];
    for (channel, interface) in interfaces.iter_mut().enumerate().filter(|(channel, _)| used[*channel]) {
        let comment = capture.is_encrypted(channel).then_some(CLEAR_TEXT);
        *interface = Some(writer.commented_link(&capture.channels()[channel], comment)?);
    }
    for CapturedFrame { channel, inbound, at, sof, frame, eof } in capture.frames() {
        if let Some(link) = interfaces[channel] {
            writer.frame(link[usize::from(inbound)], at.as_ps() / 1000, sof, frame, eof)?;
        }
    }
    Ok(())
}

fn into_io(error: CaptureError) -> io::Error {
    match error {
        CaptureError::File(halftrack_wire::capture::PcapError::IoError(source)) => source,
        other => io::Error::other(other),
    }
}

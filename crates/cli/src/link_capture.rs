//! `--capture` of a working link: every frame of the links of this process as a pcapng file.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use halftrack::OutputFile;
use halftrack_link::{Clock, LinkCapture};
use halftrack_wire::capture::CaptureWriter;

use crate::capture::report_full;
use crate::failure::Failure;

/// The capture as the links of a process use it.
pub type Capture = LinkCapture<BufWriter<File>>;

/// Capture on its way into a file, which is put in place when it is complete; or none when none was requested.
#[derive(Debug)]
pub struct CaptureFile(Option<OutputFile>);

impl CaptureFile {
    /// Begins a capture of at most `frames_max` frames at the times of `clock`, if there is a `path` for it.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn begin(
        path: Option<&Path>,
        frames_max: u64,
        clock: Clock,
    ) -> Result<(Self, Option<Capture>), Failure> {
        let Some(path) = path else { return Ok((Self(None), None)) };
        let file = OutputFile::new(path)?;
        let writer = CaptureWriter::new(file.begin()?, frames_max);
        let writer = writer.map_err(|error| file.failure(io::Error::other(error)))?;
        Ok((Self(Some(file)), Some(LinkCapture::new(writer, clock))))
    }

    /// Puts the file in place, and reports on `stderr` when it does not hold all frames. Every captured link must be
    /// closed.
    ///
    /// # Errors
    /// Output that could not be written, now or at any time since the beginning.
    pub fn finish(self, capture: Option<Capture>, stderr: &mut dyn Write) -> Result<(), Failure> {
        let (Some(file), Some(capture)) = (self.0, capture) else { return Ok(()) };
        let (is_full, frames) = (capture.is_over(), capture.frames());
        let written = capture.finish().map_err(io::Error::other);
        let whole = written.and_then(|writer| writer.ok_or_else(|| io::Error::other("a link is left in it")));
        match whole {
            Ok(writer) => file.finish(writer)?,
            Err(error) => {
                file.give_up();
                return Err(file.failure(error).into());
            }
        }
        if is_full {
            report_full(frames, stderr)?;
        }
        Ok(())
    }
}

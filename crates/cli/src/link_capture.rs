//! `--capture` of a working link: every frame of the links of this process as a pcapng file.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use halftrack_link::{Clock, LinkCapture};
use halftrack_wire::capture::CaptureWriter;

use crate::failure::Failure;
use crate::output_file::OutputFile;

/// The capture as the links of a process use it.
pub type Capture = LinkCapture<BufWriter<File>>;

/// A capture on its way into a file, which is there when all of it is written.
#[derive(Debug)]
pub struct CaptureFile(OutputFile);

impl CaptureFile {
    /// Begins a capture of at most `frames_max` frames at the times of `clock`.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn begin(path: &Path, frames_max: u64, clock: Clock) -> Result<(Self, Capture), Failure> {
        let file = OutputFile::new(path)?;
        let writer = CaptureWriter::new(file.begin()?, frames_max);
        let writer = writer.map_err(|error| file.failure(io::Error::other(error)))?;
        Ok((Self(file), LinkCapture::new(writer, clock)))
    }

    /// Puts the file in place; every link that was captured is gone. Returns the number of frames in it.
    ///
    /// # Errors
    /// What could not be written, now or at any time since the beginning.
    pub fn finish(self, capture: Capture) -> Result<u64, Failure> {
        let frames = capture.frames();
        let written = capture.finish().map_err(io::Error::other);
        let whole = written.and_then(|writer| writer.ok_or_else(|| io::Error::other("a link is left in it")));
        match whole {
            Ok(writer) => self.0.finish(writer)?,
            Err(error) => {
                self.0.give_up();
                return Err(self.0.failure(error));
            }
        }
        Ok(frames)
    }
}

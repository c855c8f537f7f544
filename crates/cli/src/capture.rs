//! `--capture`: the frames of a simulated run as a pcapng file.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use clap::builder::RangedU64ValueParser;
use halftrack::{CLEAR_TEXT, Capture, OutputFile, write_capture};

use crate::failure::Failure;

/// Default number of frames: the exchanges of some ten thousand 4K reads, 20 to 200 MB.
const FRAMES_DEFAULT: u64 = 100_000;

/// Arguments of a capture.
#[derive(Debug, Args)]
pub struct CaptureArguments {
    /// Write the FC-2 frames at the channels to FILE for Wireshark: one interface for each direction of a channel, time
    /// stamps in virtual time. User data are zeros unless the data are real
    #[arg(long, value_name = "FILE.pcapng")]
    pub capture: Option<PathBuf>,
    /// Capture at most the first N frames, warm-up included; each takes up to 2 KB of memory
    #[arg(long, value_name = "N", default_value_t = FRAMES_DEFAULT, requires = "capture",
          value_parser = RangedU64ValueParser::<u64>::new().range(1..=2_000_000))]
    pub capture_frames: u64,
}

impl CaptureArguments {
    /// Returns the file of the capture, if one was requested.
    ///
    /// # Errors
    /// `NoFile` when the path cannot name a file.
    pub fn file(&self) -> Result<Option<OutputFile>, Failure> {
        Ok(self.capture.as_deref().map(OutputFile::new).transpose()?)
    }

    /// Writes the capture to `file`, and reports on `stderr` when it does not hold all frames.
    ///
    /// # Errors
    /// Output that cannot be written.
    pub fn write(&self, file: &OutputFile, capture: &Capture, stderr: &mut dyn Write) -> Result<(), Failure> {
        file.write_with(|out| write_capture(capture, out).map_err(|error| file.failure(error)))?;
        if (0..capture.channels().len()).any(|channel| capture.is_encrypted(channel)) {
            writeln!(stderr, "halftrack: capture: {CLEAR_TEXT}")?;
        }
        if capture.is_full() {
            report_full(self.capture_frames, stderr)?;
        }
        Ok(())
    }
}

/// Says on `stderr` that a capture holds the first `frames` frames and no more.
///
/// # Errors
/// Output that cannot be written.
pub fn report_full(frames: u64, stderr: &mut dyn Write) -> io::Result<()> {
    writeln!(stderr, "halftrack: capture: the first {frames} frames; --capture-frames takes more")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_capture_without_frames_is_a_file_of_its_own() {
        let root = tempfile::tempdir().unwrap();
        let place = root.path().join("none.pcapng");
        let arguments = CaptureArguments { capture: Some(place.clone()), capture_frames: 1 };
        let file = arguments.file().unwrap().unwrap();
        let mut said = Vec::new();
        arguments.write(&file, &Capture::default(), &mut said).unwrap();
        assert_eq!(fs::read(place).unwrap()[..4], [0x0A, 0x0D, 0x0D, 0x0A]);
        assert!(said.is_empty());
    }
}

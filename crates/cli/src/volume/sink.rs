//! Destination of octets: standard output, or a file that is there when all of it was written.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use halftrack::{OutputError, OutputFile};

use crate::failure::Failure;

/// Why writing ended early.
#[derive(Debug)]
pub enum SinkError {
    /// The requested contents are missing.
    Refused(String),
    /// It cannot be written.
    Failure(Failure),
}

impl From<io::Error> for SinkError {
    fn from(error: io::Error) -> Self {
        Self::Failure(Failure::Print(error))
    }
}

impl From<OutputError> for SinkError {
    fn from(error: OutputError) -> Self {
        Self::Failure(error.into())
    }
}

impl From<Failure> for SinkError {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

/// A place for octets.
pub struct Sink<'a>(&'a mut dyn Write);

impl Sink<'_> {
    /// Lets `write` write to a file, or to standard output without one. Who closes the pipe has seen enough, which
    /// is no failure.
    ///
    /// # Errors
    /// The error of `write`; a file that cannot be written.
    pub fn fill(
        file: Option<&Path>,
        write: impl FnOnce(&mut Sink<'_>) -> Result<bool, SinkError>,
    ) -> Result<bool, SinkError> {
        match file {
            Some(path) => {
                let file = OutputFile::new(path)?;
                file.write_with(|out| {
                    write(&mut Sink(out)).map_err(|error| match error {
                        SinkError::Failure(Failure::Print(source)) => file.failure(source).into(),
                        error => error,
                    })
                })
            }
            None => {
                let mut out = BufWriter::new(io::stdout().lock());
                let written = write(&mut Sink(&mut out)).and_then(|whole| {
                    out.flush()?;
                    Ok(whole)
                });
                match written {
                    Err(SinkError::Failure(Failure::Print(error)))
                        if error.kind() == io::ErrorKind::BrokenPipe =>
                    {
                        Ok(true)
                    }
                    written => written,
                }
            }
        }
    }
}

impl Write for Sink<'_> {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        self.0.write(octets)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

//! Process of a measurement that prints lines: where it listens, and what it has found.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdout, Command, Stdio};

use crate::bench_error::BenchError;
use crate::link::children::failed;

/// Process that has been started. It is stopped when it is dropped.
#[derive(Debug)]
pub(crate) struct Started {
    child: Child,
    lines: BufReader<ChildStdout>,
    part: &'static str,
}

impl Started {
    /// Starts a command, for a part of the measurement that errors name.
    ///
    /// # Errors
    /// It does not start.
    pub fn start(command: &mut Command, part: &'static str) -> Result<Self, BenchError> {
        let mut child = command.stdout(Stdio::piped()).spawn().map_err(|error| failed(part, error))?;
        let stdout = child.stdout.take().ok_or_else(|| failed(part, "no output"))?;
        Ok(Self { child, lines: BufReader::new(stdout), part })
    }

    /// Returns the process.
    pub const fn child(&self) -> &Child {
        &self.child
    }

    /// Waits for the next line.
    ///
    /// # Errors
    /// An error of the operating system.
    pub fn line(&mut self) -> Result<String, BenchError> {
        let mut line = String::new();
        self.lines.read_line(&mut line)?;
        Ok(line.trim().to_owned())
    }

    /// Waits until it has ended, and returns what it has printed still.
    ///
    /// # Errors
    /// It has failed.
    pub fn end(mut self) -> Result<String, BenchError> {
        let mut text = String::new();
        self.lines.read_to_string(&mut text)?;
        let status = self.child.wait().map_err(|error| failed(self.part, error))?;
        if status.success() { Ok(text.trim().to_owned()) } else { Err(failed(self.part, status)) }
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        // After `end` there is nothing left to kill.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

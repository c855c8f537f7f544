//! The answering ends of the bare measurements, each a process.

use std::io::{self, BufRead, BufReader, Read};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use rustix::process::Pid;

use super::{bare_frames, bare_stream};
use crate::bench_error::BenchError;
use crate::link::children::failed;
use crate::link::processors::{End, place};

/// An answering end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// Takes a bare stream.
    Stream,
    /// Takes frames and compares them.
    Frames,
}

impl Answer {
    /// Returns the word on the command line.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Stream => "stream",
            Self::Frames => "frames",
        }
    }
}

/// Answers one connection and ends with it; `say` gets the address where it listens, and at the end the octets that came.
///
/// # Errors
/// Errors of the operating system and of `say`; an octet that was another one.
pub fn answer(kind: Answer, say: &mut dyn FnMut(&str) -> io::Result<()>) -> Result<(), BenchError> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    say(&listener.local_addr()?.to_string())?;
    let (stream, _) = listener.accept()?;
    let bytes = match kind {
        Answer::Stream => bare_stream::take(stream)?,
        Answer::Frames => bare_frames::take(stream)?,
    };
    say(&bytes.to_string())?;
    Ok(())
}

/// An answering end that has been started.
pub(super) struct Answering {
    child: Child,
    lines: BufReader<ChildStdout>,
    part: &'static str,
}

impl Answering {
    /// Starts the end, and returns it with a connection to it.
    pub fn start(command: &Path, kind: Answer, part: &'static str) -> Result<(Self, TcpStream), BenchError> {
        let child = Command::new(command)
            .args(["bench", "islink", "--answer", kind.word()])
            .stdout(Stdio::piped())
            .spawn();
        let mut child = child.map_err(|error| failed(part, error))?;
        place(Some(Pid::from_child(&child)), End::ControlUnit);
        let stdout = child.stdout.take().ok_or_else(|| failed(part, "no output"))?;
        let mut answering = Self { child, lines: BufReader::new(stdout), part };
        let mut line = String::new();
        answering.lines.read_line(&mut line)?;
        let place: SocketAddr = line.trim().parse().map_err(|error| failed(part, error))?;
        Ok((answering, TcpStream::connect(place).map_err(|error| failed(part, error))?))
    }

    /// Returns the octets that the end took, when its connection is over.
    pub fn end(mut self) -> Result<u64, BenchError> {
        let mut text = String::new();
        self.lines.read_to_string(&mut text)?;
        let status = self.child.wait().map_err(|error| failed(self.part, error))?;
        let bytes = text.trim().parse().map_err(|_| failed(self.part, "no octets"));
        if status.success() { bytes } else { Err(failed(self.part, status)) }
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        // After `end` there is nothing left to kill.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

//! The answering ends of the bare measurements, each a process.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;

use rustix::process::Pid;

use super::{bare_frames, bare_stream};
use crate::bench_error::BenchError;
use crate::link::children::failed;
use crate::link::processors::{End, place};
use crate::started::Started;

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
    started: Started,
    part: &'static str,
}

impl Answering {
    /// Starts the end, and returns it with a connection to it.
    pub fn start(command: &Path, kind: Answer, part: &'static str) -> Result<(Self, TcpStream), BenchError> {
        let mut end = Command::new(command);
        let mut started = Started::start(end.args(["bench", "islink", "--answer", kind.word()]), part)?;
        place(Some(Pid::from_child(started.child())), End::ControlUnit);
        let place: SocketAddr = started.line()?.parse().map_err(|error| failed(part, error))?;
        let stream = TcpStream::connect(place).map_err(|error| failed(part, error))?;
        Ok((Self { started, part }, stream))
    }

    /// Returns the octets that the end took, when its connection is over.
    pub fn end(self) -> Result<u64, BenchError> {
        self.started.end()?.parse().map_err(|_| failed(self.part, "no octets"))
    }
}

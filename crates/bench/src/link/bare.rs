//! The bare loop between two processes.

use std::io::{self, BufRead, BufReader};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};

use halftrack_base::{Span, Time};
use halftrack_link::{Clock, Fibre, TcpTransport};
use rustix::process::Pid;

use super::bare_loop::{self, ReadClient};
use super::children::failed;
use super::processors::{End, place, place_this_thread};
use crate::bench_error::BenchError;

/// Reads at a time.
const DEPTH: u64 = 128;
/// Part of the time that is not measured, at the beginning.
const WARM_UP_PART: f64 = 0.125;

/// Answers one connection and ends with it; `ready` gets the address where it listens.
///
/// # Errors
/// Errors of the operating system and of `ready`.
pub fn serve(ready: &mut dyn FnMut(SocketAddr) -> io::Result<()>) -> Result<(), BenchError> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    ready(listener.local_addr()?)?;
    let (stream, _) = listener.accept()?;
    let clock = Clock::start();
    let fibre = Fibre::accept(TcpTransport::new(stream)?, bare_loop::options(2), clock.now());
    bare_loop::serve(fibre, &clock);
    Ok(())
}

/// Returns reads a second of the bare loop against `command` as the answering process.
///
/// # Errors
/// A process that does not start, or ends early.
pub fn measure(command: &Path, seconds: f64) -> Result<f64, BenchError> {
    let part = "the bare loop";
    let child = Command::new(command).args(["bench", "link", "--answer"]).stdout(Stdio::piped()).spawn();
    let mut child = child.map_err(|error| failed(part, error))?;
    place(Some(Pid::from_child(&child)), End::ControlUnit);
    let _placed = place_this_thread(End::Channel);
    let measured = child.stdout.take().ok_or_else(|| failed(part, "no output")).and_then(|stdout| {
        let mut place = String::new();
        BufReader::new(stdout).read_line(&mut place)?;
        let stream = TcpStream::connect(place.trim()).map_err(|error| failed(part, error))?;
        let clock = Clock::start();
        let mut client =
            ReadClient::new(Fibre::open(TcpTransport::new(stream)?, bare_loop::options(1), 1, clock.now()));
        let after = |seconds| clock.now().saturating_add(Span::from_s_f64(seconds));
        // The other end makes its records before it answers the first read.
        client.read_until(&clock, 1, 1, Time::MAX)?;
        client.read_until(&clock, DEPTH, u64::MAX, after(seconds * WARM_UP_PART))?;
        let began = clock.now();
        let reads = client.read_until(&clock, DEPTH, u64::MAX, after(seconds))?;
        Ok(reads as f64 / clock.now().saturating_since(began).as_s_f64())
    });
    if measured.is_err() {
        let _ = child.kill();
    }
    child.wait().map_err(|error| failed(part, error))?;
    measured
}

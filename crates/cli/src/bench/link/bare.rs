//! The bare loop between two processes.

use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::Stdio;

use halftrack_base::Span;
use halftrack_bench::link::bare_loop::{self, ReadClient};
use halftrack_link::{Clock, Fibre, TcpTransport};
use rustix::process::Pid;

use super::children::{failed, this_command};
use super::processors::{End, place, place_this_thread};
use crate::failure::Failure;
use crate::standard_output::print;

/// Reads at a time.
const DEPTH: u64 = 128;
/// Part of the time that is not measured, at the beginning.
const WARM_UP_PART: f64 = 0.125;

/// The answering end: prints where it listens, answers one connection, and ends with it.
///
/// # Errors
/// What the system says.
pub fn serve() -> Result<(), Failure> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    print(&format!("{}\n", listener.local_addr()?))?;
    let (stream, _) = listener.accept()?;
    let clock = Clock::start();
    let fibre = Fibre::accept(TcpTransport::new(stream)?, bare_loop::options(2), clock.now());
    bare_loop::serve(fibre, &clock);
    Ok(())
}

/// Reads a second.
///
/// # Errors
/// A process that does not start, or ends early.
pub fn measure(seconds: f64) -> Result<f64, Failure> {
    let what = "the bare loop";
    let child = this_command()?.args(["bench", "link", "--answer"]).stdout(Stdio::piped()).spawn();
    let mut child = child.map_err(|error| failed(what, error))?;
    place(Some(Pid::from_child(&child)), End::ControlUnit);
    let _placed = place_this_thread(End::Channel);
    let measured = child.stdout.take().ok_or_else(|| failed(what, "no output")).and_then(|stdout| {
        let mut place = String::new();
        BufReader::new(stdout).read_line(&mut place)?;
        let stream = TcpStream::connect(place.trim()).map_err(|error| failed(what, error))?;
        let clock = Clock::start();
        let mut client =
            ReadClient::new(Fibre::open(TcpTransport::new(stream)?, bare_loop::options(1), 1, clock.now()));
        let after = |seconds| clock.now().saturating_add(Span::from_s_f64(seconds));
        client.read_until(&clock, DEPTH, u64::MAX, after(seconds * WARM_UP_PART))?;
        let began = clock.now();
        let reads = client.read_until(&clock, DEPTH, u64::MAX, after(seconds))?;
        Ok(reads as f64 / clock.now().saturating_since(began).as_s_f64())
    });
    if measured.is_err() {
        let _ = child.kill();
    }
    child.wait().map_err(|error| failed(what, error))?;
    measured
}

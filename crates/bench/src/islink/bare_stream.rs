//! A bare TCP stream: blocks written and read, and nothing else done to their octets.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;

use halftrack_base::Span;
use halftrack_link::Clock;
use halftrack_link::islink::pattern;

use super::answering::{Answer, Answering};
use crate::bench_error::BenchError;
use crate::link::processors::{End, place_this_thread};

/// Octets of a write: those of a block of the link.
const WRITE_BYTES: usize = 1 << 20;

/// Reads a connection to its end; returns the octets.
pub(super) fn take(mut stream: TcpStream) -> Result<u64, BenchError> {
    let mut buffer = vec![0; WRITE_BYTES];
    let mut bytes = 0;
    loop {
        match stream.read(&mut buffer)? {
            0 => return Ok(bytes),
            read => bytes += read as u64,
        }
    }
}

/// Returns the rate of a stream of blocks, 10^6 bytes a second.
pub(super) fn measure(command: &Path, seconds: f64) -> Result<f64, BenchError> {
    let _placed = place_this_thread(End::Channel);
    let (answering, mut stream) = Answering::start(command, Answer::Stream, "the bare stream")?;
    let block = pattern();
    let clock = Clock::start();
    let until = clock.now().saturating_add(Span::from_s_f64(seconds));
    let began = clock.now();
    while clock.now() < until {
        stream.write_all(&block[..WRITE_BYTES])?;
    }
    drop(stream);
    let bytes = answering.end()?;
    Ok(bytes as f64 / 1e6 / clock.now().saturating_since(began).as_s_f64())
}

//! Frames of the lengths that blocks of a link have, with CRC made and checked and credits both ways, every octet compared; no
//! state machine, no exchange, no adapter.

use std::net::TcpStream;
use std::path::Path;

use halftrack_base::Span;
use halftrack_link::islink::{PatternSink, PatternSource, Sink, Source, pattern};
use halftrack_link::{Clock, Fibre, FibreOptions, Poller, TcpTransport};
use halftrack_wire::{Eof, FcHeader, FrameSink, Sof, WorldWideName};

use super::answering::{Answer, Answering};
use crate::bench_error::BenchError;
use crate::link::children::failed;
use crate::link::processors::{End, place_this_thread};

/// Octets of a frame of command mode.
const FRAME_BYTES: usize = 2048;
/// Buffer credits of both ends.
const CREDITS: u16 = 1024;
/// Stream of which the octets are.
const STREAM: u32 = 1;

fn options(name: u64) -> FibreOptions {
    FibreOptions { own_name: WorldWideName(name), receive_credit: CREDITS, check_crc: true, clock: None }
}

/// Takes and compares frames to the end of a connection; returns the octets.
pub(super) fn take(stream: TcpStream) -> Result<u64, BenchError> {
    let clock = Clock::start();
    let mut fibre = Fibre::accept(TcpTransport::new(stream)?, options(2), clock.now());
    fibre.set_credit(CREDITS);
    let mut sink = PatternSink::new(pattern(), STREAM);
    let mut poller = Poller::default();
    loop {
        let now = clock.now();
        // The other end closes the connection when its time is over.
        let Ok(worked) = fibre.receive(now) else { return Ok(sink.taken_bytes()) };
        while let Ok(Some(frame)) = fibre.next_frame() {
            let at = sink.taken_bytes();
            sink.put(at, frame.frame.payload).map_err(|error| failed("bare frames", error))?;
        }
        if fibre.flush(now, !worked).is_err() {
            return Ok(sink.taken_bytes());
        }
        if poller.end_turn(worked, now) {
            let until = fibre.poll_timeout();
            poller.sleep(&clock, Some(until), &mut [fibre.transport()], &[])?;
        }
    }
}

/// Returns the rate of frames, 10^6 bytes a second.
pub(super) fn measure(command: &Path, seconds: f64) -> Result<f64, BenchError> {
    let _placed = place_this_thread(End::Channel);
    let (answering, stream) = Answering::start(command, Answer::Frames, "bare frames")?;
    let clock = Clock::start();
    let mut fibre = Fibre::open(TcpTransport::new(stream)?, options(1), 1, clock.now());
    fibre.set_credit(CREDITS);
    let mut source = PatternSource::new(pattern(), STREAM, None);
    let mut poller = Poller::default();
    let closed = |why: halftrack_link::Closing| failed("bare frames", why);
    let began = clock.now();
    let until = began.saturating_add(Span::from_s_f64(seconds));
    loop {
        let now = clock.now();
        if now >= until {
            break;
        }
        let mut worked = fibre.receive(now).map_err(closed)?;
        while let Ok(Some(_)) = fibre.next_frame() {}
        while fibre.can_send() {
            worked = true;
            let octets = source.take(FRAME_BYTES)?;
            fibre.frame(Sof::Initiate3, &FcHeader::default(), &[&octets], Eof::Terminate);
            fibre.send_if_many(now).map_err(closed)?;
        }
        fibre.flush(now, !worked).map_err(closed)?;
        if poller.end_turn(worked || fibre.has_unsent(), now) {
            poller.sleep(&clock, Some(until.min(fibre.poll_timeout())), &mut [fibre.transport()], &[])?;
        }
    }
    drop(fibre);
    let bytes = answering.end()?;
    Ok(bytes as f64 / 1e6 / clock.now().saturating_since(began).as_s_f64())
}

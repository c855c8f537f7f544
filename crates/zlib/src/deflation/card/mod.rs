//! A stream that a card has begun.
//!
//! Input is collected up to a segment, and each segment is a request of its own. When a request fails, software goes on with
//! its data: blocks of a card end on an octet and refer to nothing before them, so that a raw stream of the software follows.
//! Header, trailer and check value of the format are written here, whoever deflates.

mod memory;
mod software;

use std::mem;

use halftrack_zedc::{Answer, INPUT_BYTES_MAX, OUTPUT_BYTES_MAX, SLICE_BYTES_MAX};
use libc::c_int;
use libz_rs_sys::{
    Z_BINARY, Z_BLOCK, Z_BUF_ERROR, Z_FINISH, Z_FULL_FLUSH, Z_NO_FLUSH, Z_OK, Z_STREAM_END, Z_STREAM_ERROR,
    Z_SYNC_FLUSH, Z_TEXT, Z_UNKNOWN, z_stream,
};

use super::{HEADER_BYTES_MAX, Parameters};
use crate::accelerator::Accelerator;
use crate::buffers::{self, consume, fail};
use crate::connections;
use crate::format::Format;
use crate::queue::Queue;

/// Empty stored block (RFC 1951, 3.2.4), with which a flush ends.
const FLUSH_MARKER: [u8; 5] = [0, 0, 0, 0xFF, 0xFF];
/// Empty block of fixed codes that is final: a whole stream of no data.
const FINAL_EMPTY: [u8; 2] = [3, 0];
/// Octets behind the last request: of a flush or a final block, and the longest trailer.
const END_BYTES: usize = FLUSH_MARKER.len() + 8;
/// Octets that decide on the kind of data: about those of a first block of zlib (our choice).
const KIND_BYTES: usize = 64 << 10;
/// Octets of the window, which `deflateGetDictionary` returns.
const WINDOW_BYTES: usize = SLICE_BYTES_MAX;

/// Stream that a card has begun.
pub struct CardDeflation {
    format: Format,
    parameters: Parameters,
    /// Raw stream of the software, which goes on when the card is lost.
    raw: z_stream,
    /// Software goes on.
    is_software: bool,
    /// The final block and the trailer are written, if not taken.
    is_ended: bool,
    /// The flush of the last call; -1 when any flush is to be done.
    last_flush: c_int,
    /// Nothing came behind a marker of a flush.
    is_flushed: bool,
    /// Input that was taken and not deflated.
    input: Queue,
    /// Output that the application did not take.
    output: Queue,
    /// Last data that the card deflated.
    history: Queue,
    /// Check value of the input that was taken.
    check: u32,
    /// Check value of the input before that of the next request.
    check_of_requests: u32,
    length_bytes: u32,
}

impl CardDeflation {
    /// Makes a stream without memory.
    pub fn new(parameters: Parameters) -> Self {
        let format = parameters.format();
        Self {
            format,
            parameters,
            raw: z_stream::default(),
            is_software: false,
            is_ended: false,
            last_flush: Z_NO_FLUSH,
            is_flushed: true,
            input: Queue::new(INPUT_BYTES_MAX),
            output: Queue::new(HEADER_BYTES_MAX + OUTPUT_BYTES_MAX + END_BYTES),
            history: Queue::new(WINDOW_BYTES),
            check: format.check_of_nothing(),
            check_of_requests: format.check_of_nothing(),
            length_bytes: 0,
        }
    }

    /// Begins the stream with its header.
    pub fn begin(&mut self, header: &[u8]) {
        self.output.append(header);
    }

    /// Returns the format.
    pub const fn format(&self) -> Format {
        self.format
    }

    /// Returns whether the final block is written.
    pub const fn is_ended(&self) -> bool {
        self.is_ended
    }

    /// Deflates as `deflate` does.
    pub fn deflate(&mut self, strm: &mut z_stream, flush: c_int) -> c_int {
        let is_valid = (Z_NO_FLUSH..=Z_BLOCK).contains(&flush)
            && !strm.next_out.is_null()
            && (strm.avail_in == 0 || !strm.next_in.is_null())
            && (!self.is_ended || flush == Z_FINISH);
        if !is_valid {
            return fail(strm, Z_STREAM_ERROR);
        }
        if strm.avail_out == 0 {
            return fail(strm, Z_BUF_ERROR);
        }
        let last_flush = mem::replace(&mut self.last_flush, flush);
        let had_output = !self.output.is_empty();
        self.write_output(strm);
        if had_output && strm.avail_out == 0 {
            return self.end_of_call(strm);
        }
        let is_repeated = strm.avail_in == 0 && rank(flush) <= rank(last_flush) && flush != Z_FINISH;
        let has_nothing_to_do = !had_output && !self.is_software && is_repeated;
        if has_nothing_to_do || self.is_ended && strm.avail_in != 0 {
            return fail(strm, Z_BUF_ERROR);
        }
        let result = if self.is_ended { Z_OK } else { self.advance(strm, flush) };
        // To have written what was left over is no lack of progress.
        let is_error = result < 0 && !(result == Z_BUF_ERROR && had_output);
        if is_error { result } else { self.end_of_call(strm) }
    }

    /// Returns the result of a call that did something, or had nothing to do.
    fn end_of_call(&mut self, strm: &z_stream) -> c_int {
        if self.is_ended && self.output.is_empty() {
            return Z_STREAM_END;
        }
        if strm.avail_out == 0 {
            // The next call is no error although it may find nothing to do.
            self.last_flush = -1;
        }
        Z_OK
    }

    /// Takes input, and deflates what is due.
    fn advance(&mut self, strm: &mut z_stream, flush: c_int) -> c_int {
        if flush == Z_BLOCK || buffers::is_overlapping(strm) {
            self.is_software = true;
        }
        if !self.is_software {
            self.send_segments(strm, flush);
        }
        if self.is_software { self.go_on_in_software(strm, flush) } else { Z_OK }
    }

    /// Sends segments to a card until all input is taken, output is left over, or a request fails.
    fn send_segments(&mut self, strm: &mut z_stream, flush: c_int) {
        loop {
            let available = strm.avail_in as usize;
            let taken = available.min(self.input.room_bytes());
            let is_all = taken == available;
            if is_all && flush == Z_NO_FLUSH && taken < self.input.room_bytes() {
                self.is_software = !self.try_collect(strm, taken);
                return;
            }
            if !self.try_send(strm, taken, is_all && flush == Z_FINISH) {
                self.is_software = true;
                return;
            }
            if is_all {
                self.end_of_input(flush);
            }
            self.write_output(strm);
            if is_all || !self.output.is_empty() {
                return;
            }
        }
    }

    /// Takes input into the queue; returns whether there is memory for it.
    fn try_collect(&mut self, strm: &mut z_stream, bytes: usize) -> bool {
        // SAFETY: the functions of the stream are as zlib demands; its input is read before the call ends.
        let input = unsafe {
            if !self.input.allocate(strm) {
                return false;
            }
            &buffers::input(strm)[..bytes]
        };
        self.input.append(input);
        self.take_input(strm, input);
        true
    }

    /// Counts input as taken.
    fn take_input(&mut self, strm: &mut z_stream, input: &[u8]) {
        let check = self.format.check(self.check, input);
        self.take_checked_input(strm, input.len(), check);
    }

    /// Counts input as taken, up to which the check value is this one.
    fn take_checked_input(&mut self, strm: &mut z_stream, bytes: usize, check: u32) {
        self.check = check;
        self.length_bytes = self.length_bytes.wrapping_add(bytes as u32);
        self.is_flushed &= bytes == 0;
        if self.format != Format::Raw {
            strm.adler = check.into();
        }
        consume(strm, bytes);
    }

    /// Sends the queue and so much input to a card; returns whether it was deflated. The input is not taken when it was not.
    fn try_send(&mut self, strm: &mut z_stream, bytes: usize, is_last: bool) -> bool {
        if self.input.is_empty() {
            // SAFETY: the input is read before the call ends; nothing is written meanwhile but our own memory.
            let segment = unsafe { &buffers::input(strm)[..bytes] };
            let check = self.format.check(self.check, segment);
            let is_sent = segment.is_empty() || self.try_deflate(strm, segment, check, is_last);
            if is_sent {
                self.take_checked_input(strm, bytes, check);
            }
            return is_sent;
        }
        if !self.try_collect(strm, bytes) {
            return false;
        }
        let queue = mem::replace(&mut self.input, Queue::new(INPUT_BYTES_MAX));
        let is_sent = self.try_deflate(strm, queue.contents(), self.check, is_last);
        self.input = queue;
        if is_sent {
            self.input.clear();
        }
        is_sent
    }

    /// Has a card deflate a segment; returns whether it did. What it returns must be of this input.
    fn try_deflate(&mut self, strm: &mut z_stream, segment: &[u8], check: u32, is_last: bool) -> bool {
        let request = |accelerator: &mut dyn Accelerator, output: &mut Vec<u8>| {
            let values = accelerator.deflate(segment, is_last, output)?;
            let is_right = self.format.joined(self.check_of_requests, values, segment.len()) == check;
            if !is_right || output.len() + END_BYTES > self.output.room_bytes() {
                return Err(Answer::DeviceLost);
            }
            // Octets for which the application has room go there at once.
            self.write_output(strm);
            let is_direct = self.output.is_empty();
            // SAFETY: the output can be written, by the application, and is none of the input, which `advance` has checked.
            let written = if is_direct { unsafe { buffers::write(strm, output) } } else { 0 };
            self.output.append(&output[written..]);
            Ok(())
        };
        if connections::with_accelerator(request).is_err() {
            return false;
        }
        self.check_of_requests = check;
        if strm.data_type == Z_UNKNOWN {
            strm.data_type = data_type(segment);
        }
        remember(&mut self.history, segment);
        self.is_ended = is_last;
        true
    }

    /// Ends what a card deflated as the flush demands.
    fn end_of_input(&mut self, flush: c_int) {
        match flush {
            Z_FINISH => {
                if !mem::replace(&mut self.is_ended, true) {
                    self.output.append(&FINAL_EMPTY);
                }
                self.append_trailer();
            }
            Z_SYNC_FLUSH | Z_FULL_FLUSH if !self.is_flushed => {
                self.output.append(&FLUSH_MARKER);
                self.is_flushed = true;
            }
            _ => {}
        }
    }

    fn append_trailer(&mut self) {
        let trailer = self.format.trailer(self.check, self.length_bytes);
        self.output.append(&trailer[..self.format.trailer_bytes()]);
    }

    /// Writes output that was left over.
    fn write_output(&mut self, strm: &mut z_stream) {
        // SAFETY: the output can be written, by the application; the queue is our own memory.
        let bytes = unsafe { buffers::write(strm, self.output.contents()) };
        self.output.take(bytes);
    }

    /// Returns how many octets the application did not take, those of the software not counted.
    pub const fn output_bytes(&self) -> usize {
        self.output.length_bytes()
    }
}

/// Keeps the last octets of what was and of `data`.
fn remember(history: &mut Queue, data: &[u8]) {
    let data = &data[data.len().saturating_sub(WINDOW_BYTES)..];
    if data.len() > history.room_bytes() {
        let kept = history.contents().to_vec();
        let kept = &kept[(kept.len() + data.len()).saturating_sub(WINDOW_BYTES).min(kept.len())..];
        history.clear();
        history.append(kept);
    }
    history.append(data);
}

/// Returns the order of flushes, by which a call that repeats one is found.
const fn rank(flush: c_int) -> c_int {
    flush * 2 - if flush > 4 { 9 } else { 0 }
}

/// Returns the kind of data as zlib does: text has octets of text, and no control characters that text has not. The first octets
/// decide, as the first block of zlib does.
fn data_type(data: &[u8]) -> c_int {
    let data = &data[..data.len().min(KIND_BYTES)];
    let is_binary = |octet: &u8| matches!(octet, 0..=6 | 14..=25 | 28..=31);
    let is_text = |octet: &u8| matches!(octet, 9 | 10 | 13 | 32..);
    if !data.iter().any(is_binary) && data.iter().any(is_text) { Z_TEXT } else { Z_BINARY }
}

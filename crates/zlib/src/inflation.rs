//! Streams that are inflated: by a card in the first call when the whole stream is there, or by software.

use std::mem;
use std::slice;

use halftrack_zedc::{INPUT_BYTES_MAX, Inflated, OUTPUT_BYTES_MAX};
use libc::c_int;
use libz_rs_sys::{Z_FINISH, Z_NO_FLUSH, Z_STREAM_END, z_stream};

use crate::accelerator::CheckValues;
use crate::buffers::{self, consume, produce};
use crate::connections;
use crate::format::{Format, gzip_header_bytes, zlib_header_bytes};
use crate::settings::Settings;
use crate::stream::{Kind, Stream};

/// Bits of the largest window.
const WINDOW_BITS: c_int = 15;
/// `data_type` at the end of a stream: the last block has ended, and no bit is left over.
const DATA_TYPE_AT_END: c_int = 64;

/// Place where the stream is inflated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Nothing was inflated.
    Undecided,
    /// Software, up to the next reset.
    Software,
    /// A card has inflated the whole stream.
    Ended,
}

/// Part of the state that is of inflation.
#[derive(Debug, Clone, Copy)]
pub struct Inflation {
    /// As in `inflateInit2`.
    window_bits: c_int,
    phase: Phase,
    /// The state of the software has become that of raw DEFLATE, since it holds the window.
    is_raw: bool,
}

impl Kind for Inflation {
    const MARK: u64 = u64::from_ne_bytes(*b"HTinflat");
}

impl Inflation {
    /// Makes the state of a stream.
    pub const fn new(window_bits: c_int) -> Self {
        Self { window_bits, phase: Phase::Undecided, is_raw: false }
    }
}

impl Stream<Inflation> {
    /// Inflates as `inflate` does.
    pub fn inflate(&mut self, strm: &mut z_stream, flush: c_int) -> c_int {
        let has_buffers = !strm.next_out.is_null() && (!strm.next_in.is_null() || strm.avail_in == 0);
        if self.own.phase == Phase::Undecided && has_buffers {
            self.own.phase = if self.try_whole(strm, flush) { Phase::Ended } else { Phase::Software };
        }
        if self.own.phase == Phase::Ended && has_buffers {
            return Z_STREAM_END;
        }
        // SAFETY: the software finds its own state, and the application's buffers.
        self.software(strm, |strm| unsafe { libz_rs_sys::inflate(strm, flush) })
    }

    /// Inflates the whole stream by a card when the policy allows it and the stream is whole; returns whether that was done.
    /// Nothing but the output has changed when it was not.
    fn try_whole(&mut self, strm: &mut z_stream, flush: c_int) -> bool {
        let is_due = connections::is_configured()
            && strm.avail_in as usize >= Settings::of_process().inflate_minimum_bytes.max(1)
            // What expands has more output than input: with less room the stream is not whole in this call.
            && strm.avail_out >= strm.avail_in
            // The other flushes stop between blocks.
            && (Z_NO_FLUSH..=Z_FINISH).contains(&flush)
            && !buffers::is_overlapping(strm);
        if !is_due {
            return false;
        }
        // SAFETY: both are the application's, which has no octet in both.
        let (input, output) = unsafe {
            let output = slice::from_raw_parts_mut(strm.next_out, strm.avail_out as usize);
            (buffers::input(strm), output)
        };
        let Some(whole) = whole_stream(self.own.window_bits, input, output) else { return false };
        if flush != Z_FINISH {
            self.keep_window(strm, &output[..whole.produced_bytes]);
        }
        consume(strm, whole.consumed_bytes);
        produce(strm, whole.produced_bytes);
        if let Some(check) = whole.check {
            strm.adler = check.into();
        }
        strm.data_type = DATA_TYPE_AT_END;
        true
    }

    /// Hands the end of the output to the software, which returns it when the dictionary is wanted.
    fn keep_window(&mut self, strm: &mut z_stream, output: &[u8]) {
        let window = &output[output.len().saturating_sub(1 << WINDOW_BITS)..];
        let before = *strm;
        // SAFETY: the software finds its own state, and reads the window.
        self.software(strm, |strm| unsafe {
            libz_rs_sys::inflateReset2(strm, -WINDOW_BITS);
            libz_rs_sys::inflateSetDictionary(strm, window.as_ptr(), window.len() as _)
        });
        // The calls reset the counts of the stream too.
        *strm = before;
        self.own.is_raw = true;
    }

    /// Leaves the stream to software, before a function of it that a card has not.
    pub fn leave_to_software(&mut self, strm: &mut z_stream) {
        if self.own.phase == Phase::Ended {
            self.restore_software(strm);
        }
        self.own.phase = Phase::Software;
    }

    /// Begins another stream, before the software does so.
    pub fn reset(&mut self, strm: &mut z_stream) {
        self.restore_software(strm);
        self.own.phase = Phase::Undecided;
    }

    /// Sets the bits of the window, with which the software has begun another stream.
    pub fn set_window_bits(&mut self, window_bits: c_int) {
        self.own = Inflation::new(window_bits);
    }

    /// Gives the state of the software the format of the stream again.
    fn restore_software(&mut self, strm: &mut z_stream) {
        if mem::take(&mut self.own.is_raw) {
            let (before, window_bits) = (*strm, self.own.window_bits);
            // SAFETY: the software finds its own state.
            self.software(strm, |strm| unsafe { libz_rs_sys::inflateReset2(strm, window_bits) });
            *strm = before;
        }
    }
}

/// Stream that a card has inflated.
struct Whole {
    consumed_bytes: usize,
    produced_bytes: usize,
    /// Check value of the output, where the format has one.
    check: Option<u32>,
}

/// Inflates a stream by a card; none when it is not whole, not right, or nothing for a card.
fn whole_stream(window_bits: c_int, input: &[u8], output: &mut [u8]) -> Option<Whole> {
    let (format, header_bytes) = format(window_bits, input)?;
    let body = &input[header_bytes..];
    if body.is_empty() || body.len() > INPUT_BYTES_MAX {
        return None;
    }
    let room = output.len().min(OUTPUT_BYTES_MAX);
    let inflated = connections::with_accelerator(|card, _| card.inflate(body, &mut output[..room]));
    let (Inflated { consumed_bytes, produced_bytes }, values) = inflated.ok()?;
    let trailer_start = header_bytes.checked_add(consumed_bytes).filter(|_| produced_bytes <= room)?;
    let end = trailer_start.checked_add(format.trailer_bytes())?;
    let found = input.get(trailer_start..end)?;
    let CheckValues { crc32, adler32 } = values;
    let check = if format == Format::Gzip { crc32 } else { adler32 };
    let is_right = format.trailer(check, produced_bytes as u32).starts_with(found);
    is_right.then_some(Whole {
        consumed_bytes: end,
        produced_bytes,
        check: (format != Format::Raw).then_some(check),
    })
}

/// Returns the format of a stream and the length of its header; none when a card cannot do it.
fn format(window_bits: c_int, input: &[u8]) -> Option<(Format, usize)> {
    let zlib = || Some((Format::Zlib, zlib_header_bytes(input)?));
    let gzip = || Some((Format::Gzip, gzip_header_bytes(input)?));
    // 16 more are gzip, 32 more either; no bits are the window that the header has.
    match window_bits {
        -15 => Some((Format::Raw, 0)),
        0 | 15 => zlib(),
        16 | 31 => gzip(),
        32 | 47 => zlib().or_else(gzip),
        _ => None,
    }
}

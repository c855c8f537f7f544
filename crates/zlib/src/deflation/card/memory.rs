//! Memory of a stream that a card has begun.

use std::mem;

use libc::c_int;
use libz_rs_sys::{Z_DEFLATED, Z_OK, z_stream};

use super::CardDeflation;
use crate::deflation::{Parameters, reset};

impl CardDeflation {
    /// Forgets the stream, and keeps its memory for another one.
    pub fn rewind(&mut self, parameters: Parameters) {
        let mut before = mem::replace(self, Self::new(parameters));
        for queue in [&mut before.input, &mut before.output, &mut before.history] {
            queue.clear();
        }
        (self.input, self.output, self.history) = (before.input, before.output, before.history);
        self.raw = before.raw;
        if !self.raw.state.is_null() {
            // SAFETY: it was initialized by the software.
            unsafe {
                reset::finish(&mut self.raw);
                reset::reset(&mut self.raw, libz_rs_sys::deflateReset, parameters);
            }
        }
    }

    /// Allocates all that cannot be done without; returns whether there is memory.
    pub fn try_provide(&mut self, strm: &z_stream) -> bool {
        // SAFETY: the functions of the stream are as zlib demands.
        let has_queues = unsafe { self.output.allocate(strm) && self.history.allocate(strm) };
        has_queues && (!self.raw.state.is_null() || self.try_initialize_raw(strm))
    }

    fn try_initialize_raw(&mut self, strm: &z_stream) -> bool {
        (self.raw.zalloc, self.raw.zfree, self.raw.opaque) = (strm.zalloc, strm.zfree, strm.opaque);
        let Parameters { level, strategy, window_bits, memory_level } = self.parameters;
        let raw_bits = -(window_bits.abs() % 16);
        let size = mem::size_of::<z_stream>() as c_int;
        // SAFETY: the functions are those of the application's stream.
        let result = unsafe {
            let version = libz_rs_sys::zlibVersion();
            libz_rs_sys::deflateInit2_(
                &mut self.raw,
                level,
                Z_DEFLATED,
                raw_bits,
                memory_level,
                strategy,
                version,
                size,
            )
        };
        result == Z_OK
    }

    /// Frees the memory.
    pub fn free(&mut self, strm: &z_stream) {
        for queue in [&mut self.input, &mut self.output, &mut self.history] {
            // SAFETY: it was allocated by the functions of the stream.
            unsafe { queue.free(strm) };
        }
        if !self.raw.state.is_null() {
            // SAFETY: it was initialized by the software, and has no state afterwards.
            unsafe { libz_rs_sys::deflateEnd(&mut self.raw) };
        }
    }

    /// Copies the stream; none when there is no memory.
    pub fn copied(&mut self, strm: &z_stream) -> Option<Self> {
        let mut copy = Self::new(self.parameters);
        let mut raw = z_stream::default();
        // SAFETY: the software has initialized the raw stream.
        if unsafe { libz_rs_sys::deflateCopy(&mut raw, &mut self.raw) } != Z_OK {
            // What it left in the copy is the state of the source.
            return None;
        }
        copy.raw = raw;
        let is_whole = [
            (&self.input, &mut copy.input),
            (&self.output, &mut copy.output),
            (&self.history, &mut copy.history),
        ]
        .into_iter()
        // SAFETY: the functions of both streams are the same.
        .all(|(from, to)| unsafe { from.copied(strm) }.map(|queue| *to = queue).is_some());
        if !is_whole {
            copy.free(strm);
            return None;
        }
        let Self {
            is_software,
            is_ended,
            last_flush,
            is_flushed,
            check,
            check_of_requests,
            length_bytes,
            ..
        } = *self;
        Some(Self {
            is_software,
            is_ended,
            last_flush,
            is_flushed,
            check,
            check_of_requests,
            length_bytes,
            ..copy
        })
    }
}

//! Software that goes on behind a card, with a raw stream of its own.

use std::ptr;

use libc::c_int;
use libz_rs_sys::{Z_BLOCK, Z_BUF_ERROR, Z_NO_FLUSH, Z_OK, Z_STREAM_END, z_stream};

use super::{CardDeflation, WINDOW_BYTES};
use crate::buffers;

impl CardDeflation {
    /// Deflates by software: what the card did not, then the input.
    pub(super) fn go_on_in_software(&mut self, strm: &mut z_stream, flush: c_int) -> c_int {
        let mut has_progress = false;
        while !self.input.is_empty() {
            if strm.avail_out == 0 {
                return Z_OK;
            }
            let (input, bytes) = (self.input.contents().as_ptr(), self.input.length_bytes());
            let (result, taken) = self.by_raw(strm, input, bytes, |raw| {
                // SAFETY: it was initialized by the software; its input is the queue.
                unsafe { libz_rs_sys::deflate(raw, Z_NO_FLUSH) }
            });
            self.input.take(taken);
            if result < 0 {
                return result;
            }
            has_progress = true;
        }
        if has_progress && (strm.avail_out == 0 || strm.avail_in == 0 && flush == Z_NO_FLUSH) {
            return Z_OK;
        }
        self.call_raw(strm, |raw| {
            // SAFETY: it was initialized by the software; its input is that of the application.
            unsafe { libz_rs_sys::deflate(raw, flush) }
        })
    }

    /// Calls a function of the software with the raw stream and the buffers of the application.
    fn call_raw(&mut self, strm: &mut z_stream, call: impl FnOnce(&mut z_stream) -> c_int) -> c_int {
        // SAFETY: the input is the application's. Output is written to it only where they overlap, and then not to the copy.
        let mut input = unsafe { buffers::input(strm) };
        let copy;
        if buffers::is_overlapping(strm) {
            copy = input.to_vec();
            input = &copy;
        }
        let (result, taken) = self.by_raw(strm, input.as_ptr(), input.len(), call);
        self.take_input(strm, &input[..taken]);
        if result == Z_STREAM_END {
            self.is_ended = true;
            self.append_trailer();
            self.write_output(strm);
        }
        result
    }

    /// Calls a function of the software with the raw stream; returns its result and how much input it took.
    fn by_raw(
        &mut self,
        strm: &mut z_stream,
        input: *const u8,
        bytes: usize,
        call: impl FnOnce(&mut z_stream) -> c_int,
    ) -> (c_int, usize) {
        let raw = &mut self.raw;
        (raw.next_in, raw.avail_in) = (input, bytes as _);
        (raw.next_out, raw.avail_out) = (strm.next_out, strm.avail_out);
        (raw.data_type, raw.msg) = (strm.data_type, strm.msg);
        let result = call(raw);
        let taken = bytes - raw.avail_in as usize;
        let produced = (strm.avail_out - raw.avail_out) as usize;
        (strm.data_type, strm.msg) = (raw.data_type, raw.msg);
        (raw.next_in, raw.avail_in) = (ptr::null(), 0);
        buffers::produce(strm, produced);
        (result, taken)
    }

    /// Goes on in software from now on, for what a card cannot do.
    pub fn choose_software(&mut self) {
        self.is_software = true;
    }

    /// Returns whether input was taken that is not deflated.
    pub fn has_input(&self) -> bool {
        !self.input.is_empty()
    }

    /// Sets level and strategy, as `deflateParams` does.
    pub fn set_parameters(
        &mut self,
        strm: &mut z_stream,
        level: c_int,
        strategy: c_int,
        is_for_card: bool,
    ) -> c_int {
        (self.parameters.level, self.parameters.strategy) = (level, strategy);
        self.is_software |= !is_for_card;
        if self.is_software && strm.avail_out > 0 && !strm.next_out.is_null() {
            self.write_output(strm);
            if self.output.is_empty() && !self.input.is_empty() {
                let result = self.go_on_in_software(strm, Z_BLOCK);
                if result < 0 && result != Z_BUF_ERROR {
                    return result;
                }
            }
        }
        if self.is_software && !(self.output.is_empty() && self.input.is_empty()) {
            return Z_BUF_ERROR;
        }
        if self.is_software {
            return self.call_raw(strm, |raw| {
                // SAFETY: it was initialized by the software; its buffers are those of the application.
                unsafe { libz_rs_sys::deflateParams(raw, level, strategy) }
            });
        }
        // SAFETY: it was initialized by the software, which has nothing to write yet.
        unsafe { libz_rs_sys::deflateParams(&mut self.raw, level, strategy) }
    }

    /// Returns the raw stream of the software.
    pub const fn raw_mut(&mut self) -> &mut z_stream {
        &mut self.raw
    }

    /// Returns the last data of the stream, at most a window.
    pub fn dictionary(&self) -> Vec<u8> {
        let mut window = [0; WINDOW_BYTES];
        let mut length = 0;
        // SAFETY: it was initialized by the software, and the room is a window.
        unsafe { libz_rs_sys::deflateGetDictionary(&self.raw, window.as_mut_ptr(), &mut length) };
        let data = [self.history.contents(), &window[..length as usize], self.input.contents()].concat();
        data[data.len().saturating_sub(WINDOW_BYTES)..].to_vec()
    }
}

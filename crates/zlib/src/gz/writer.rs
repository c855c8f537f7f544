//! Files that are written, when the process has cards: zlib's writing of gzip files over a stream of this library.

use std::ffi::{CStr, CString};
use std::io;
use std::mem;
use std::ptr;

use libc::{c_int, c_uint, c_void};
use libz_rs_sys::{
    Z_BLOCK, Z_DEFLATED, Z_ERRNO, Z_FINISH, Z_MEM_ERROR, Z_NO_FLUSH, Z_OK, Z_STREAM_END, Z_STREAM_ERROR,
    z_stream,
};

use super::mode::Mode;
use crate::exports::{deflate, deflateEnd, deflateInit2_, deflateParams, deflateReset};

/// Number at the place where the software's state has its mode and its file: no file has such a number.
const MARK: u64 = u64::from_ne_bytes(*b"HTgzwrit");
/// Octets that are collected without another choice.
const BUFFER_BYTES: usize = 8 << 10;
/// Fewest octets that are collected.
const BUFFER_BYTES_MIN: usize = 8;
/// Octets of output that are written at a time.
const OUTPUT_BYTES: usize = 64 << 10;
/// Bits of the window with those of the format gzip.
const WINDOW_BITS: c_int = 15 + 16;
/// Memory of the software.
const MEMORY_LEVEL: c_int = 8;

/// File that is written.
#[repr(C)]
pub struct Writer {
    /// Octets that `gzgetc` of `zlib.h` may take: none. The first three fields are those of `gzFile_s` there.
    have: c_uint,
    next: *mut u8,
    position: i64,
    mark: u64,
    file: c_int,
    path: CString,
    level: c_int,
    strategy: c_int,
    buffer_bytes: usize,
    /// Data that are not deflated.
    input: Vec<u8>,
    /// Room for what is not written; none before the first data.
    output: Vec<u8>,
    stream: z_stream,
    /// A stream has ended, and the next data begin another one.
    is_ended: bool,
    /// Zeros to be written before the next data.
    zeros: i64,
    error: c_int,
    message: CString,
}

/// Error of the file, which is kept in it.
pub struct Failed;

impl Writer {
    /// Makes a file of one that is open.
    pub fn new(file: c_int, path: CString, mode: Mode) -> Self {
        Self {
            have: 0,
            next: ptr::null_mut(),
            position: 0,
            mark: MARK,
            file,
            path,
            level: mode.level,
            strategy: mode.strategy,
            buffer_bytes: BUFFER_BYTES,
            input: Vec::new(),
            output: Vec::new(),
            stream: z_stream { zalloc: None, zfree: None, opaque: ptr::null_mut(), ..z_stream::default() },
            is_ended: false,
            zeros: 0,
            error: Z_OK,
            message: CString::default(),
        }
    }

    /// Returns the writer behind a file; none when the file is the software's.
    ///
    /// # Safety
    /// It is null, or an open file of this library that nobody else uses for the lifetime.
    pub unsafe fn of<'a>(file: *mut c_void) -> Option<&'a mut Self> {
        let writer = file.cast::<Self>();
        if writer.is_null() {
            return None;
        }
        // SAFETY: both kinds of files begin with the three fields and at least a word behind them.
        let mark = unsafe { (&raw const (*writer).mark).read() };
        // SAFETY: only `new` writes the mark.
        (mark == MARK).then(|| unsafe { &mut *writer })
    }

    /// Returns the error and its text, with the path in front.
    pub fn error(&self) -> (c_int, &CStr) {
        (self.error, &self.message)
    }

    /// Sets the error and its text.
    pub fn fail(&mut self, error: c_int, text: &str) -> Failed {
        let message = [self.path.as_bytes(), b": ", text.as_bytes()].concat();
        self.error = error;
        self.message = CString::new(message).unwrap_or_default();
        Failed
    }

    /// Forgets the error.
    pub fn clear_error(&mut self) {
        self.error = Z_OK;
        self.message = CString::default();
    }

    /// Returns the error so far.
    fn check(&self) -> Result<(), Failed> {
        if self.error == Z_OK { Ok(()) } else { Err(Failed) }
    }

    /// Returns the position in the data.
    pub const fn position(&self) -> i64 {
        self.position + self.zeros
    }

    /// Returns the position in the file.
    pub fn offset(&self) -> i64 {
        // SAFETY: the file is open.
        unsafe { libc::lseek(self.file, 0, libc::SEEK_CUR) }
    }

    /// Returns the most octets of a formatted text, and one more.
    pub const fn buffer_bytes(&self) -> usize {
        self.buffer_bytes
    }

    /// Sets how much is collected; returns whether that can be done now.
    pub fn set_buffer(&mut self, bytes: c_uint) -> bool {
        let can_be_set = self.output.is_empty() && bytes.checked_mul(2).is_some();
        if can_be_set {
            self.buffer_bytes = (bytes as usize).max(BUFFER_BYTES_MIN);
        }
        can_be_set
    }

    /// Moves to a position at or behind the last one: zeros are written before the next data.
    pub fn seek(&mut self, offset: i64, whence: c_int) -> Option<i64> {
        self.check().ok()?;
        let skipped = match whence {
            libc::SEEK_SET => offset.checked_sub(self.position)?,
            libc::SEEK_CUR => offset.checked_add(self.zeros)?,
            _ => return None,
        };
        self.position.checked_add(skipped).filter(|_| skipped >= 0)?;
        self.zeros = skipped;
        Some(self.position())
    }

    /// Writes data.
    pub fn write(&mut self, data: &[u8]) -> Result<(), Failed> {
        self.check()?;
        if data.is_empty() {
            return Ok(());
        }
        self.write_zeros()?;
        self.put(data)
    }

    /// Writes data behind all that was written.
    fn put(&mut self, data: &[u8]) -> Result<(), Failed> {
        self.begin()?;
        self.position += data.len() as i64;
        if self.input.len() + data.len() < self.buffer_bytes {
            self.input.extend_from_slice(data);
            return Ok(());
        }
        if data.len() >= self.buffer_bytes {
            self.deflate_collected(Z_NO_FLUSH)?;
            return self.deflate(data, Z_NO_FLUSH);
        }
        let (first, rest) = data.split_at(self.buffer_bytes - self.input.len());
        self.input.extend_from_slice(first);
        self.deflate_collected(Z_NO_FLUSH)?;
        self.input.extend_from_slice(rest);
        Ok(())
    }

    fn write_zeros(&mut self) -> Result<(), Failed> {
        let zeros = vec![0; self.buffer_bytes];
        let mut left = mem::take(&mut self.zeros);
        while left > 0 {
            let bytes = left.min(zeros.len() as i64);
            self.put(&zeros[..bytes as usize])?;
            left -= bytes;
        }
        Ok(())
    }

    /// Writes all that is collected, and flushes or ends the stream.
    pub fn flush(&mut self, flush: c_int) -> c_int {
        if self.check().is_err() || !(Z_NO_FLUSH..=Z_FINISH).contains(&flush) {
            return Z_STREAM_ERROR;
        }
        // The error is kept.
        let _ = self.write_zeros().and_then(|()| self.begin()).and_then(|()| self.deflate_collected(flush));
        self.error
    }

    /// Sets level and strategy of the data from here on.
    pub fn set_parameters(&mut self, level: c_int, strategy: c_int) -> c_int {
        if self.check().is_err() {
            return Z_STREAM_ERROR;
        }
        if (level, strategy) == (self.level, self.strategy) {
            return Z_OK;
        }
        let has_collected = !self.input.is_empty();
        let written = self
            .write_zeros()
            .and_then(|()| if has_collected { self.deflate_collected(Z_BLOCK) } else { Ok(()) });
        if written.is_err() {
            return self.error;
        }
        if !self.output.is_empty() {
            // SAFETY: it was initialized, and its output is our own.
            unsafe { deflateParams(&mut self.stream, level, strategy) };
        }
        (self.level, self.strategy) = (level, strategy);
        Z_OK
    }

    /// Ends and closes the file; returns the first error.
    pub fn close(mut self: Box<Self>) -> c_int {
        let mut result = Z_OK;
        // As in zlib, a file with an error is closed without the rest of its data.
        let ended =
            self.write_zeros().and_then(|()| self.begin()).and_then(|()| self.deflate_collected(Z_FINISH));
        if ended.is_err() {
            result = self.error;
        }
        if !self.output.is_empty() {
            // SAFETY: it was initialized, and is not used afterwards.
            unsafe { deflateEnd(&mut self.stream) };
        }
        self.mark = 0;
        // SAFETY: the file is open, and not used afterwards.
        if unsafe { libc::close(self.file) } == -1 { Z_ERRNO } else { result }
    }

    /// Makes the stream when there is none yet.
    fn begin(&mut self) -> Result<(), Failed> {
        self.check()?;
        if !self.output.is_empty() {
            return Ok(());
        }
        let size = size_of::<z_stream>() as c_int;
        // SAFETY: the stream is ours, and does not move: it is in a box.
        let result = unsafe {
            deflateInit2_(
                &mut self.stream,
                self.level,
                Z_DEFLATED,
                WINDOW_BITS,
                MEMORY_LEVEL,
                self.strategy,
                libz_rs_sys::zlibVersion(),
                size,
            )
        };
        if result != Z_OK {
            return Err(self.fail(Z_MEM_ERROR, "out of memory"));
        }
        self.output = vec![0; OUTPUT_BYTES];
        self.empty_output();
        Ok(())
    }

    fn empty_output(&mut self) {
        self.stream.next_out = self.output.as_mut_ptr();
        self.stream.avail_out = self.output.len() as c_uint;
    }

    fn deflate_collected(&mut self, flush: c_int) -> Result<(), Failed> {
        if self.input.is_empty() && flush == Z_NO_FLUSH {
            return Ok(());
        }
        let mut input = mem::take(&mut self.input);
        let result = self.deflate(&input, flush);
        input.clear();
        self.input = input;
        result
    }

    /// Deflates data of any length, and writes what is due.
    fn deflate(&mut self, data: &[u8], flush: c_int) -> Result<(), Failed> {
        if self.is_ended {
            if data.is_empty() {
                return Ok(());
            }
            // SAFETY: it was initialized.
            unsafe { deflateReset(&mut self.stream) };
            self.is_ended = false;
        }
        // A call of zlib takes less than 4 GiB.
        let pieces = data.len().div_ceil(1 << 30).max(1);
        for at in 0..pieces {
            let piece = &data[at << 30..data.len().min((at + 1) << 30)];
            self.deflate_piece(piece, if at + 1 == pieces { flush } else { Z_NO_FLUSH })?;
        }
        self.is_ended = flush == Z_FINISH;
        Ok(())
    }

    fn deflate_piece(&mut self, data: &[u8], flush: c_int) -> Result<(), Failed> {
        (self.stream.next_in, self.stream.avail_in) = (data.as_ptr(), data.len() as c_uint);
        loop {
            // SAFETY: it was initialized; its input is `data`, its output our own.
            let result = unsafe { deflate(&mut self.stream, flush) };
            if result == Z_STREAM_ERROR {
                return Err(self.fail(Z_STREAM_ERROR, "internal error: deflate stream corrupt"));
            }
            let is_full = self.stream.avail_out == 0;
            if is_full || flush != Z_NO_FLUSH {
                self.write_output()?;
            }
            if result == Z_STREAM_END || !is_full && flush != Z_FINISH {
                return Ok(());
            }
        }
    }

    fn write_output(&mut self) -> Result<(), Failed> {
        let end = self.output.len() - self.stream.avail_out as usize;
        let mut from = 0;
        while from < end {
            let left = &self.output[from..end];
            // SAFETY: the file is open; the octets are readable.
            let written = unsafe { libc::write(self.file, left.as_ptr().cast(), left.len()) };
            match usize::try_from(written) {
                Ok(bytes) => from += bytes,
                Err(_) => return Err(self.fail(Z_ERRNO, &io::Error::last_os_error().to_string())),
            }
        }
        self.empty_output();
        Ok(())
    }
}

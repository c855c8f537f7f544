//! Functions for whole buffers, which are streams of one call.

use std::ptr;

use libc::{c_int, c_uint, c_ulong, size_t};
use libz_rs_sys::{
    Bytef, Z_BUF_ERROR, Z_DATA_ERROR, Z_DEFAULT_COMPRESSION, Z_FINISH, Z_NEED_DICT, Z_NO_FLUSH, Z_OK,
    Z_STREAM_END, Z_STREAM_ERROR, z_stream, z_streamp,
};

use super::deflate::bound;
use super::{deflate, deflateEnd, deflateInit_, inflate, inflateEnd, inflateInit_};

/// Buffers that are handed to a stream in pieces as long as it takes.
struct Pieces {
    stream: z_stream,
    source_left: size_t,
    room_left: size_t,
}

impl Pieces {
    fn new(destination: *mut Bytef, room: size_t, source: *const Bytef, source_bytes: size_t) -> Self {
        let stream = z_stream {
            next_in: source,
            next_out: destination,
            zalloc: None,
            zfree: None,
            opaque: ptr::null_mut(),
            ..z_stream::default()
        };
        Self { stream, source_left: source_bytes, room_left: room }
    }

    /// Calls `step` until it returns something else than `Z_OK`.
    fn run(&mut self, mut step: impl FnMut(z_streamp, c_int) -> c_int) -> c_int {
        loop {
            for (left, available) in [
                (&mut self.room_left, &mut self.stream.avail_out),
                (&mut self.source_left, &mut self.stream.avail_in),
            ] {
                if *available == 0 {
                    *available = c_uint::try_from(*left).unwrap_or(c_uint::MAX);
                    *left -= *available as size_t;
                }
            }
            let flush = if self.source_left > 0 { Z_NO_FLUSH } else { Z_FINISH };
            let result = step(&mut self.stream, flush);
            if result != Z_OK {
                return result;
            }
        }
    }
}

/// Deflates a buffer to the format zlib.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn compress2_z(
    dest: *mut Bytef,
    destLen: *mut size_t,
    source: *const Bytef,
    sourceLen: size_t,
    level: c_int,
) -> c_int {
    // SAFETY: that of the caller.
    let Some(length) = (unsafe { destLen.as_mut() }) else { return Z_STREAM_ERROR };
    let mut pieces = Pieces::new(dest, std::mem::take(length), source, sourceLen);
    // SAFETY: the stream has the buffers of the caller, and functions of ours.
    unsafe {
        let version = libz_rs_sys::zlibVersion();
        let result = deflateInit_(&mut pieces.stream, level, version, size_of::<z_stream>() as c_int);
        if result != Z_OK {
            return result;
        }
        let result = pieces.run(|stream, flush| deflate(stream, flush));
        *length = pieces.stream.total_out as size_t;
        deflateEnd(&mut pieces.stream);
        if result == Z_STREAM_END { Z_OK } else { result }
    }
}

/// Inflates a buffer of the format zlib; `sourceLen` becomes what was consumed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uncompress2_z(
    dest: *mut Bytef,
    destLen: *mut size_t,
    source: *const Bytef,
    sourceLen: *mut size_t,
) -> c_int {
    // SAFETY: that of the caller.
    let (Some(length), Some(source_bytes)) = (unsafe { (destLen.as_mut(), sourceLen.as_mut()) }) else {
        return Z_STREAM_ERROR;
    };
    // Without room the stream is inflated into an octet, which shows whether it has data.
    let mut octet = 0;
    let room = *length;
    let destination = if room == 0 { &raw mut octet } else { dest };
    let mut pieces = Pieces::new(destination, room.max(1), source, *source_bytes);
    // SAFETY: the stream has the buffers of the caller, and functions of ours.
    unsafe {
        let version = libz_rs_sys::zlibVersion();
        let result = inflateInit_(&mut pieces.stream, version, size_of::<z_stream>() as c_int);
        if result != Z_OK {
            return result;
        }
        let result = pieces.run(|stream, _| inflate(stream, Z_NO_FLUSH));
        let left = pieces.source_left + pieces.stream.avail_in as size_t;
        let produced = pieces.stream.total_out as size_t;
        let has_room = pieces.room_left > 0 || pieces.stream.avail_out > 0;
        inflateEnd(&mut pieces.stream);
        *source_bytes -= left;
        *length = if room == 0 { 0 } else { produced };
        match result {
            Z_STREAM_END if produced > room => Z_BUF_ERROR,
            Z_STREAM_END => Z_OK,
            Z_NEED_DICT => Z_DATA_ERROR,
            // The stream is not whole.
            Z_BUF_ERROR if has_room && produced <= room => Z_DATA_ERROR,
            error => error,
        }
    }
}

/// Returns the most octets into which `compress` deflates so many.
#[unsafe(no_mangle)]
pub extern "C" fn compressBound_z(sourceLen: size_t) -> size_t {
    bound(libz_rs_sys::compressBound_z(sourceLen), sourceLen)
}

/// Returns the most octets into which `compress` deflates so many.
#[unsafe(no_mangle)]
pub extern "C" fn compressBound(sourceLen: c_ulong) -> c_ulong {
    compressBound_z(sourceLen as size_t) as c_ulong
}

/// Deflates a buffer to the format zlib.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn compress_z(
    dest: *mut Bytef,
    destLen: *mut size_t,
    source: *const Bytef,
    sourceLen: size_t,
) -> c_int {
    // SAFETY: that of the caller.
    unsafe { compress2_z(dest, destLen, source, sourceLen, Z_DEFAULT_COMPRESSION) }
}

/// Deflates a buffer to the format zlib.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn compress2(
    dest: *mut Bytef,
    destLen: *mut c_ulong,
    source: *const Bytef,
    sourceLen: c_ulong,
    level: c_int,
) -> c_int {
    // SAFETY: that of the caller.
    unsafe { compress2_z(dest, destLen.cast(), source, sourceLen as size_t, level) }
}

/// Deflates a buffer to the format zlib.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn compress(
    dest: *mut Bytef,
    destLen: *mut c_ulong,
    source: *const Bytef,
    sourceLen: c_ulong,
) -> c_int {
    // SAFETY: that of the caller.
    unsafe { compress2(dest, destLen, source, sourceLen, Z_DEFAULT_COMPRESSION) }
}

/// Inflates a buffer of the format zlib.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uncompress_z(
    dest: *mut Bytef,
    destLen: *mut size_t,
    source: *const Bytef,
    sourceLen: size_t,
) -> c_int {
    let mut source_bytes = sourceLen;
    // SAFETY: that of the caller.
    unsafe { uncompress2_z(dest, destLen, source, &mut source_bytes) }
}

/// Inflates a buffer of the format zlib; `sourceLen` becomes what was consumed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uncompress2(
    dest: *mut Bytef,
    destLen: *mut c_ulong,
    source: *const Bytef,
    sourceLen: *mut c_ulong,
) -> c_int {
    // SAFETY: that of the caller.
    unsafe { uncompress2_z(dest, destLen.cast(), source, sourceLen.cast()) }
}

/// Inflates a buffer of the format zlib.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uncompress(
    dest: *mut Bytef,
    destLen: *mut c_ulong,
    source: *const Bytef,
    sourceLen: c_ulong,
) -> c_int {
    // SAFETY: that of the caller.
    unsafe { uncompress_z(dest, destLen.cast(), source, sourceLen as size_t) }
}

// The functions of two types of length are one.
const _: () = assert!(size_of::<size_t>() == size_of::<c_ulong>());

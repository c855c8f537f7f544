//! A library with the interface of zlib, loaded as programs load it.

use std::ffi::{c_int, c_ulong};
use std::path::Path;
use std::time::{Duration, Instant};

use libloading::Library;

use crate::bench_error::BenchError;

/// Level of zlib beside which a card stands.
const LEVEL: c_int = 1;

/// `compress2` of zlib.h: destination and its length, source and its length, level.
type Compress2 = unsafe extern "C" fn(*mut u8, *mut c_ulong, *const u8, c_ulong, c_int) -> c_int;
/// `compressBound` of zlib.h.
type CompressBound = unsafe extern "C" fn(c_ulong) -> c_ulong;

/// Compresses buffers of so many octets by `compress2` of a library; returns the time, and the streams.
///
/// # Errors
/// The library cannot be loaded, or does not compress.
#[allow(unsafe_code)]
pub fn compress_by(
    library: &Path,
    data: &[u8],
    buffer_bytes: usize,
) -> Result<(Duration, Vec<Vec<u8>>), BenchError> {
    let failed = |error: libloading::Error| BenchError::Failed(format!("{}: {error}", library.display()));
    // SAFETY: the library is zlib or one with its interface: what runs when it is loaded harms nothing, and both functions
    // have the types of zlib.h.
    let loaded = unsafe { Library::new(library) }.map_err(failed)?;
    // SAFETY: as above.
    let compress2 = unsafe { loaded.get::<Compress2>(b"compress2\0") }.map_err(failed)?;
    // SAFETY: as above.
    let bound = unsafe { loaded.get::<CompressBound>(b"compressBound\0") }.map_err(failed)?;
    let mut streams = Vec::new();
    let mut took = Duration::ZERO;
    // SAFETY: a function of a number.
    let room = unsafe { bound(buffer_bytes as c_ulong) };
    let mut output = vec![0; room as usize];
    for buffer in data.chunks(buffer_bytes) {
        let mut length = room;
        let began = Instant::now();
        // SAFETY: both buffers are as long as their lengths, and nobody else uses the output.
        let result = unsafe {
            compress2(output.as_mut_ptr(), &mut length, buffer.as_ptr(), buffer.len() as c_ulong, LEVEL)
        };
        took += began.elapsed();
        if result != 0 {
            return Err(BenchError::Failed(format!("compress2 returned {result}")));
        }
        streams.push(output[..length as usize].to_vec());
    }
    Ok((took, streams))
}

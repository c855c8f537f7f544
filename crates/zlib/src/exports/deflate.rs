//! Functions of streams that are deflated.

use halftrack_zedc::{SLICE_BYTES_MAX, deflate_bound_bytes};
use libc::{c_char, c_int, c_uint, c_ulong, size_t};
use libz_rs_sys::{
    Bytef, Z_DATA_ERROR, Z_DEFAULT_STRATEGY, Z_DEFLATED, Z_FIXED, Z_MEM_ERROR, Z_OK, Z_STREAM_ERROR,
    Z_VERSION_ERROR, gz_headerp, uInt, z_stream, z_streamp,
};

use super::is_version_compatible;
use crate::deflation::{Deflation, Parameters};
use crate::format::Format;
use crate::stream::{Stream, complete_allocator};

/// Bits of the window without another choice.
const WINDOW_BITS: c_int = 15;
/// Memory without another choice.
const MEMORY_LEVEL: c_int = 8;

/// Returns the stream and its state, or returns from the function.
macro_rules! stream {
    ($strm:ident, $error:expr) => {
        // SAFETY: that of the caller.
        match unsafe { Stream::<Deflation>::of($strm) } {
            Some(found) => found,
            None => return $error,
        }
    };
}

/// Initializes a stream of the format zlib.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn deflateInit_(
    strm: z_streamp,
    level: c_int,
    version: *const c_char,
    stream_size: c_int,
) -> c_int {
    // SAFETY: that of the caller.
    unsafe {
        deflateInit2_(
            strm,
            level,
            Z_DEFLATED,
            WINDOW_BITS,
            MEMORY_LEVEL,
            Z_DEFAULT_STRATEGY,
            version,
            stream_size,
        )
    }
}

/// Initializes a stream.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn deflateInit2_(
    strm: z_streamp,
    level: c_int,
    method: c_int,
    windowBits: c_int,
    memLevel: c_int,
    strategy: c_int,
    version: *const c_char,
    stream_size: c_int,
) -> c_int {
    // SAFETY: that of the caller.
    if !unsafe { is_version_compatible(version, stream_size) } {
        return Z_VERSION_ERROR;
    }
    // SAFETY: that of the caller.
    let Some(strm) = (unsafe { strm.as_mut() }) else { return Z_STREAM_ERROR };
    complete_allocator(strm);
    // SAFETY: as above; what the software sets in the stream is its own.
    unsafe {
        let result = libz_rs_sys::deflateInit2_(
            strm,
            level,
            method,
            windowBits,
            memLevel,
            strategy,
            version,
            stream_size,
        );
        if result != Z_OK {
            return result;
        }
        let parameters = Parameters { level, strategy, window_bits: windowBits, memory_level: memLevel };
        if Stream::install(strm, Deflation::new(parameters)).is_some() {
            libz_rs_sys::deflateEnd(strm);
            return Z_MEM_ERROR;
        }
    }
    Z_OK
}

/// Deflates.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn deflate(strm: z_streamp, flush: c_int) -> c_int {
    let (strm, stream) = stream!(strm, Z_STREAM_ERROR);
    stream.deflate(strm, flush)
}

/// Ends a stream.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn deflateEnd(strm: z_streamp) -> c_int {
    let (strm, stream) = stream!(strm, Z_STREAM_ERROR);
    let has_card = stream.own.card_mut().is_some();
    let is_open = stream.own.free(strm);
    // SAFETY: the software finds its own state; ours is not used afterwards.
    unsafe {
        let result = stream.software(strm, |strm| libz_rs_sys::deflateEnd(strm));
        Stream::<Deflation>::remove(strm);
        match (has_card, is_open) {
            (false, _) => result,
            (true, false) => Z_OK,
            (true, true) => Z_DATA_ERROR,
        }
    }
}

/// Begins another stream with the same parameters.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn deflateReset(strm: z_streamp) -> c_int {
    let (strm, stream) = stream!(strm, Z_STREAM_ERROR);
    stream.reset(strm, libz_rs_sys::deflateReset)
}

/// Begins another stream with what the software has in its window.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn deflateResetKeep(strm: z_streamp) -> c_int {
    let (strm, stream) = stream!(strm, Z_STREAM_ERROR);
    let result = stream.reset(strm, libz_rs_sys::deflateResetKeep);
    stream.own.leave_to_software();
    result
}

/// Sets the dictionary, which a card has not.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn deflateSetDictionary(
    strm: z_streamp,
    dictionary: *const Bytef,
    dictLength: uInt,
) -> c_int {
    let (strm, stream) = stream!(strm, Z_STREAM_ERROR);
    if let Some(card) = stream.own.card_mut() {
        if card.format() != Format::Raw || card.has_input() || dictionary.is_null() {
            return Z_STREAM_ERROR;
        }
        card.choose_software();
        // SAFETY: the raw stream is the software's, the dictionary the application's.
        return unsafe { libz_rs_sys::deflateSetDictionary(card.raw_mut(), dictionary, dictLength) };
    }
    stream.own.leave_to_software();
    // SAFETY: the software finds its own state.
    stream.software(strm, |strm| unsafe { libz_rs_sys::deflateSetDictionary(strm, dictionary, dictLength) })
}

/// Returns the last data of the stream, at most a window.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn deflateGetDictionary(
    strm: z_streamp,
    dictionary: *mut Bytef,
    dictLength: *mut uInt,
) -> c_int {
    let (strm, stream) = stream!(strm, Z_STREAM_ERROR);
    let Some(card) = stream.own.card_mut() else {
        // SAFETY: the software finds its own state.
        return stream.software(strm, |strm| unsafe {
            libz_rs_sys::deflateGetDictionary(strm, dictionary, dictLength)
        });
    };
    let last = card.dictionary();
    // SAFETY: the application has room for a window, where there is any.
    unsafe {
        if !dictionary.is_null() {
            dictionary.copy_from_nonoverlapping(last.as_ptr(), last.len());
        }
        if !dictLength.is_null() {
            *dictLength = last.len() as uInt;
        }
    }
    Z_OK
}

/// Copies a stream.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn deflateCopy(dest: z_streamp, source: z_streamp) -> c_int {
    let (source, stream) = stream!(source, Z_STREAM_ERROR);
    if dest.is_null() {
        return Z_STREAM_ERROR;
    }
    // SAFETY: the software finds its own state; the destination can be written, by the caller, and need not be initialized.
    unsafe {
        let mut copy = z_stream::default();
        let result = stream.software(source, |source| libz_rs_sys::deflateCopy(&mut copy, source));
        if result != Z_OK {
            return result;
        }
        dest.write(copy);
        let dest = &mut *dest;
        if let Some(own) = stream.own.copied(dest) {
            let Some(mut own) = Stream::install(dest, own) else { return Z_OK };
            own.free(dest);
        }
        libz_rs_sys::deflateEnd(dest);
    }
    Z_MEM_ERROR
}

/// Sets level and strategy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn deflateParams(strm: z_streamp, level: c_int, strategy: c_int) -> c_int {
    let (strm, stream) = stream!(strm, Z_STREAM_ERROR);
    if !(-1..=9).contains(&level) || !(Z_DEFAULT_STRATEGY..=Z_FIXED).contains(&strategy) {
        return Z_STREAM_ERROR;
    }
    let before = stream.own.parameters();
    stream.own.set_parameters(level, strategy);
    let is_for_card = stream.own.is_for_card();
    let result = match stream.own.card_mut() {
        Some(card) => card.set_parameters(strm, level, strategy, is_for_card),
        // SAFETY: the software finds its own state.
        None => stream.software(strm, |strm| unsafe { libz_rs_sys::deflateParams(strm, level, strategy) }),
    };
    if result != Z_OK {
        stream.own.set_parameters(before.level, before.strategy);
    }
    result
}

/// Sets how the software searches.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn deflateTune(
    strm: z_streamp,
    good_length: c_int,
    max_lazy: c_int,
    nice_length: c_int,
    max_chain: c_int,
) -> c_int {
    let (strm, stream) = stream!(strm, Z_STREAM_ERROR);
    let tune = |strm: z_streamp| {
        // SAFETY: the stream is the software's.
        unsafe { libz_rs_sys::deflateTune(strm, good_length, max_lazy, nice_length, max_chain) }
    };
    match stream.own.card_mut() {
        Some(card) => tune(card.raw_mut()),
        None => stream.software(strm, tune),
    }
}

/// Puts bits in front of the output, which a card does not.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn deflatePrime(strm: z_streamp, bits: c_int, value: c_int) -> c_int {
    let (strm, stream) = stream!(strm, Z_STREAM_ERROR);
    // SAFETY: the stream is the software's.
    let prime = |strm: z_streamp| unsafe { libz_rs_sys::deflatePrime(strm, bits, value) };
    match stream.own.card_mut() {
        Some(card) => {
            card.choose_software();
            prime(card.raw_mut())
        }
        None => {
            stream.own.leave_to_software();
            stream.software(strm, prime)
        }
    }
}

/// Returns how much output the application did not take.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn deflatePending(strm: z_streamp, pending: *mut c_uint, bits: *mut c_int) -> c_int {
    let (strm, stream) = stream!(strm, Z_STREAM_ERROR);
    let Some(card) = stream.own.card_mut() else {
        // SAFETY: the software finds its own state.
        return stream.software(strm, |strm| unsafe { libz_rs_sys::deflatePending(strm, pending, bits) });
    };
    let waiting = card.output_bytes() as c_uint;
    // SAFETY: the raw stream is the software's; both results can be written where they are wanted.
    unsafe {
        let result = libz_rs_sys::deflatePending(card.raw_mut(), pending, bits);
        if !pending.is_null() {
            *pending += waiting;
        }
        result
    }
}

/// Returns how many bits of the last octet of the output are used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn deflateUsed(strm: z_streamp, bits: *mut c_int) -> c_int {
    let (strm, stream) = stream!(strm, Z_STREAM_ERROR);
    // SAFETY: the stream is the software's.
    let used = |strm: z_streamp| unsafe { libz_rs_sys::deflateUsed(strm, bits) };
    match stream.own.card_mut() {
        Some(card) => used(card.raw_mut()),
        None => stream.software(strm, used),
    }
}

/// Sets the header of a stream of the format gzip.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn deflateSetHeader(strm: z_streamp, head: gz_headerp) -> c_int {
    let (strm, stream) = stream!(strm, Z_STREAM_ERROR);
    // SAFETY: the software finds its own state.
    stream.software(strm, |strm| unsafe { libz_rs_sys::deflateSetHeader(strm, head) })
}

/// Returns the most octets into which so many octets are deflated, whoever does it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn deflateBound_z(strm: z_streamp, sourceLen: size_t) -> size_t {
    // SAFETY: the stream is the software's, or null.
    let of_software = |strm| unsafe { libz_rs_sys::deflateBound_z(strm, sourceLen) };
    // SAFETY: that of the caller.
    let software = match unsafe { Stream::<Deflation>::of(strm) } {
        Some((strm, stream)) => stream.software(strm, of_software),
        None => of_software(std::ptr::null_mut()),
    };
    bound(software, sourceLen)
}

/// Returns the most octets into which so many octets are deflated, whoever does it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn deflateBound(strm: z_streamp, sourceLen: c_ulong) -> c_ulong {
    // SAFETY: that of the caller.
    unsafe { deflateBound_z(strm, sourceLen as size_t) as c_ulong }
}

/// Adds what blocks of a card can need beside the bound of the software.
///
/// A stream that a card began and software went on with has blocks of both: those of the card grow by the headers of stored
/// blocks, the others by what the software counts for all.
///
/// The software's bound of lengths that are near the largest is less than the length: then there is none.
pub(super) const fn bound(software: size_t, source_bytes: size_t) -> size_t {
    if software < source_bytes {
        return size_t::MAX;
    }
    let slices = source_bytes.div_ceil(SLICE_BYTES_MAX);
    software.saturating_add(deflate_bound_bytes(0) * if slices == 0 { 1 } else { slices })
}
